"""`blogcrawler rules URL`."""

from __future__ import annotations

import pytest
from lxml.etree import XPath

from tests.crawl.blog import Blog, serve
from tests.crawl.running import DATABASE, PROGRAM, crawl, has_traceback, run


def rules(folder, *arguments: str, anew: bool = False):
    return run(folder, [*PROGRAM, "rules", *arguments, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"], anew=anew)


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A folder with the archive of a crawl, the blog, and its address, which nobody serves any more."""
    folder, blog = tmp_path_factory.mktemp("rules"), Blog()
    with serve(blog) as site:
        assert crawl(folder, f"{site.url}/").code == 0
        return folder, blog, site.url


@pytest.mark.parametrize("path", ["/", "/feed.xml", ""])
def test_shows_rules_scores_and_examples(learned, path):
    folder, blog, address = learned
    outcome = rules(folder, address + path)
    assert (outcome.code, outcome.stderr) == (0, "")
    words = " ".join(outcome.stdout.replace("│", " ").split())
    for field in ("content:", "title:", "published:", "authors:"):
        assert field in words
    assert "100%" in words
    assert "title 2 of 2" in words
    assert any(post.title in words for post in blog.posts)
    assert any(post.author in words for post in blog.posts[:4])
    assert f"examples are from {address}/" in words


def test_rules_are_shown_where_there_is_no_terminal_in_full(learned):
    """What is piped into a file or another program is not cut to the width of a terminal."""
    folder, _, address = learned
    lines = [line for line in rules(folder, f"{address}/", anew=True).stdout.splitlines() if line.startswith("  //")]
    assert lines
    for line in lines:
        XPath(line.strip())


def test_before_a_crawl(learned):
    folder, _, _ = learned
    outcome = rules(folder, "http://blog.example.org/")
    assert outcome.code == 1
    (sentence,) = outcome.sentences
    assert "http://blog.example.org/" in sentence
    assert "blogcrawler archive" in sentence
    assert outcome.stderr.strip() == sentence
    assert not has_traceback(outcome)


def test_asking_makes_no_archive(tmp_path):
    outcome = rules(tmp_path, "http://blog.example.org/")
    assert outcome.code == 1
    assert f"no archive at {DATABASE}" in outcome.sentences[0]
    assert not (tmp_path / DATABASE).exists()


def test_a_database_that_cannot_be_opened(tmp_path):
    (tmp_path / DATABASE).write_text("no database " * 100)
    outcome = rules(tmp_path, "http://blog.example.org/")
    assert outcome.code == 1
    assert not has_traceback(outcome)
    assert "not a database" in outcome.sentences[0]


@pytest.mark.parametrize("arguments", [[], ["http://a.example/", "http://b.example/"]], ids=["none", "two"])
def test_wrong_usage(tmp_path, arguments):
    outcome = rules(tmp_path, *arguments)
    assert outcome.code == 2
    assert "Name one blog" in outcome.stderr
    assert not has_traceback(outcome)


@pytest.mark.parametrize("address", ["ftp://x", "http://", ""])
def test_an_address_that_cannot_be_used_is_wrong_usage(tmp_path, address):
    outcome = rules(tmp_path, address)
    assert outcome.code == 2
    assert not has_traceback(outcome)
