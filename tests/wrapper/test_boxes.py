"""Boxes of software whose words change with the post are no part of it; what authors number, mark and link to is."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.dom import inline_text, parse
from blogcrawler.wrapper import Example, Wrapper, learn
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    article,
    extracted,
    layout,
    links_to_others,
    others,
    prose,
    words,
)

Box = Callable[[Post], str]


def related(one: Post) -> str:
    return f'<div class="related"><h3>Related posts:</h3><ul>{links_to_others(one)}</ul></div>'


def with_thumbnails(one: Post) -> str:
    shown = "".join(
        f'<li><a href="{other.url}"><img src="/{other.number}.jpg"></a> <a href="{other.url}">{other.title}</a></li>'
        for other in others(one)
    )
    return f'<div id="similar"><p>You may like these</p><ul>{shown}</ul></div>'


def downloads(one: Post) -> str:
    files = f'<a href="/{one.number}.mp3">Play in a new window</a> | <a href="/{one.number}.mp3">Download</a>'
    return f'<p class="player">Podcast: {files} (Duration: {20 + one.number}:1{one.number % 7} &mdash; {one.number}.5MB)</p>'


def minutes(one: Post) -> str:
    count = 1 + one.number % 5
    unit = "minute" if count == 1 else "minutes"
    label, number = '<span class="label">Reading time:</span>', f'<span class="time">{count}</span>'
    return f'<span class="reading-time">{label} {number} <span class="label">{unit}</span></span>'


def rights(one: Post) -> str:
    return (
        f'<p class="rights">© {1990 + one.number} This note was first shown at <a href="{one.url}">{one.url}</a>.</p>'
    )


def mark(one: Post) -> str:
    parts = (
        f'<p><span class="of">{name}</span>: <b>{one.number % 9}/10</b></p>' for name in ("Story", "Sound", "Play")
    )
    return f'<div class="marks">{"".join(parts)}</div>'


def table(one: Post) -> str:
    cells = (
        f"<tr><th>Miles by train</th><td>{one.number}</td></tr><tr><th>Miles on foot</th><td>2{one.number}</td></tr>"
    )
    return f'<div class="walk"><table>{cells}</table><a href="/walks">All walks of the year</a></div>'


def picture(one: Post) -> str:
    return f'<div class="shot"><a href="/{one.number}.jpg"><img src="/{one.number}.jpg"></a><p>Picture {one.number}</p></div>'


def contents(one: Post) -> str:
    links = "".join(f'<li><a href="#part-{n}">{prose(f"{one.number}/{n}", 3)}</a></li>' for n in (1, 2))
    return f'<div class="contents"><p>In this note</p><ul>{links}</ul></div>'


def body(one: Post, place: str, box: str) -> str:
    """A post's article with a box at its beginning, behind its first paragraph, or at its end."""
    paragraphs = [f"<p>{text}</p>" for text in one.paragraphs]
    paragraphs.insert({"first": 0, "amid": 1, "last": len(paragraphs)}[place], box)
    return "\n".join(paragraphs)


def page_of(shown: str, one: Post) -> str:
    return layout(f'<h1 class="head">{one.title}</h1><div class="entry">{shown}</div>')


def taught(place: str, box: Box, every: int = 1) -> Wrapper:
    """From a feed and pages of which all have a box, or all but every so many."""
    shown = [body(one, place, box(one) if every == 1 or number % every else "") for number, one in enumerate(POSTS)]
    return learn(
        Example(parse(page_of(text, one)), one.entry(content_html=text), one.url)
        for one, text in zip(POSTS, shown, strict=True)
    )


def read(wrapper: Wrapper, place: str, box: Box, one: Post) -> str:
    return words(extracted(wrapper, lambda one: page_of(body(one, place, box(one)), one), one))


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@pytest.mark.parametrize("every", [1, 6])
@pytest.mark.parametrize(
    ("place", "box"),
    [
        ("last", related),
        ("last", with_thumbnails),
        ("first", downloads),
        ("amid", downloads),
        ("first", minutes),
        ("last", rights),
    ],
)
def test_boxes_whose_words_change_are_no_article(place: str, box: Box, every: int) -> None:
    wrapper = taught(place, box, every)
    for one in OLD:
        assert read(wrapper, place, box, one) == article(one)


@pytest.mark.parametrize(
    ("place", "box"),
    [
        ("last", lambda one: f"<h3>See also</h3><ul>{links_to_others(one)}</ul>"),
        ("last", lambda one: f'<h3>See also</h3><ul class="list">{links_to_others(one)}</ul>'),
        (
            "first",
            lambda one: (
                f'<p class="then">Last week I wrote <a href="{others(one)[0].path}">{others(one)[0].title}</a>.</p>'
            ),
        ),
        (
            "last",
            lambda one: f'<p class="then">See also <a href="{others(one)[0].path}">{others(one)[0].title}</a></p>',
        ),
        (
            "last",
            lambda one: f'<p>This is note {one.number} of <a href="/all">a hundred notes</a> that I want to write.</p>',
        ),
        ("first", lambda one: f'<p class="week">Week {one.number} of the year</p>'),
        ("last", mark),
        ("amid", mark),
        ("last", table),
        ("amid", picture),
        ("first", contents),
        ("last", lambda one: f'<p class="mood">{prose(one.number, 6)} <a href="/moods">All moods</a></p>'),
    ],
)
def test_what_authors_count_and_link_to_is_the_article_s(place: str, box: Box) -> None:
    wrapper = taught(place, box)
    assert not wrapper.feed_matter.boxes
    for one in OLD:
        shown = parse(body(one, place, box(one))).text_content()
        assert letters(read(wrapper, place, box, one)) == letters(shown)


def test_the_feed_s_article_is_read_without_it() -> None:
    wrapper = Wrapper.from_dict(json.loads(json.dumps(taught("last", related).to_dict())))
    one = OLD[0]
    told = wrapper.entry_article(one.entry(content_html=body(one, "last", related(one))))
    assert " ".join(inline_text(told).split()) == article(one)
    alone = wrapper.entry_article(one.entry(content_html=related(one)))
    assert "Related posts" in inline_text(alone)
    other = wrapper.entry_article(
        one.entry(content_html=body(one, "last", '<p class="related">My <a href="/x">own</a></p>'))
    )
    assert inline_text(other).endswith("My own")


@settings(max_examples=20, deadline=None)
@given(st.integers(min_value=1, max_value=30), st.sampled_from(["first", "amid", "last"]))
def test_no_text_is_lost_that_only_one_post_has(length: int, place: str) -> None:
    def note(one: Post) -> str:
        return f'<div class="note"><p>{prose(f"note {one.number}", length)}</p><a href="/notes">More of them</a></div>'

    wrapper = taught(place, note)
    one = OLD[0]
    assert prose(f"note {one.number}", length) in read(wrapper, place, note, one)
