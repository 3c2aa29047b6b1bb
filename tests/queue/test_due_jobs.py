"""Which blogs become jobs, and which of those that were given up are so still."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from blogcrawler.backend import Archive, Bounds
from blogcrawler.queue import enqueue_due, given_up, open_jobs, put_back
from blogcrawler.status import failing_of, given_up_of, status_of

HOME, FEED = "http://a.example/", "http://a.example/feed.xml"
REASON = "The worker was lost, 8 times in a row."
HOUR = timedelta(hours=1)


@pytest.fixture
def archive(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path / 'archive.db'}") as opened:
        yield opened


@pytest.fixture
def jobs(postgresql_url):
    with open_jobs(postgresql_url) as opened:
        opened.enter("here", 1, 1, 60)
        yield opened


def now() -> datetime:
    return datetime.now(UTC)


def take_in(archive, *, added=None):
    archive.register.want({archive.key_of(HOME): HOME}, now=added or now() - HOUR)


def give_up(archive, jobs):
    """A blog that was taken in is given up, for no failure that the archive knows of."""
    assert enqueue_due(archive, jobs, now=now()) == 1
    jobs.failed(jobs.claim("me"), REASON, 8, again=None)
    assert [job.url for job in given_up(archive, jobs)] == [HOME]


def test_what_was_given_up_has_no_job(archive, jobs):
    take_in(archive)
    give_up(archive, jobs)
    assert enqueue_due(archive, jobs, now=now()) == 0
    assert [job.url for job in given_up(archive, jobs)] == [HOME]


def test_what_was_given_up_is_told_as_failing_and_not_as_due(archive, jobs):
    take_in(archive)
    give_up(archive, jobs)
    told = status_of(archive, jobs, now=now(), lost_after_s=60)
    assert [(one.url, one.reason, one.due) for one in told.failing] == [(HOME, REASON, None)]
    assert (told.blogs.due, told.blogs.failing) == (0, 1)
    assert given_up_of(archive, jobs) == told.failing
    assert failing_of(archive) == ()


def test_a_blog_that_was_removed_is_given_up_no_more(archive, jobs):
    take_in(archive)
    give_up(archive, jobs)
    archive.register.unwant([archive.key_of(HOME)])
    assert given_up(archive, jobs) == []
    assert enqueue_due(archive, jobs, now=now()) == 0
    assert jobs.given_up() == []


@pytest.mark.parametrize("has_monitor_looked", [False, True])
def test_a_blog_that_was_removed_and_taken_in_again_is_crawled(archive, jobs, has_monitor_looked):
    take_in(archive)
    give_up(archive, jobs)
    archive.register.unwant([archive.key_of(HOME)])
    if has_monitor_looked:
        enqueue_due(archive, jobs, now=now())
    take_in(archive, added=now() + timedelta(seconds=1))
    assert enqueue_due(archive, jobs, now=now() + HOUR) == 1
    assert jobs.claim("me").url == HOME


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_blog_that_was_crawled_to_the_end_by_hand_is_brought_up_to_date(archive, jobs, is_complete):
    take_in(archive)
    give_up(archive, jobs)
    archive.start_crawl(HOME, now=now())
    archive.finish_crawl(HOME, now=now() + timedelta(seconds=1), reason="finished", complete=is_complete)
    archive.register.set_due(HOME, now())
    assert bool(given_up(archive, jobs)) is not is_complete
    assert enqueue_due(archive, jobs, now=now() + HOUR) == is_complete


def test_a_blog_of_the_archive_that_was_removed_is_given_up_no_more(archive, jobs):
    archive.start_crawl(HOME, now=now() - HOUR)
    give_up(archive, jobs)
    archive.register.follow(HOME, is_followed=False)
    assert given_up(archive, jobs) == []
    assert enqueue_due(archive, jobs, now=now()) == 0
    archive.register.follow(HOME, is_followed=True)
    assert enqueue_due(archive, jobs, now=now()) == 1


def test_what_is_put_back_has_a_job_again(archive, jobs):
    take_in(archive)
    give_up(archive, jobs)
    (job,) = given_up(archive, jobs)
    assert put_back(archive, jobs, job, now=now())
    assert given_up(archive, jobs) == []
    assert jobs.claim("me").url == HOME


@pytest.fixture
def known_by_its_feed(archive, jobs):
    """A blog that was taken in by its feed's address has a job, and then a crawl has found its home page."""
    archive.register.want({archive.key_of(FEED): FEED}, now=now() - HOUR)
    assert enqueue_due(archive, jobs, now=now()) == 1
    archive.start_crawl(HOME, now=now() - HOUR)
    archive.save_addresses(HOME, [HOME, FEED])


def test_a_blog_that_was_taken_in_by_another_address_has_one_job(archive, jobs, known_by_its_feed):
    assert enqueue_due(archive, jobs, now=now()) == 0
    jobs.done(jobs.claim("me"))
    assert enqueue_due(archive, jobs, now=now()) == 1


def test_a_blog_that_was_taken_in_by_another_address_is_given_up_once(archive, jobs, known_by_its_feed):
    jobs.failed(jobs.claim("me"), REASON, 8, again=None)
    assert enqueue_due(archive, jobs, now=now()) == 0
    archive.register.note_failure("", HOME, REASON, Bounds(HOUR, HOUR), now=now() - 2 * HOUR)
    told = status_of(archive, jobs, now=now(), lost_after_s=60)
    assert [(one.url, one.due) for one in told.failing] == [(HOME, None)]
    assert (told.blogs.in_archive, told.blogs.due, told.blogs.failing) == (1, 0, 1)
