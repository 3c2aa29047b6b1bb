"""What differs between two archives is seen where a fleet that was disturbed is held against one that was not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogcrawler.backend import Archive, Failed
from blogcrawler.items import Provenance, Record
from tests.queue.ordeal import differences, kept

HOME = "http://blog.example.org/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def a_post(path, guid=None, sha256=None, fetched="2026-11-21T12:00:00Z"):
    return Record(blog=HOME, url=f"{HOME}{path}", guid=guid, provenance=Provenance(fetched=fetched, sha256=sha256))


@pytest.fixture
def outcome_of(tmp_path):
    """What is in an archive with such posts and pages that could not be had."""
    count = 0

    def made(*posts, failed=()):
        nonlocal count
        count += 1
        url = f"sqlite:///{tmp_path}/{count}.db"
        with Archive.open(url) as archive:
            archive.start_crawl(HOME, now=NOW)
            for post in posts:
                archive.save_record(post, now=NOW)
            archive.failures(HOME).note([Failed(address, reason, NOW) for address, reason in failed])
        return kept(url)

    return made


def test_when_a_page_was_fetched_is_no_difference(outcome_of):
    one, other = outcome_of(a_post("a")), outcome_of(a_post("a", fetched="2026-11-22T12:00:00Z"))
    assert differences(one, other) == []
    assert differences(one, outcome_of(a_post("a", sha256="12"))) != []


@pytest.mark.parametrize("same", [{"guid": "1"}, {"sha256": "12"}])
def test_a_post_at_two_addresses_is_there_twice_unless_it_is_so_undisturbed(outcome_of, same):
    both = outcome_of(a_post("a", **same), a_post("b", **same))
    assert f"{HOME}: 1 records twice, undisturbed 0" in differences(outcome_of(a_post("a", **same), a_post("b")), both)
    assert differences(both, both) == []


def test_a_page_that_could_not_be_had_is_a_difference(outcome_of):
    one, other = outcome_of(a_post("a")), outcome_of(a_post("a"), failed=[(f"{HOME}b", "HTTP 500")])
    assert differences(one, other) == [f"{HOME}b: failed: None != 'HTTP 500'"]
    assert len(differences(other, one)) == 1
