"""Comments that tell no day, or none with a year: what a feed tells of them shows where they stand."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Comment
from blogcrawler.serialise import dump, load
from blogcrawler.wrapper.comments import CommentRules, learn_comments
from tests.wrapper.comments.made import Said, example, page, thread, url, wrapper

Write = Callable[[Sequence[Said]], str]
COUNTS = (3, 0, 7, 1, 4, 2)


def items(said: Sequence[Said]) -> str:
    return "<ul>" + "".join(f"<li><b>{escape(one.author)}</b> <p>{one.text}</p></li>" for one in said) + "</ul>"


def nameless(said: Sequence[Said]) -> str:
    """No class tells anything."""
    return "<div id='talk-list'>" + "".join(
        f"<div><div><b>{escape(one.author)}</b> says:</div><div>{one.text}</div></div>" for one in said
    )


def definitions(said: Sequence[Said]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(one.author)}</dt><dd>{one.text}</dd>" for one in said) + "</dl>"


def headed(said: Sequence[Said]) -> str:
    parts = "".join(f"<h4>{escape(one.author)}</h4><p>{one.text}</p>" for one in said)
    return f"<div class='talk'>{parts}</div>"


def wrapped(said: Sequence[Said]) -> str:
    return "".join(
        f"<div class='w'><article><header><span>{escape(one.author)}</span></header><div class='t'><p>{one.text}</p></div>"
        "<footer><a href='#form'>Reply</a></footer></article></div>"
        for one in said
    )


def without_year(said: Sequence[Said]) -> str:
    return "<ul>" + "".join(
        f"<li class='c' id='c{one.number}'><b>{escape(one.author)}</b> <i>{one.published.day} {one.published:%B, %H:%M}</i>"
        f"<p>{one.text}</p></li>"
        for one in said
    )


def answers(said: Sequence[Said]) -> str:
    """Answers stand within what they answer."""
    parts = ["<ol class='talk'>"]
    for index, one in enumerate(said):
        following = said[index + 1].level if index + 1 < len(said) else 0
        parts.append(f"<li class='c' id='c{one.number}'><b>{escape(one.author)}</b> <p>{one.text}</p>")
        parts.append("<ul class='kids'>" if following > one.level else "</li>" + "</ul></li>" * (one.level - following))
    return "".join([*parts, "</ol>"])


def learned(write: Write, newest: int) -> CommentRules | None:
    """From pages, and feeds that hold so many comments each."""
    made = []
    for post, count in enumerate(COUNTS, 1):
        said = thread(post, count)
        told = tuple(Comment(author=one.author, content_text=one.text) for one in said[-newest:])
        made.append(example(post, write(said) if said else "", told))
    return learn_comments(made, wrapper())


@pytest.mark.parametrize("newest", [10, 2])
@pytest.mark.parametrize("write", [items, nameless, definitions, headed, wrapped, without_year, answers])
def test_feeds_tell_where_comments_stand(write: Write, newest: int) -> None:
    found = learned(write, newest)
    assert found is not None
    found = load(CommentRules, json.loads(json.dumps(dump(found))))
    said = thread(60, 9)
    read = found.extract(parse(page(60, write(said))), url(60))
    assert [(one.author, one.content_text, one.published) for one in read] == [
        (one.author, one.text, None) for one in said
    ]
    assert found.extract(parse(page(61, "")), url(61)) == []


def test_a_list_of_the_newest_comments_of_all_posts_is_no_posts() -> None:
    def beside(post: int) -> str:
        return items(thread(7, 5)) + f"<p>{post}</p>"

    told = tuple(Comment(author=one.author, content_text=one.text) for one in thread(7, 5))
    made = [example(post, beside(post), told if post == 7 else ()) for post in range(4, 10)]
    assert learn_comments(made, wrapper()) is None


def test_an_article_that_comments_quote_is_none() -> None:
    def quoting(post: int) -> tuple[Comment, ...]:
        paragraphs = parse(page(post, "")).xpath("//div[@class='entry']/p")
        return tuple(Comment(author="Ann", content_text=paragraph.text) for paragraph in paragraphs)

    made = [example(post, "", quoting(post)) for post in range(1, 7)]
    assert learn_comments(made, wrapper()) is None
