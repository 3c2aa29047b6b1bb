"""Edits a feed's XML tree so that feedparser returns what the feed contains.

feedparser flattens namespaces: it confuses dc:date with atom:updated, dc:creator with author, and a media file's title
with the post's. These conflicts are resolved here, in the tree. Texts and lists that feedparser processes in quadratic
time (e-mail addresses, tags) are limited here.
"""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from .texts import person_name

MAX_ENTRIES = 10_000
_MAX_ALIKE = 200
_MAX_VALUE = 2_000
_MEDIA = "search.yahoo.com/mrss"
_ITUNES = "itunes.com/dtds/podcast"
_TERMS = "http://purl.org/dc/terms/"
_DUBLIN_CORE = "http://purl.org/dc/elements/"
_PLAYED = frozenset(["audio", "video"])
_TEXTS = frozenset({
    "abstract", "body", "content", "description", "encoded", "fullitem", "rights", "subtitle", "summary", "tagline",
    "title",
})  # fmt: skip
_ENTRY = frozenset(["item", "entry"])
_TYPED = frozenset(["title", "summary", "content"])
DECLARED_TEXT = "text/x-declared-plain"
_ADDRESSES = frozenset(["link", "guid", "id", "origlink"])
_NO_HOST = re.compile(r"(?:(?<!\s)\s++)?+https?:///+", re.IGNORECASE)


def local_name(node: etree._Element) -> str:
    """Lower-case name of an element without namespace; "" for other nodes."""
    return node.tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(node.tag, str) else ""


def settle_quirks(root: etree._Element) -> None:
    """Change a feed's tree in place. O(n) in its elements."""
    is_atom = local_name(root) == "feed"
    containers = [root, *(node for node in root if local_name(node) == "channel")]
    entries = [node for node in root.iter(etree.Element) if local_name(node) in _ENTRY]
    for node in entries[MAX_ENTRIES:]:
        _remove(node)
    for container in [*containers, *entries[:MAX_ENTRIES]]:
        _bound_number(container)
        for child in list(container):
            if container not in containers:
                _settle_played(container, child)
            if _is_about_files(child) or (not is_atom and _is_about_others(child)):
                _remove(child)
            elif local_name(child) not in _ENTRY and child not in containers:
                _bound_text(child)
        _settle_links(container)
        if is_atom:
            _settle_types(container)
        else:
            _settle_authors(container)
            _settle_dates(container)


def _settle_types(container: etree._Element) -> None:
    """Mark texts that are declared as plain text, since feedparser also reports undeclared texts as plain text."""
    for node in container:
        if local_name(node) in _TYPED and (node.get("type") or "").strip().lower() in ("text", "text/plain"):
            node.set("type", DECLARED_TEXT)


def _is_about_files(node: etree._Element) -> bool:
    """True for elements of Media RSS and iTunes that describe an attached file: feedparser would use their titles
    and keywords for the post."""
    space = _space(node)
    return _MEDIA in space or (_ITUNES in space and local_name(node) != "author") or local_name(node) == "tags"


def _settle_played(entry: etree._Element, node: etree._Element) -> None:
    """Convert the audio and video files of Media RSS to enclosures.

    Its images may be portraits of authors, so they are skipped.
    """
    if _MEDIA not in _space(node):
        return
    contents = (
        media for media in node.iter(etree.Element) if local_name(media) == "content" and _MEDIA in _space(media)
    )
    for media in islice(contents, _MAX_ALIKE):
        kind = media.get("type") or ""
        if (media.get("medium") or kind.partition("/")[0]).lower() in _PLAYED and media.get("url"):
            attributes = {"url": media.get("url"), "type": kind, "length": media.get("fileSize")}
            etree.SubElement(entry, "enclosure", {name: value for name, value in attributes.items() if value})


def _is_about_others(node: etree._Element) -> bool:
    """True for RSS's image, search box and source: they have their own links and titles, which feedparser may
    confuse with the post's."""
    if local_name(node) not in ("image", "textinput", "source"):
        return False
    return not any(local_name(part) in _ENTRY for part in node.iter(etree.Element))


def _bound_number(container: etree._Element) -> None:
    count: dict[str, int] = {}
    for child in list(container):
        name = local_name(child)
        count[name] = count.get(name, 0) + 1
        if count[name] > _MAX_ALIKE and name not in _ENTRY:
            _remove(child)


def _bound_text(node: etree._Element) -> None:
    if local_name(node) in _TEXTS:
        return
    for part in node.iter(etree.Element):
        if part.text and len(part.text) > _MAX_VALUE:
            part.text = part.text[:_MAX_VALUE]
        if part.tail and len(part.tail) > _MAX_VALUE:
            part.tail = part.tail[:_MAX_VALUE]


def _settle_links(container: etree._Element) -> None:
    """Remove empty links, which would hide a permalink in the guid, and links such as `http:///x`, which have no
    host."""
    for node in list(container):
        name = local_name(node)
        if name in _ADDRESSES:
            for part in list(node):
                if local_name(part) not in _ENTRY:
                    _remove(part)
        if name == "link" and not (node.text or "").strip() and not node.get("href") and not len(node):
            _remove(node)
        elif name in _ADDRESSES:
            node.text = _NO_HOST.sub("/", node.text, count=1) if node.text else None
            if href := node.get("href"):
                node.set("href", _NO_HOST.sub("/", href, count=1))
        if name == "guid":
            for key in [key for key in node.attrib if str(key).lower() == "ispermalink"]:
                node.set(key, str(node.get(key)).strip().lower())


def _settle_authors(container: etree._Element) -> None:
    """Prefer dc:creator, which is a name, to author, which is an e-mail address of the same person."""

    def is_creator(node: etree._Element) -> bool:
        return local_name(node) == "creator" or (local_name(node) == "author" and _DUBLIN_CORE in _space(node))

    people = [node for node in container if local_name(node) in ("author", "creator")]
    for node in people:
        if not len(node):
            node.text = person_name(node.text or "")
    named = [
        node for node in people if etree.tostring(node, method="text", encoding="unicode", with_tail=False).strip()
    ]
    creators = [node for node in named if is_creator(node)]
    authors = [node for node in named if _ITUNES not in _space(node)]
    wanted = set(creators or authors or named)
    for node in people:
        if node not in wanted:
            _remove(node)


def _settle_dates(container: etree._Element) -> None:
    """Use dc:date and dcterms:issued as the publication date of RSS items; an existing publication date is kept."""
    names = {local_name(node) for node in container if (node.text or "").strip()}
    for node in list(container):
        if local_name(node) == "date" or (local_name(node) == "created" and _TERMS in _space(node)):
            if names & {"pubdate", "published"}:
                _remove(node)
            else:
                node.tag = "pubDate"
                names.add("pubdate")


def _space(node: etree._Element) -> str:
    return node.tag[1:].partition("}")[0].lower() if isinstance(node.tag, str) and node.tag.startswith("{") else ""


def _remove(node: etree._Element) -> None:
    parent = node.getparent()
    if parent is not None:
        node.tail = None
        parent.remove(node)
