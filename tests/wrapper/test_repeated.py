"""What an author says again in several posts stays in each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, Wrapper, learn, refine
from tests.wrapper.pages import OLD, POSTS, Post, extracted, layout, post, prose, words

CALL = "Thanks for reading the quiet blog! Subscribe for free to receive new notes by mail."

QUESTIONS = "What tools do you use every day when at home?", "What would be the dream setup of your whole life?"
REFRAIN = "The river runs the way it ran before, and so do we along the shore."

TABLE = (
    "<table><tr><th>Day in March</th><th>Miles by train</th><th>Miles on foot</th></tr>"
    "<tr><td>{0}</td><td>7{0}</td><td>2{0}</td></tr></table>"
)


def written(one: Post, first: str = "", amid: str = "", last: str = "") -> str:
    """A post's article with more before it, behind its first paragraph, and after it."""
    paragraphs = [f"<p>{text}</p>" for text in one.paragraphs]
    return "\n".join([first, paragraphs[0], amid.format(one.number), *paragraphs[1:], last])


def page_of(body: str, one: Post) -> str:
    return layout(f'<h1 class="head">{one.title}</h1><div class="entry">{body}</div>')


def taught(more: Mapping[str, str], every: int = 1, posts: tuple[Post, ...] = POSTS) -> Wrapper:
    """From a feed and pages of which every so many have more than the article."""
    bodies = [written(one, **more) if number % every == 0 else written(one) for number, one in enumerate(posts)]
    return learn(
        Example(parse(page_of(body, one)), one.entry(content_html=body), one.url)
        for one, body in zip(posts, bodies, strict=True)
    )


def read(wrapper: Wrapper, one: Post, **more: str) -> str:
    return words(extracted(wrapper, lambda one: page_of(written(one, **more), one), one))


@pytest.mark.parametrize(
    "more",
    [
        {"first": "<h2>Introduction</h2>"},
        {"amid": "<h2>What I have read this month</h2>"},
        {"amid": f"<p>{CALL}</p>"},
        {"last": "<p>Until next week, Ann</p>"},
        {"last": "<pre>pip install lantern harbour bread river stone letter garden window</pre>"},
        {"amid": TABLE},
        {"first": "<p><em>Every Friday I write down three things that I learned in the week.</em></p>"},
        {"last": "<p>Disclosure: I paid for this myself, and nobody asked me to write about it.</p>"},
        {"first": "<h3>What tools do you use every day at home?</h3>"},
        {"first": f"<p class='q'>{QUESTIONS[0]}</p>", "amid": f"<p class='q'>{QUESTIONS[1]}</p>"},
        {"amid": f"<p class='q'>{QUESTIONS[0]}</p>"},
        {"amid": f"<div class='refrain'><p>{REFRAIN}</p></div>", "last": f"<p class='refrain'>{REFRAIN}</p>"},
        {"amid": "<h3 class='q'><a href='/setup'>What would be the dream setup of your life?</a></h3>"},
    ],
)
def test_what_authors_say_again_is_the_article_s(more: dict[str, str]) -> None:
    wrapper = taught(more)
    for one in OLD:
        shown = parse(written(one, **more)).text_content()
        assert "".join(read(wrapper, one, **more).replace("|", "").split()) == "".join(shown.split())


SERIES = {
    "list": "<h2>Scope of the project</h2><ol><li>Write a small program that anyone can read and change</li>"
    "<li>Keep a diary of it, with what went wrong and what I learned</li></ol>",
    "marked list": "<ol class='scope'><li>Write a small program that anyone can read and change</li>"
    "<li>Keep a diary of it, with what went wrong and what I learned</li></ol>",
    "note": "<blockquote class='info'><p>This is a part of the series on trains, <a href='/s'>see all</a></p></blockquote>",
    "table": TABLE,
    "ending": "<h3>About this series</h3><p class='about'>I write these notes on the train, and read them once.</p>",
}


@pytest.mark.parametrize("place", ["first", "amid", "last"])
@pytest.mark.parametrize("name", SERIES)
def test_what_an_author_repeats_in_a_series_is_the_article_s(name: str, place: str) -> None:
    """Half of the feed's posts and half of the old ones have it, as they are in the series."""
    more = {place: SERIES[name]}
    wrapper = taught(more, 2)
    training = [
        Example(parse(page_of(body, one)), one.entry(content_html=body), one.url)
        for one, body in ((one, written(one, **more) if one.number % 2 == 0 else written(one)) for one in POSTS)
    ]
    old = [(one, written(one, **more) if one.number % 2 == 0 else written(one)) for one in map(post, range(50, 58))]
    wrapper = refine(wrapper, training, [(parse(page_of(body, one)), one.url) for one, body in old])
    for one in OLD:
        shown = parse(written(one, **more)).text_content()
        found = re.sub(r"\d\. |\W", "", read(wrapper, one, **more))
        assert found == re.sub(r"\W", "", shown)


@pytest.mark.parametrize("name", SERIES)
def test_so_it_is_where_no_post_of_the_feed_is_in_the_series(name: str) -> None:
    more = {"first": SERIES[name]}
    old = [(one, written(one, **more) if one.number % 2 == 0 else written(one)) for one in map(post, range(50, 58))]
    training = [Example(parse(page_of(one.body, one)), one.entry(), one.url) for one in POSTS]
    wrapper = refine(learn(training), training, [(parse(page_of(body, one)), one.url) for one, body in old])
    for one in OLD:
        shown = parse(written(one, **more)).text_content()
        found = re.sub(r"\d\. |\W", "", read(wrapper, one, **more))
        assert found == re.sub(r"\W", "", shown)


@settings(max_examples=20, deadline=None)
@given(st.integers(min_value=1, max_value=30), st.sampled_from(["first", "amid", "last"]))
def test_no_text_is_lost_that_only_one_post_has(length: int, place: str) -> None:
    def body(one: Post) -> str:
        return written(one, **{place: f'<div class="note">{prose(f"note {one.number}", length)}</div>'})

    wrapper = learn(
        Example(parse(page_of(body(one), one)), one.entry(content_html=body(one)), one.url) for one in POSTS
    )
    for one in OLD:
        expected = " ".join(parse(body(one)).text_content().split())
        assert words(extracted(wrapper, lambda one: page_of(body(one), one), one)) == expected
