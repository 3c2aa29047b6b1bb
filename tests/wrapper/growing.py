"""Training pages that grow: in the article, in what stands around it, in their number, or in nodes alone."""

from __future__ import annotations

from collections.abc import Callable

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example
from tests.wrapper.pages import POSTS, classic, layout, post, prose

Examples = Callable[[int], list[Example]]
"""Examples of a size, in no unit."""

WORDS = 16384
"""In pages whose text does not grow."""


def post_pages(body: Callable[[int], str], around: Callable[[int], str] = lambda _: "") -> Examples:
    """Three posts, and what grows in them: the article or what stands around it."""

    def examples(size: int) -> list[Example]:
        found = []
        for one in POSTS[:3]:
            content = body(size)
            html = layout(f"<h1>{one.title}</h1><div class=e>{content}</div>{around(size)}")
            found.append(Example(parse(html), one.entry(content_html=content), one.url))
        return found

    return examples


def feed(size: int) -> list[Example]:
    """So many posts of a blog."""
    return [Example(parse(classic(one)), one.entry(), one.url) for one in map(post, range(size))]


def paragraphs(count: int) -> str:
    return "".join(f"<p>{prose(number, 25)}</p>" for number in range(count))


def lines(count: int) -> str:
    return "<br>".join(prose(number, 25) for number in range(count))


def comments(count: int) -> str:
    return "".join(
        f'<div class="c"><b>Bob</b> <i>2 May 2014</i><p>{prose(number, 20)}</p></div>' for number in range(count)
    )


def links(count: int) -> str:
    return "".join(
        f'<li><a href="/{number}">{POSTS[0].title}</a> {POSTS[0].author}, 1 January 2013</li>'
        for number in range(count)
    )


def spans(count: int) -> str:
    """The same text in so many elements, up to `WORDS`."""
    words = prose("spans", WORDS).split()
    step = -(-WORDS // count)
    pieces = (" ".join(words[start : start + step]) for start in range(0, WORDS, step))
    return f"<p>{' '.join(f'<span>{piece}</span>' for piece in pieces)}</p>"
