"""What a worker has read of a page makes the record that the crawl would make of it by itself."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from blogcrawler.crawl.read_page import HandedIn, hand_in
from blogcrawler.dom import parse_page
from blogcrawler.items import Page, Record, RecordSource
from blogcrawler.pipelines.content import fill
from blogcrawler.wrapper import Wrapper
from tests.wrapper.pages import OLD, POSTS, Post, classic, learned


@pytest.fixture(scope="module")
def wrapper() -> Wrapper:
    return learned(classic)


def record_of(page: Page, post: Post, wrapper: Wrapper, handed_in: HandedIn | None, *, has_entry: bool) -> Record:
    record = Record("http://blog.example.org/", page.url)
    source = RecordSource(page, wrapper, post.entry() if has_entry else None)
    if handed_in is not None:
        source = replace(source, extraction=handed_in.extraction, content=handed_in.content)
    fill(record, source, parse_page(page))
    return record


@pytest.mark.parametrize("post", [*POSTS[:2], *OLD[:2]])
@pytest.mark.parametrize("has_entry", [True, False])
def test_it_makes_the_same_record(wrapper: Wrapper, post: Post, *, has_entry: bool) -> None:
    page = Page(post.url, classic(post).encode(), "text/html; charset=utf-8")
    elsewhere = Wrapper.from_dict(json.loads(json.dumps(wrapper.to_dict())))
    told = json.dumps(hand_in(Page(page.url, page.body, page.content_type), elsewhere).to_dict())
    handed_in = HandedIn.from_dict(json.loads(told), wrapper)
    assert handed_in.extraction.title
    own = record_of(page, post, wrapper, None, has_entry=has_entry)
    assert record_of(page, post, wrapper, handed_in, has_entry=has_entry).to_dict() == own.to_dict()


def test_what_it_shows_is_compared_as_what_was_read_here(wrapper: Wrapper) -> None:
    post = POSTS[0]
    page = Page(post.url, classic(post).encode(), "text/html; charset=utf-8")
    own = hand_in(page, wrapper)
    told = HandedIn.from_dict(json.loads(json.dumps(own.to_dict())), wrapper)
    assert (told.shown.digest, told.shown.whole_digest, told.shown.sketch) == (
        own.shown.digest,
        own.shown.whole_digest,
        own.shown.sketch,
    )


def test_an_article_of_several_pages_is_read_where_they_come_together(wrapper: Wrapper) -> None:
    first, second = POSTS[:2]
    page, more = (Page(post.url, classic(post).encode(), "text/html; charset=utf-8") for post in (first, second))
    told = HandedIn.from_dict(hand_in(page, wrapper).to_dict(), wrapper)
    texts = []
    own = RecordSource(page, wrapper, more_pages=(more,))
    for source in (own, replace(own, extraction=told.extraction, content=told.content)):
        record = Record("http://blog.example.org/", page.url)
        fill(record, source, parse_page(page))
        texts.append(record.content_text)
    assert texts[0] == texts[1]
