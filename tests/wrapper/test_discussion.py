"""Readers' comments beside an article that has no container of its own, where the feed cannot tell them apart."""

from __future__ import annotations

import datetime as dt

import pytest

from blogcrawler.wrapper import learn
from tests.wrapper.pages import (
    OLD,
    POSTS,
    Post,
    Template,
    article,
    examples,
    extracted,
    layout,
    prose,
    summaries,
    words,
)

DAYS = [dt.timedelta(days=days, hours=days) for days in range(1, 9)]


def other(seed: str, count: int) -> str:
    """Text in words that no article has."""
    return " ".join(word[::-1] for word in prose(seed, count).split())


def said(one: Post) -> list[tuple[str, str, str]]:
    """Name, date and text of each comment; the posts have none to seven."""
    count = one.number % 8
    return [
        (f"Reader {number}", f"{one.published + later:%d %B %Y, %H:%M}", other(f"{one.number}/{number}", 40))
        for number, later in enumerate(DAYS[:count])
    ]


def definitions(one: Post) -> str:
    """A table of the last century: the article lies loose in a cell, then the comments as a list of definitions."""
    comments = "".join(f"<dt><b>{name}</b> <small>({day})</small></dt><dd>{text}</dd>" for name, day, text in said(one))
    heading = f"<hr><font>{len(said(one))} remarks</font><dl>{comments}</dl>" if comments else ""
    cell = f"<font>{one.title}</font><br><br>{one.body}{heading}"
    return layout(f"<table><tr><td>{one.author}<br>{one.published:%d %B %Y}</td><td>{cell}</td></tr></table>")


def blocks(one: Post) -> str:
    """The comments are blocks beside the paragraphs, and longer than these."""
    comments = "".join(f"<div><i>{name}, {day}</i><p>{text}</p><p>{text}</p></div>" for name, day, text in said(one))
    return layout(f"<div class=all><h1>{one.title}</h1>{one.body}<h3>What readers say</h3>{comments}</div>")


def nested(one: Post) -> str:
    """Answers stand within what they answer."""
    html = ""
    for name, day, text in reversed(said(one)):
        html = f"<ul><li>{name} <time>{day}</time><div>{text}</div>{html}</li><li>Me <time>{day}</time><div>{text}</div></li></ul>"
    return layout(f"<main><h1>{one.title}</h1><div>{one.body}</div>{html}</main>")


def striped(one: Post) -> str:
    """No post has more than two comments, whose classes alternate."""
    items = "".join(
        f'<li class="{("alt", "")[number % 2]}"><span>{name}</span><span>{day}</span><div><p>{text}</p></div></li>'
        for number, (name, day, text) in enumerate(said(one)[:2])
    )
    return layout(f'<div id=left><h1>{one.title}</h1>{one.body}<div id=talk><ol class="talk">{items}</ol></div></div>')


@pytest.mark.parametrize("template", [definitions, blocks, nested, striped])
def test_comments_are_no_part_of_the_article_where_the_feed_has_summaries(template: Template) -> None:
    wrapper = learn(summaries(template))
    assert wrapper.article.mode == "summary"
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


@pytest.mark.parametrize("template", [blocks, nested, striped])
def test_nor_where_it_has_all(template: Template) -> None:
    wrapper = learn(examples(template))
    for one in OLD:
        assert words(extracted(wrapper, template, one)) == article(one)


def diary(one: Post) -> str:
    """The article itself is made of dated entries."""
    entries = "".join(
        f"<div><b>{one.published + later:%d %B %Y}</b><p>{paragraph}</p></div>"
        for later, paragraph in zip(DAYS, one.paragraphs, strict=False)
    )
    return layout(f'<h1>{one.title}</h1><div class="entry">{entries}</div>')


def test_dates_in_an_article_make_no_discussion() -> None:
    wrapper = learn(summaries(diary))
    for one in OLD:
        found = words(extracted(wrapper, diary, one))
        assert all(paragraph in found for paragraph in one.paragraphs)


def repeated(one: Post) -> str:
    return f"{one.body}<p>As I said: {one.title}, and so on.</p>"


def remarks(one: Post) -> str:
    """The article tells its own title again, and the heading is nothing but a line in the same cell."""
    said_of_it = "".join(f"<p>{other(f'{one.number}/{number}', 30)}</p>" for number in range(1 + one.number % 5))
    cell = f"<font>{one.title}</font><br>{repeated(one)}<hr><font>Readers</font>{said_of_it}"
    return f"<body><table><tr><td><h6>A blog</h6></td></tr><tr><td>{cell}</td></tr></table>"


def test_a_title_that_the_article_repeats_is_still_no_part_of_it() -> None:
    pairs = [example for one in POSTS for example in examples(remarks, [one], content_html=repeated(one))]
    wrapper = learn(pairs)
    for one in OLD:
        assert words(extracted(wrapper, remarks, one)) == f"{article(one)} As I said: {one.title}, and so on."
