"""What a feed renders before and after its articles of what it tells of them besides: by whom, of what day, which tags.

Software that renders a post for its feed as for a page puts these into the content. They are known by what they say,
at the entry's beginning or end: the post's own author, date or tags, and around them what other entries say there too.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from lxml import etree

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import fold
from blogcrawler.wrapper.recurring import MEDIA

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Entry
    from blogcrawler.wrapper.training import DateReader

    _Reading = Callable[[HtmlElement], Iterator[tuple[HtmlElement, bool, str | None]]]

__all__ = ["Imprint", "learn_imprint", "says_who_or_when"]

LEAST, SHARE = 4, 0.5
"""Number and share of the entries that have an imprint at the same end."""
PIECES = 16
"""Texts at an entry's end that are looked at."""
BYLINE = 80
"""Characters of a text that says when and by whom a post was written."""
DATED = 5
"""Words of a date: with weekday and time."""
BESIDE = 4
"""Words of a byline besides names and date."""
LABEL = 60
"""Characters of words around them."""


def says_who_or_when(piece: str, names: Sequence[str], published: Moment | None, reader: DateReader) -> bool:
    """Does a folded piece of text hold a post's author or date, and little besides?"""
    if len(piece) > BYLINE:
        return False
    rest = piece
    for name in names:
        rest = rest.replace(name, " ")
    if rest != piece and len(rest.split()) <= BESIDE:
        return True
    if published is None or not could_be_date(rest) or len(rest.split()) > DATED + BESIDE:
        return False
    return min((abs((moment.date - published.date).days) for moment in reader.moments(rest)), default=2) <= 1


class _Piece(NamedTuple):
    """A text at an end of an entry, folded."""

    text: str
    holder: HtmlElement
    #: does it stand behind the holder, and not in it?
    is_tail: bool

    @property
    def around(self) -> HtmlElement:
        """The element that it stands in."""
        return self.holder.getparent() if self.is_tail else self.holder

    @property
    def block(self) -> HtmlElement:
        """The block that it stands in."""
        node = self.around
        while node.tag not in BLOCKS and node.getparent() is not None:
            node = node.getparent()
        return node

    @property
    def folder(self) -> str | None:
        """The address of the link that it is, without the last step; None where it is no link to another page."""
        node = self.around
        while node.tag != "a" and node.tag not in BLOCKS and node.getparent() is not None:
            node = node.getparent()
        folder = (node.get("href") or "").rstrip("/").rpartition("/")[0] if node.tag == "a" else ""
        return folder if "#" not in folder and "?" not in folder else None


