"""What a worker has read of a page makes the record that the crawl would make of it by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from blogcrawler.crawl.read_page import ReadPage, read
from blogcrawler.items import Page, Record, RecordSource
from blogcrawler.pipelines.content import fill
from blogcrawler.wrapper import Wrapper
from tests.wrapper.pages import OLD, POSTS, Post, classic, learned


@pytest.fixture(scope="module")
def wrapper() -> Wrapper:
    return learned(classic)


def page_of(post: Post) -> Page:
    html = classic(post).replace("</p>", '<a href="/other/" rel="next">Other</a></p>', 1)
    return Page(post.url, html.encode(), "text/html; charset=utf-8")


def handed_in(page: Page, wrapper: Wrapper, *, is_by_other: bool = False) -> ReadPage:
    """The page as a worker has read it."""
    elsewhere = Wrapper.from_dict(json.loads(json.dumps(wrapper.to_dict())))
    told = json.dumps(read(replace(page), elsewhere).to_dict())
    return read(page, wrapper, ReadPage.from_dict(json.loads(told), page, wrapper, is_by_other=is_by_other))


def record_of(source: RecordSource) -> dict[str, Any]:
    record = Record("http://blog.example.org/", source.page.url, source=source)
    fill(record)
    return record.to_dict()


@pytest.mark.parametrize("post", [*POSTS[:2], *OLD[:2]])
@pytest.mark.parametrize("has_entry", [True, False])
def test_it_makes_the_same_record(wrapper: Wrapper, post: Post, *, has_entry: bool) -> None:
    entry, page = post.entry() if has_entry else None, page_of(post)
    told = record_of(RecordSource(page, wrapper, entry, read_page=handed_in(page, wrapper)))
    assert page.tree is None, "it was parsed"
    assert told == record_of(RecordSource(page_of(post), wrapper, entry))


@pytest.mark.parametrize("is_by_other", [True, False])
def test_what_it_says_is_what_was_read_here(wrapper: Wrapper, *, is_by_other: bool) -> None:
    own, told = (made(page_of(POSTS[0]), wrapper) for made in (read, partial(handed_in, is_by_other=is_by_other)))
    assert [vars(link) for link in told.outline.links] == [vars(link) for link in own.outline.links]
    assert told.outline == own.outline
    assert told.shown == own.shown
    for name in ("is_post", "is_post_at_permalink", "fits", "comment_pages", "generator", "content"):
        assert getattr(told, name) == getattr(own, name)
    assert (told.page.tree is not None) == is_by_other


def test_an_article_of_several_pages_is_read_where_they_come_together(wrapper: Wrapper) -> None:
    more = page_of(POSTS[1])
    own, told = page_of(POSTS[0]), handed_in(page_of(POSTS[0]), wrapper)
    source = RecordSource(told.page, wrapper, read_page=told, more_pages=(more,))
    assert record_of(source) == record_of(RecordSource(own, wrapper, more_pages=(more,)))


@pytest.mark.parametrize(
    "damage",
    [
        *({name: value} for name in ("fits", "is_post") for value in ("no", 1, None)),
        *({"generator": 3}, {"comment_pages": "ab"}, {"outline": {}}, {"content": {"html": 1}}, {"content": "a"}),
        *({"extraction": found} for found in (None, {"title": 3}, {"authors": "Ann"}, {"article": "<p>"})),
    ],
)
def test_what_is_no_read_page_is_refused(wrapper: Wrapper, damage: dict[str, Any]) -> None:
    page = page_of(POSTS[0])
    told = json.loads(json.dumps({**read(replace(page), wrapper).to_dict(), **damage}))
    with pytest.raises((KeyError, TypeError, ValueError)):
        ReadPage.from_dict(told, page, wrapper, is_by_other=False)
