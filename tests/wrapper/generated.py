"""Random trees and random blogs for property tests."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from hypothesis import strategies as st

from blogcrawler.items import Entry

WORDS = [
    "river",
    "stone",
    "lantern",
    "quiet",
    "market",
    "bicycle",
    "harbour",
    "winter",
    "bread",
    "letter",
    "garden",
    "été",
    "我的",
    "blog",
]
NAMES = ["post", "entry", "body", "title", "a b", "post entry", "meta", "p1", "post-12", "main x y"]
TAGS = ["div", "p", "span", "section", "h2", "ul", "li", "a", "article", "b", "em", "time"]
HOSTILE = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['it\'s "so"', "'", '"', "a\nb", "x" * 500, "]]>", "a]|//*", "\x00\x01", "a\u00a0b", "\u2003", "&amp;quot;", "é ü"]
)

sentences = st.lists(st.sampled_from(WORDS), min_size=0, max_size=9).map(" ".join)
attributes = st.fixed_dictionaries({}, optional={"id": st.sampled_from(NAMES), "class": st.sampled_from(NAMES)})


def markup(tag: str, attrs: dict[str, str], content: str) -> str:
    inside = "".join(f' {name}="{escape(value)}"' for name, value in attrs.items())
    return f"<{tag}{inside}>{content}</{tag}>"


def trees(
    attrs: st.SearchStrategy[dict[str, str]] = attributes,
    tags: list[str] = TAGS,
    texts: st.SearchStrategy[str] = sentences,
) -> st.SearchStrategy[str]:
    """Markup of small trees, text and comments between the elements included."""

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        content = st.lists(inner | texts.map(escape) | st.just("<!-- note -->"), max_size=4).map(" ".join)
        return st.builds(markup, st.sampled_from(tags), attrs, content)

    return st.recursive(texts.map(escape), grow, max_leaves=14)


pages = trees().map(lambda html: f"<!DOCTYPE html><title>a</title><body>{html}</body>")
hostile_attributes = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("id", "class", "itemprop", "property", "rel", "role"), HOSTILE)
)
hostile_pages = trees(hostile_attributes, [*TAGS, "o:p", "my-element", "svg", "x_y", "h:é"]).map(
    lambda html: f"<!DOCTYPE html><body>{html}</body>"
)


@st.composite
def blogs(draw: Callable[..., object]) -> list[tuple[str, Entry]]:
    """Pages of one random template with random posts in it, and what the feed says of them.

    Around the post stands the same random markup on all pages; some posts have an id of their own, or more markup than
    the others; the feed's article may be cut or have words that the page has not.
    """
    before, after = draw(trees()), draw(trees())
    names, inner = draw(attributes), draw(attributes)
    tag, shell = draw(st.sampled_from(["div", "article", "section"])), draw(st.booleans())
    made = []
    for number in range(draw(st.integers(1, 5))):
        title = draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" ".join))
        paragraphs = draw(
            st.lists(st.lists(st.sampled_from(WORDS), min_size=4, max_size=12).map(" ".join), min_size=1, max_size=3)
        )
        body = "".join(f"<p>{text}</p>" for text in paragraphs)
        own = {"id": f"post-{'abcdefgh'[number]}"} if draw(st.booleans()) else {}
        post = (
            markup("h1", inner, escape(title))
            + draw(st.sampled_from(["", "<p>by Ann</p>"]))
            + markup(tag, {**own, **names}, body)
        )
        post = markup("div", inner, post) if shell else post
        html = f"<!DOCTYPE html><title>{escape(title)} – a blog</title><body>{before}{post}{after}</body>"
        content = body + draw(st.sampled_from(["", "", "<p>read on</p>"]))
        made.append((html, Entry(f"http://blog.test/{number}/", title=title, content_html=content)))
    return made
