"""Converts a feed entry to a comment: author, date, URL and kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from blogcrawler.dom import ends_cut, fragment, inline_text, is_excerpt, readable_text, sanitise, without_comment_page
from blogcrawler.errors import UNREADABLE, BadArgument
from blogcrawler.items import Comment
from blogcrawler.urls import canonicalise, is_http

from .addresses import conventions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Entry

_MAX_ANCHOR = 200
_MAX_CONTENT = 1_000_000
#: maximum number of characters around the name of the answered person
_MAX_AROUND = 40
#: texts that blog software writes before a trackback
_TITLED = re.compile(r"<strong>[^<>]{1,500}</strong>")


@dataclass(frozen=True)
class FeedComment:
    """An entry of a comment feed; `threads.thread` finds the parent of its `comment` among the other entries."""

    comment: Comment
    #: guid and URLs by which other entries may refer to it
    names: tuple[str, ...] = ()
    #: the post or comment that it answers, as stated (RFC 4685)
    answers: tuple[str, ...] = ()
    #: the post to which it belongs, as far as its links show
    post: str | None = None
    #: content as plain text
    title: str | None = None


@dataclass(frozen=True)
class Item:
    """A feed entry with the additional values of comment feeds."""

    entry: Entry
    #: names with their URLs
    people: Sequence[tuple[str, str | None]] = ()
    #: permalink; None if there is none
    url: str | None = None
    #: ids or URLs of the post or comment that it answers
    answers: tuple[str, ...] = ()
    #: its own URLs besides the permalink
    own: tuple[str, ...] = ()


def comment_of(item: Item) -> FeedComment:
    """Convert an entry to a comment. O(n) in its content."""
    entry = item.entry
    html, text, answered = _content(entry, item.url or "")
    name, address = next(((name, url) for name, url in item.people if name), ("", None))
    guid_anchor = anchor_of(entry.guid) if entry.guid and "#" in entry.guid else None
    url = permalink(item.url) if item.url else None
    comment = Comment(
        id=anchor_of(item.url) or guid_anchor or entry.guid or url,
        kind="pingback" if _is_pingback(text, html) else "comment",
        author=name or None,
        author_url=address,
        published=entry.published,
        url=url,
        content_html=html or None,
        content_text=text or None,
    )
    names = dict.fromkeys(name for name in (entry.guid, item.url, *item.own) if name)
    answers = (*item.answers, answered) if answered else item.answers
    return FeedComment(comment, tuple(names), answers, _post(item), entry.title)


def anchor_of(url: str | None) -> str | None:
    """A fragment that identifies a single comment: "comment-12", but not "comments"."""
    anchor = unquote((url or "").partition("#")[2])[: _MAX_ANCHOR + 1]
    return anchor if len(anchor) <= _MAX_ANCHOR and any(sign.isdigit() for sign in anchor) else None


def permalink(url: str) -> str | None:
    """A comment's canonical URL with its fragment; None for anything but web URLs."""
    address, _, anchor = url.partition("#")
    try:
        canonical = canonicalise(address)
    except BadArgument:
        return None
    return f"{canonical}#{anchor}" if anchor else canonical


def post_of(url: str) -> str | None:
    """The URL of the post of a comment: without comment page and fragment."""
    canonical = permalink(url.partition("#")[0])
    if canonical is None:
        return None
    parts, known = urlsplit(without_comment_page(canonical)), conventions().comment_parameters
    parameters = [pair for pair in parts.query.split("&") if pair and pair.partition("=")[0] not in known]
    return parts._replace(query="&".join(parameters)).geturl()


def _post(item: Item) -> str | None:
    """The post that the entry answers, or the one in its permalink."""
    for answer in item.answers:
        if answer.startswith(("http://", "https://")) and anchor_of(answer) is None and not _is_feed(answer):
            return post_of(answer)
    return post_of(item.url) if item.url else None


def _is_feed(url: str) -> bool:
    path = urlsplit(url).path
    return any(f"/{word}/" in f"{path}/" for word in conventions().feed_folders)


def _content(entry: Entry, base: str) -> tuple[str, str, str | None]:
    """Sanitised HTML, plain text, and the URL of the comment that the first paragraph refers to as answered."""
    if not entry.content_html:
        return "", "", None
    try:
        tree = fragment(entry.content_html[:_MAX_CONTENT])
    except UNREADABLE:
        return "", "", None
    answered = _answered(tree, base)
    if answered is not None:
        tree.remove(tree[0])
    return sanitise(tree, base).strip(), readable_text(tree), answered


def _answered(tree: HtmlElement, base: str) -> str | None:
    """The link in "In reply to Bob.", which software puts before the text, in any language.

    This is a first paragraph that contains little more than a link to a comment on the same post, and is followed by
    another paragraph.
    """
    first = tree[0] if len(tree) > 1 and not (tree.text or "").strip() else None
    links = list(first.iter("a"))[:2] if first is not None and first.tag == "p" else []
    if first is None or len(links) != 1 or (first.tail or "").strip():
        return None
    url = str(links[0].get("href", ""))
    around = len(inline_text(first)) - len(inline_text(links[0]))
    is_on_post = anchor_of(url) is not None and is_http(url) and post_of(url) == post_of(base)
    return url if is_on_post and around <= _MAX_AROUND else None


def _is_pingback(text: str, html: str) -> bool:
    """True for an excerpt of a page that links to the post, in the form that blog software gives to pingbacks."""
    return is_excerpt(text) or (ends_cut(text) and _TITLED.search(html[:600]) is not None)
