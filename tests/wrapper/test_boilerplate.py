"""What recurs in the articles of a feed and of the pages is no part of any, but for what authors say again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.dom import inline_text, parse
from blogcrawler.wrapper import Example, Wrapper, learn, refine
from tests.wrapper.pages import OLD, POSTS, Post, article, extracted, layout, post, prose, words

CALL = "Thanks for reading the quiet blog! Subscribe for free to receive new notes by mail."
BOX = f'<div class="widget-wrap"><div><p>{CALL}</p></div><p class="button"><a href="/subscribe">Subscribe</a></p></div>'
FORM = f'<div class="widget"><p class="lead">{CALL}</p><form><input type="email"><button>Join</button></form></div>'

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
        {"last": f"<p class='call'>{CALL}</p>"},
        {"first": f"<p>{CALL} <a href='/subscribe'>Now</a></p>"},
        {"last": f"<p>{CALL}</p><p><a href='/subscribe'>Now</a></p>"},
        {"last": f"<h3>Subscribe</h3><p>{CALL}</p><p><a href='/subscribe'>Now</a></p>"},
        {"amid": BOX},
        {"amid": BOX, "last": "<div id='foot'><p>Share this note with whom you like, and so do they.</p></div>"},
        {"amid": FORM, "last": FORM},
        {"amid": f"<p>{CALL} <a href='/s'>Now</a></p>", "last": f"<p>{CALL} <a href='/s'>Now</a></p>"},
        {"last": "<p class='call'>本ブログをお読みいただきありがとうございます。購読はこちら。</p>"},
    ],
)
def test_boilerplate_of_feed_and_pages_is_no_article(more: dict[str, str]) -> None:
    wrapper = taught(more)
    for one in OLD:
        assert read(wrapper, one, **more) == article(one)


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
    assert not wrapper.boilerplate
    for one in OLD:
        shown = parse(written(one, **more)).text_content()
        assert "".join(read(wrapper, one, **more).replace("|", "").split()) == "".join(shown.split())


def test_a_few_entries_tell_nothing() -> None:
    assert taught({"last": f"<p class='call'>{CALL}</p>"}, posts=POSTS[:3]).boilerplate == frozenset()


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


def test_a_plain_sentence_above_a_box_is_the_article_s() -> None:
    sentence = "Leave to cool in the tin for ten minutes, then turn out and serve."
    wrapper = taught({"last": f"<p>{sentence}</p>{BOX}"})
    one = OLD[0]
    told = wrapper.entry_article(one.entry(content_html=written(one, last=f"<p>{sentence}</p>{BOX}")))
    assert " ".join(inline_text(told).split()) == f"{article(one)} {sentence}"


def test_plain_boilerplate_is_no_article_wherever_it_stands() -> None:
    """Training pages have it as the second paragraph and the last one."""
    call = f"<p>{CALL} <a href='/s'>Now</a></p>"
    wrapper = taught({"amid": call, "last": call})
    for one in OLD:
        body = f"<ul><li>Bread</li><li>Honey</li></ul>{call}{one.body}{call}"
        found = words(extracted(wrapper, lambda one, body=body: page_of(body, one), one))
        assert found == f"- Bread - Honey {article(one)}"


def test_pictures_in_what_recurs_stay() -> None:
    assert taught({"last": f'<p class="call"><img src="/a.png">{CALL}</p>'}).boilerplate == frozenset()


def test_the_feed_s_article_is_read_without_it() -> None:
    wrapper = Wrapper.from_dict(json.loads(json.dumps(taught({"amid": BOX}).to_dict())))
    one = OLD[0]
    assert " ".join(inline_text(wrapper.entry_article(one.entry(content_html=written(one, amid=BOX)))).split()) == (
        article(one)
    )
    assert inline_text(wrapper.entry_article(one.entry(content_html=f"<p>{CALL}</p>"))) == CALL


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
