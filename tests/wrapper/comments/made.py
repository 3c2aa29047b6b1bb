"""Blogs with comments for the tests: posts with made-up text, and comments in the forms of many templates."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape

from blogcrawler.dom import parse
from blogcrawler.items import Comment, Entry
from blogcrawler.wrapper import Example, Wrapper, learn
from blogcrawler.wrapper.comments import CommentExample, CommentRules, learn_comments
from tests.wrapper.pages import WORDS

FIRST = dt.datetime(2014, 3, 1, 12, 30)  # noqa: DTZ001 (pages tell no zone)
NAMES = ["Ann Archer", "bob", "Çelik", "田中", "Dr. Eve Stone", "faye99", "Gus", "Hanna L."]


@dataclass(frozen=True)
class Said:
    """A comment as it was made."""

    number: int
    author: str
    published: dt.datetime
    text: str
    parent: int | None = None
    level: int = 0


def sentence(source: random.Random, words: int = 12) -> str:
    return " ".join(source.choice(WORDS) for _ in range(words)).capitalize() + "."


def thread(post: int, count: int, *, threaded: bool = True) -> list[Said]:
    """The comments of a post, in the order of a thread."""
    source, said = random.Random(f"{post} {count}"), list[Said]()
    for number in range(count):
        answered = said[-1] if threaded and said and said[-1].level < 4 and source.random() < 0.4 else None
        published = FIRST + dt.timedelta(days=10 * post, hours=5 + 3 * number)
        level = answered.level + 1 if answered else 0
        text = sentence(source, source.randint(6, 40))
        identity = 1000 * post + number + 1
        said.append(Said(identity, source.choice(NAMES), published, text, answered.number if answered else None, level))
    return said


def _shown(day: dt.datetime) -> str:
    return f"{day:%B} {day.day}, {day.year} at {day:%H:%M}"


def nested(said: Sequence[Said]) -> str:
    """Lists within lists."""
    parts, open_levels = ["<ol class='talk'>"], 0
    for index, one in enumerate(said):
        parts.append(
            f"<li class='remark' id='comment-{one.number}'><div class='meta'><cite>{escape(one.author)}</cite> "
            f"<a href='#comment-{one.number}'>{_shown(one.published)}</a></div><div class='body'><p>{one.text}</p></div>"
            "<div class='answer'><a href='#form'>Reply</a></div>"
        )
        following = said[index + 1].level if index + 1 < len(said) else 0
        if following > one.level:
            parts.append("<ul class='answers'>")
            open_levels += 1
        else:
            parts.append("</li>" + "</ul></li>" * (one.level - following))
    return "".join([*parts, "</ol>"])


def flat(said: Sequence[Said]) -> str:
    """One level without a class that tells anything, indented by style, date and author behind the text."""
    return "".join(
        f"<div class='q' id='n{one.number}' style='margin-left:{20 * one.level}px'><div><p>{one.text}</p></div>"
        f"<div><span>{escape(one.author)}</span>, {_shown(one.published)} &middot; <a href='#form'>Reply</a></div></div>"
        for one in said
    )


def definitions(said: Sequence[Said]) -> str:
    """`dt` and `dd`: a comment is a run of siblings."""
    return (
        "<dl>"
        + "".join(
            f"<dt><a name='c{one.number}'></a><b>{escape(one.author)}</b> <small>{_shown(one.published)}</small></dt>"
            f"<dd><p>{one.text}</p></dd>"
            for one in said
        )
        + "</dl>"
    )


def table(said: Sequence[Said]) -> str:
    """Rows of a table."""
    return (
        "<table class='guests'>"
        + "".join(
            f"<tr id='row{one.number}'><td><b>{escape(one.author)}</b><br><i>{_shown(one.published)}</i></td>"
            f"<td><div>{one.text}</div></td></tr>"
            for one in said
        )
        + "</table>"
    )


def system(said: Sequence[Said]) -> str:
    """As comments of a system that was asked for them are put at a page's end."""
    return (
        "<section class='comments' data-comment-system='made'>"
        + "".join(
            f"<article class='comment' id='m-{one.number}'"
            + (f" data-parent='m-{one.parent}'" if one.parent else "")
            + f"><cite>{escape(one.author)}</cite> <time datetime='{one.published:%Y-%m-%dT%H:%M:%SZ}'>"
            f"{one.published:%Y-%m-%dT%H:%M:%SZ}</time><div class='text'><p>{one.text}</p></div></article>"
            for one in said
        )
        + "</section>"
    )


SHAPES: dict[str, Callable[[Sequence[Said]], str]] = {
    "nested": nested,
    "flat": flat,
    "definitions": definitions,
    "table": table,
    "system": system,
}
THREADED = ("nested", "flat", "system")


def url(post: int) -> str:
    return f"http://blog.test/{post}/"


def page(post: int, comments: str) -> str:
    """A post's page: article, comments, form, side bar with lists that recur."""
    source = random.Random(post)
    day = FIRST + dt.timedelta(days=10 * post)
    paragraphs = "".join(f"<p>{sentence(source, 40)}</p>" for _ in range(3))
    recent = "".join(f"<li><a href='/{n}/'>Post {n}</a> <i>March {n + 1}, 2015</i></li>" for n in range(5))
    said = "".join(f"<li>{name} on <a href='/{n}/'>Post {n}</a>, March 9, 2015</li>" for n, name in enumerate(NAMES))
    return (
        f"<html><head><title>Post {post}</title></head><body><h1>Notes</h1><div id='main'><h2>Post {post}</h2>"
        f"<p class='by'>{_shown(day)}</p><div class='entry'>{paragraphs}</div><div id='talk'>{comments}</div>"
        "<form id='form'><label>Name <input></label><textarea></textarea></form></div>"
        f"<div id='side'><ul class='recent'>{recent}</ul><ul class='said'>{said}</ul></div></body></html>"
    )


@cache
def wrapper() -> Wrapper:
    """What the feed of such a blog teaches."""
    examples = []
    for post in range(1, 7):
        tree = parse(page(post, ""))
        day = FIRST + dt.timedelta(days=10 * post)
        article = tree.xpath("//div[@class='entry']")[0]
        content = "".join(f"<p>{paragraph.text}</p>" for paragraph in article)
        entry = Entry(url(post), title=f"Post {post}", published=day.isoformat(), content_html=content)
        examples.append(Example(tree, entry, url(post)))
    return learn(examples)


def example(post: int, markup: str, told: tuple[Comment, ...] | None = None) -> CommentExample:
    day = FIRST + dt.timedelta(days=10 * post)
    return CommentExample(parse(page(post, markup)), url(post), day.isoformat(), told)


def rules(shape: Callable[[Sequence[Said]], str], counts: Sequence[int]) -> CommentRules | None:
    """What is learned from posts with so many comments each."""
    made = [example(post, shape(thread(post, count)) if count else "") for post, count in enumerate(counts, 1)]
    return learn_comments(made, wrapper())
