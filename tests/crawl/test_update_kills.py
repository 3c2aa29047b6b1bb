"""Updates that are killed at any moment, and made again: each record is kept and handed on once, as the web has it.

The file of `-O` that the last part writes holds the records of the whole update.
"""

from __future__ import annotations

import random
import signal
import sqlite3
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from blogcrawler.backend import Archive
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.commented import Said
from tests.crawl.killing import at_commit
from tests.crawl.running import DATABASE, RECORDS, command, crawl, crawl_until, kept, query, read_records
from tests.crawl.talking import TalkingBlog
from tests.site import Reply, Validators

pytestmark = pytest.mark.slow

ALL_POSTS = make_posts(60)
BEGIN = 36
"""How many posts there are of them before updates begin."""
DAYS = (1.1, 3.0)
"""Between remarks."""
KILLS = 10
COMMITS = 16
"""About as many as an update has."""
MOST_S = 0.15
"""Seconds after a request within which an update is killed."""


class World:
    """A blog that changes, and what an archive of it should know."""

    def __init__(self, site, seed):
        self._site, self._source = site, random.Random(seed)
        self.posts = ALL_POSTS[-BEGIN:]
        self.said = {n: [self._remark(n) for _ in range(3)] for n in (BEGIN, BEGIN - 9, BEGIN - 14)}
        #: numbers of posts that answer 410, with what they said before
        self.gone = {}
        #: paths of what is new or changed since the last update that came to its end
        self.due = set()
        #: how many earlier versions there should be, by path
        self.versions = Counter()
        #: paths of what no longer says something that it said before it moved on
        self._other = set()
        self.put()

    def put(self):
        validators = Validators(etags=True, modified=None)
        blog = TalkingBlog(posts=self.posts, in_feed=8, said=self.said, newest=20)
        self._site.routes = {path: validators.of(reply) for path, reply in blog.routes(self._site.url).items()}
        for number in self.gone:
            self._site.routes[self.post(number).path] = Reply("gone", 410)

    def post(self, number):
        return self.posts[len(self.posts) - number]

    def move_on(self):
        """A new post, a changed one, one that is gone at times, one that is changed while its readers talk; more talk."""
        newest = len(self.posts) + 1
        self.posts = [ALL_POSTS[-newest], *self.posts]
        self.say(newest)
        changed, talked_of, gone = self._source.sample(sorted(set(range(newest - 6, newest)) - self.gone.keys()), 3)
        self.change(changed)
        self.change(talked_of)
        self.say(talked_of)
        if newest % 3 == 0:
            self.gone[gone] = (self.post(gone).text, self._texts(gone))
            self._replace(gone, "This is not to be read.")
        self.say(self._source.choice(sorted(set(range(newest - 20, newest - 8)) - self.gone.keys())))
        edited, deleted = self._source.sample(self.recent(), 2)
        self.edit(*edited)
        self.delete(*deleted)
        self.count_versions()
        self.put()

    def count_versions(self):
        self.versions.update(self._other)
        self._other = set()

    def change(self, number):
        self._replace(number, f"It ends in the {self._source.randrange(10**6)}. way.")
        self._note(number, is_other=True)

    def say(self, number):
        self.said = self.said | {number: [*self.said.get(number, []), self._remark(number)]}
        self._note(number)

    def edit(self, number, remark):
        text = f"Now I think of all of this in the {self._source.randrange(10**6)}. way, and no longer as I did."
        said = [replace(one, text=text) if one is remark else one for one in self.said[number]]
        self.said = self.said | {number: said}
        self._note(number, is_other=True)

    def delete(self, number, remark):
        self.said = self.said | {number: [one for one in self.said[number] if one is not remark]}
        self._note(number, is_other=True)

    def recent(self):
        """The newest remarks that an update may know, each with the number of its post."""
        told = [(n, one) for n, said in self.said.items() if n not in self.gone for one in said]
        told.sort(key=lambda pair: TalkingBlog.time(self.post(pair[0]), pair[1]))
        return told[-8:-3]

    def state(self):
        """Text and comments of each post, by path."""
        now = {self.post(n).path: (self.post(n).text, self._texts(n)) for n in range(1, len(self.posts) + 1)}
        return now | {self.post(number).path: said for number, said in self.gone.items()}

    def _texts(self, number):
        return [one.text for one in self.said.get(number, [])]

    def _replace(self, number, text):
        post = self.post(number)
        changed = replace(post, paragraphs=(*post.paragraphs[:2], text))
        self.posts = [changed if one is post else one for one in self.posts]

    def _note(self, number, *, is_other=False):
        path = self.post(number).path
        self.due.add(path)
        if is_other:
            self._other.add(path)

    def _remark(self, number):
        self._minutes = getattr(self, "_minutes", 0) + int(self._source.uniform(*DAYS) * 24 * 60)
        newest = self.posts[0].published
        minutes = (newest - self.post(number).published) // timedelta(minutes=1) + self._minutes
        words = " ".join(self._source.sample(self.post(number).text.split(), 8))
        return Said(minutes, f"Reader {self._source.randrange(9)}", f"Remark {self._minutes}: {words}.")


