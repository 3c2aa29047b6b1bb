"""The blog's name is what recurs in the titles of its pages, and no post's title is cut by chance."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.serialise import dump, load
from blogcrawler.wrapper.fallback.dates import find_date
from blogcrawler.wrapper.fallback.head_titles import Ends, Heads, head_title
from blogcrawler.wrapper.fallback.titles import find_title

TITLES = ("A kettle", "Of ferries: two", "The well-known lantern", "Gravel, or: the | bicycle", "Birds in March")
NAME = "Gravel Diary"


def page(title: str, body: str = "") -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


def noted(*titles: str) -> Ends:
    heads = Heads()
    for title in titles:
        heads.note(head_title(parse(page(title))))
    return heads.ends()


@pytest.mark.parametrize("mark", [" | ", " - ", " — ", " « ", ": ", " :: ", "｜", "_", " » ", " · ", "|", " -- "])
@pytest.mark.parametrize("is_first", [False, True])
def test_the_name_of_the_blog_is_cut(mark, is_first):
    heads = {title: f"{NAME}{mark}{title}" if is_first else f"{title}{mark}{NAME}" for title in TITLES}
    ends = noted(*heads.values())
    assert {ends.cut(head) for head in heads.values()} == set(TITLES)
    assert ends.names() == {"gravel diary"}
    assert load(Ends, json.loads(json.dumps(dump(ends)))) == ends


def test_two_names_of_one_blog_are_cut():
    heads = [f"{title} | Old Name" for title in TITLES] + [f"New Name: {title}" for title in TITLES]
    assert {noted(*heads).cut(head) for head in heads} == set(TITLES)


def test_what_few_titles_have_in_common_stays():
    ends = noted(*TITLES, "Travel: Oslo", "Travel: Rome", "Travel: Lima")
    assert ends.cut("Travel: Oslo") == "Travel: Oslo"
    assert ends.differ


def test_one_title_on_all_pages_is_none():
    ends = noted(*[NAME] * 9)
    assert not ends.differ
    assert find_title(parse(page(NAME, "<b>A kettle</b>")), ends=ends) is None


def test_a_page_without_headings_has_the_title_of_its_head():
    ends = noted(*(f"{title} | {NAME}" for title in TITLES))
    body = "<table><td><b>Tea</b><br><small>Written on 14.03.2009</small><hr>It was cold.</td></table>"
    tree = parse(page(f"Tea | {NAME}", body))
    found = find_title(tree, ends=ends)
    assert found is not None
    assert found.value == "Tea"
    date = find_date(tree, None, found.value)
    assert date is not None
    assert date.value == "2009-03-14"


def test_a_heading_of_the_page_is_preferred():
    ends = noted(*(f"{title} | {NAME}" for title in TITLES))
    found = find_title(parse(page(f"Tea | cake | {NAME}", "<h2>Tea | cake</h2>")), ends=ends)
    assert found is not None
    assert found.value == "Tea | cake"


@given(st.lists(st.text("ab |:-", min_size=1, max_size=30), max_size=30))
def test_nothing_is_cut_away_whole(titles):
    ends = noted(*titles)
    for title in titles:
        assert ends.cut(title) in title
        assert ends.cut(title) or not title