@dataclass(frozen=True)
class _End:
    """What the imprints at one end of the entries have in common."""

    labels: frozenset[str] = frozenset()
    #: addresses of the tags' pages, without the last step
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Imprint:
    """What a feed's imprints have in common; None for an end without any."""

    first: _End | None = None
    last: _End | None = None

    def drop(self, entry: Entry, root: HtmlElement, reader: DateReader) -> None:
        """Drop the imprint from an entry's article, which is changed. O(n)."""
        for end, read in ((self.first, _forwards), (self.last, _backwards)):
            if end is not None:
                _drop(_imprint(_pieces(root, read), end, entry, reader, is_last=read is _backwards), root)

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        return {name: _end_to_dict(end) for name, end in (("first", self.first), ("last", self.last))}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object of `to_dict`."""
        return cls(_end_from_dict(data["first"]), _end_from_dict(data["last"]))


def learn_imprint(entries: Sequence[tuple[Entry, HtmlElement]], reader: DateReader) -> Imprint:
    """The imprints of entries, of each with its article. O(n) in the entries."""
    if len(entries) < LEAST:
        return Imprint()
    return Imprint(*(_learn_end(entries, reader, read) for read in (_forwards, _backwards)))


def _learn_end(entries: Sequence[tuple[Entry, HtmlElement]], reader: DateReader, read: _Reading) -> _End | None:
    minimum = max(LEAST, SHARE * len(entries))
    ends = [_pieces(root, read) for _, root in entries]
    end = _End(
        _frequent([{piece.text for piece in pieces if len(piece.text) <= LABEL} for pieces in ends], minimum),
        _folders_of_tags(ends, minimum),
    )
    having = sum(
        bool(_imprint(pieces, end, entry, reader, is_last=read is _backwards))
        for pieces, (entry, _) in zip(ends, entries, strict=True)
    )
    return end if having >= minimum else None


def _frequent(sets: Sequence[Collection[str]], minimum: float) -> frozenset[str]:
    counts = Counter(text for texts in sets for text in texts)
    return frozenset(text for text, count in counts.items() if count >= minimum)


def _folders_of_tags(ends: Sequence[Sequence[_Piece]], minimum: float) -> frozenset[str]:
    """Addresses that links of many entries lead below, with names most of which several entries have."""
    links = [{(folder, piece.text) for piece in pieces if (folder := piece.folder)} for pieces in ends]
    folders = _frequent([{folder for folder, _ in found} for found in links], minimum)
    counts = Counter(link for found in links for link in found)
    found = set()
    for folder in folders:
        uses = [count for (where, _), count in counts.items() if where == folder]
        if 2 * sum(count for count in uses if count > 1) >= sum(uses):
            found.add(folder)
    return frozenset(found)


def _imprint(
    pieces: Sequence[_Piece], end: _End, entry: Entry, reader: DateReader, *, is_last: bool
) -> Sequence[_Piece]:
    """The texts at an end, the outermost first, that are the imprint: up to the innermost author, date or tag.

    At the end the words before that belong to it too ("Tags:"). The text next to them stands in another block.
    """
    names = [name for name in map(fold, entry.authors) if name]
    tags = set(map(fold, entry.tags))
    title = fold(entry.title or "")
    published = Moment.parse_iso(entry.published) if entry.published else None
    count = 0
    for number, piece in enumerate(pieces, start=1):
        is_label = piece.text in end.labels
        tells = piece.text in tags or piece.folder in end.folders
        tells = tells or says_who_or_when(piece.text, names, published, reader)
        if tells or (is_last and is_label and 0 < count == number - 1):
            count = number
        elif piece.text != title and not is_label and any(map(str.isalnum, piece.text)):
            break
    is_apart = 0 < count < len(pieces) and pieces[count].block is not pieces[count - 1].block
    return pieces[:count] if is_apart else ()


def _pieces(root: HtmlElement, read: _Reading) -> list[_Piece]:
    texts = ((fold(text), holder, is_tail) for holder, is_tail, text in read(root) if text and not text.isspace())
    return [_Piece(*found) for found in islice(texts, PIECES)]


def _forwards(root: HtmlElement) -> Iterator[tuple[HtmlElement, bool, str | None]]:
    for event, node in etree.iterwalk(root, events=("start", "end", "comment")):
        if event == "start":
            yield node, False, node.text
        elif node is not root:
            yield node, True, node.tail


def _backwards(root: HtmlElement) -> Iterator[tuple[HtmlElement, bool, str | None]]:
    stack = [(root, root.iterchildren(reversed=True))]
    while stack:
        node, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            yield node, False, node.text
            continue
        yield child, True, child.tail
        if isinstance(child.tag, str):
            stack.append((child, child.iterchildren(reversed=True)))


def _drop(pieces: Sequence[_Piece], root: HtmlElement) -> None:
    """Drop texts, and elements in which nothing is left."""
    for piece in pieces:
        if piece.is_tail:
            piece.holder.tail = None
        else:
            piece.holder.text = None
    for node in [piece.around for piece in pieces]:
        empty: HtmlElement | None = node
        while empty is not None and empty is not root and not _holds_anything(empty):
            above = empty.getparent()
            if above is not None:
                empty.drop_tree()
            empty = above


def _holds_anything(node: HtmlElement) -> bool:
    return next(node.iter(*MEDIA), None) is not None or any(text.strip() for text in node.itertext())


def _end_to_dict(end: _End | None) -> dict[str, Any] | None:
    return None if end is None else {"labels": sorted(end.labels), "folders": sorted(end.folders)}


def _end_from_dict(data: Mapping[str, Any] | None) -> _End | None:
    return None if data is None else _End(frozenset(data["labels"]), frozenset(data["folders"]))