def said_by(record):
    return record["content_text"], [comment["content_text"] for comment in record["comments"]]


def check_records(world, site, records):
    """The records of an update are those of all that is due, each once, as it is now."""
    told = {record["url"].removeprefix(site.url): said_by(record) for record in records}
    assert len(told) == len(records), "a record is there twice"
    assert sorted(told) == sorted(world.due)
    assert told == {path: world.state()[path] for path in world.due}


def archive_of(folder):
    return Archive.open(f"sqlite:///{folder / DATABASE}", make=False)


def check_archive(world, site, folder, *, are_all_seen=True):
    """Each post and each comment is there once, as the web has it now, with a version for each change that was seen."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with archive_of(folder) as archive:
        home = f"{site.url}/"
        records = [record.to_dict() for record in archive.records(home)]
        assert {record["url"].removeprefix(site.url): said_by(record) for record in records} == world.state()
        assert len(records) == len(world.posts)
        ids = [(record["url"], comment["id"]) for record in records for comment in record["comments"]]
        assert len(set(ids)) == len(ids), "a comment is there twice"
        assert sorted(archive.gone(home)) == sorted(site.url + world.post(number).path for number in world.gone)
        versions = {path: archive.versions(home, site.url + path) for path in world.state()}
        for path, found in versions.items():
            hashes = [*(version.content_sha256 for version in found), kept(folder)[site.url + path][1]]
            assert all(one != other for one, other in pairwise(hashes)), "a version is there twice"
            assert len(found) == world.versions[path] or (not are_all_seen and len(found) < world.versions[path])


class Killer:
    """Runs updates and kills them, half of them as they are about to write, half of them after a request and a while."""

    def __init__(self, world, site, folder, seed):
        self._world, self._site, self._folder = world, site, folder
        self._source = random.Random(seed)
        self.kills = 0

    def run(self, kills):
        """Kill so many times; the blog moves on whenever an update came to its end before, and at once."""
        wanted = self.kills + kills
        while self.kills < wanted:
            if not self._world.due:
                self._world.move_on()
            before = self.finished()
            code = self._begin()
            self.kills += code == -signal.SIGKILL
            if self.finished() not in (None, before):  # it may have been killed as nothing was left to do
                self.check()
            else:
                assert code == -signal.SIGKILL

    def end(self):
        """Let an update come to its end."""
        assert crawl(self._folder, f"{self._site.url}/", spider="updatecrawl").code == 0
        self.check()

    def check(self):
        """What should be true as soon as the archive knows an update to be complete."""
        check_records(self._world, self._site, read_records(self._folder / RECORDS))
        self._world.due = set()

    def finished(self):
        ((when, is_complete),) = query(self._folder, "SELECT crawl_finished, crawl_complete FROM blog")
        return when if is_complete else None

    def _begin(self):
        arguments = command(f"{self._site.url}/", spider="updatecrawl")
        if self._source.random() < 0.5:
            return crawl_until(self._folder, [*arguments, *at_commit(self._source.randrange(1, COMMITS))], never, kill)
        moment = Moment(self._site, self._source.randrange(1, 9), self._source.uniform(0, MOST_S))
        return crawl_until(self._folder, arguments, moment, kill)


class Moment:
    """Has the site been asked so many times from now on, and a while passed then?"""

    def __init__(self, site, requests, seconds):
        self._site, self._last, self._seconds = site, len(site.targets) + requests, seconds
        self._asked_at = None

    def __call__(self):
        if self._asked_at is None and len(self._site.targets) >= self._last:
            self._asked_at = time.monotonic()
        return self._asked_at is not None and time.monotonic() >= self._asked_at + self._seconds


def never():
    return False


def kill(process):
    process.kill()


def killed_at(folder, site, moment, *, is_written=False):
    """Is an update killed at one of its transactions, counted from 1?"""
    arguments = command(f"{site.url}/", *at_commit(moment, is_written=is_written), spider="updatecrawl")
    return crawl_until(folder, arguments, never, kill) == -signal.SIGKILL


def begin(tmp_path, site, seed):
    """A blog in the archive, and what kills updates of it."""
    world = World(site, seed)
    crawl(tmp_path, f"{site.url}/")
    return world, Killer(world, site, tmp_path, seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_chain_of_kills(tmp_path, seed):
    with serve() as site:
        world, killer = begin(tmp_path, site, seed)
        killer.run(KILLS)
        killer.end()
        check_archive(world, site, tmp_path)
        assert crawl(tmp_path, f"{site.url}/", spider="updatecrawl").records == []


@pytest.mark.parametrize("seed", [4, 5])
def test_the_blog_changes_between_the_parts_of_an_update(tmp_path, seed):
    """What a part has kept may have been changed again when the next part comes."""
    with serve() as site:
        world, killer = begin(tmp_path, site, seed)
        source = random.Random(seed)
        for _ in range(8):
            killer.run(1)
            there = [number for number in range(len(world.posts) - 5, len(world.posts)) if number not in world.gone]
            world.change(source.choice(there))
            world.edit(*source.choice(world.recent()))
            world.count_versions()
            world.put()
        killer.end()
        check_archive(world, site, tmp_path, are_all_seen=False)
        assert crawl(tmp_path, f"{site.url}/", spider="updatecrawl").records == []


@pytest.mark.parametrize("is_written", [False, True])
def test_each_moment_of_an_update(tmp_path, is_written):
    """One part after another ends as it writes: the first time for the first part, the second for the second."""
    with serve() as site:
        world, killer = begin(tmp_path, site, 6)
        world.move_on()
        moments, before = 0, killer.finished()
        while killed_at(tmp_path, site, moments + 1, is_written=is_written):
            moments += 1
            if killer.finished() not in (None, before):
                break
        check_records(world, site, read_records(tmp_path / RECORDS))
        check_archive(world, site, tmp_path)
        assert moments > 8


def test_what_is_changed_back_after_a_kill(tmp_path):
    with serve() as site:
        world, _ = begin(tmp_path, site, 6)
        posts, said, state, kills = world.posts, world.said, world.state(), 0
        for moment in range(9, COMMITS):
            world.change(BEGIN - 3)
            world.edit(*world.recent()[0])
            world.put()
            kills += killed_at(tmp_path, site, moment)
            world.posts, world.said = posts, said
            world.put()
            assert crawl(tmp_path, f"{site.url}/", spider="updatecrawl").code == 0
            with archive_of(tmp_path) as archive:
                records = [record.to_dict() for record in archive.records(f"{site.url}/")]
            assert {record["url"].removeprefix(site.url): said_by(record) for record in records} == state
        assert kills > 2


@pytest.mark.parametrize("way", ["sitemap", "lists"])
def test_kills_on_the_way_back_to_known_posts(tmp_path, way):
    """The feed holds nothing that was known before, but soon what a part has kept."""
    old, blog, source = Blog(ALL_POSTS[20:50], in_feed=5), Blog(ALL_POSTS[:50], in_feed=5), random.Random(way)
    with serve(old) as site:
        crawl(tmp_path, f"{site.url}/")
        site.reset(blog)
        if way == "sitemap":
            lines = "".join(f"<url><loc>{url}</loc></url>" for url in blog.urls(site.url))
            site.routes["/sitemap.xml"] = Reply(f"<urlset>{lines}</urlset>", content_type="application/xml")
        for _ in range(3):
            assert killed_at(tmp_path, site, source.randrange(10, 22))
        done = crawl(tmp_path, f"{site.url}/", spider="updatecrawl")
        assert done.urls == sorted(site.url + post.path for post in ALL_POSTS[:20])
        assert {record["content_text"] for record in done.records} == {post.text for post in ALL_POSTS[:20]}
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
