"""What a feed renders before and after its articles of what it tells of them besides: by whom, of what day, which tags.

Software that renders a post for its feed as for a page puts these into the content. They are known by what they say,
at the entry's beginning or end: the post's own author, date or tags, and around them what nearly all entries say there
too. Authors write dates, names and links there themselves: so a line must say both by whom and when, or stand in an
element such as no text of the articles, and a link is a tag only where it leads to a page of a tag on the blog's site.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from unicodedata import category
from urllib.parse import urljoin, urlsplit

from lxml import etree

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import fold
from blogcrawler.urls import same_site
from blogcrawler.wrapper.fields.tag_links import LISTS_OF_POSTS
from blogcrawler.wrapper.recurring import MEDIA, template_form

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
WORD = 8
"""Letters of a word in a script without capitals; each beyond them is counted as a word, as spaces may part none."""
LABEL = 60
"""Characters of words around them."""
NEARLY_ALL = 0.8
"""Share of the entries that have the same words around author and date."""
TITLES = frozenset(["h1", "h2", "h3", "h4", "h5", "h6", "dt"])
"""Elements that hold words above tags."""


def says_who_or_when(piece: str, names: Sequence[str], published: Moment | None, reader: DateReader) -> bool:
    """Does a folded piece of text hold a post's author or date, and little besides?"""
    if len(piece) > BYLINE:
        return False
    rest = _without(piece, names)
    return (rest != piece and _count_words(rest) <= BESIDE) or _says_when(rest, published, reader)


def _without(piece: str, names: Sequence[str]) -> str:
    for name in names:
        piece = piece.replace(name, " ")
    return piece


def _says_when(piece: str, published: Moment | None, reader: DateReader) -> bool:
    if published is None or not could_be_date(piece) or _count_words(piece) > DATED + BESIDE:
        return False
    return min((abs((moment.date - published.date).days) for moment in reader.moments(piece)), default=2) <= 1


def _count_words(text: str, *, alone: bool = True) -> int:
    """How many words a text has, about, in any script; numbers and marks that stand `alone` count or do not. O(n)."""
    return sum(_count_in(word) for word in text.split() if alone or any(map(str.isalpha, word)))


def _count_in(word: str) -> int:
    if len(word) <= WORD or word.isascii():
        return 1
    return 1 + max(0, sum(category(char) == "Lo" for char in word) - WORD)


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
    def link(self) -> HtmlElement | None:
        """The link that it is."""
        node = self.around
        while node.tag != "a" and node.tag not in BLOCKS and node.getparent() is not None:
            node = node.getparent()
        return node if node.tag == "a" else None

    def folder(self, url: str) -> str | None:
        """The address of its link without the last step; None for no link to another page in a folder of the site."""
        link = self.link
        return _folder(link.get("href") or "", url) if link is not None else None


@lru_cache(maxsize=1 << 10)
def _folder(href: str, url: str) -> str | None:
    if not href or "#" in href or "?" in href:
        return None
    try:
        target = urljoin(url, href)
        folder = target.rstrip("/").rpartition("/")[0]
        return folder if same_site(target, url) and urlsplit(folder).path.strip("/") else None
    except ValueError:
        return None


class _Line(NamedTuple):
    """The texts of one block at an end of an entry, in the order of the document, and what they tell."""

    pieces: Sequence[_Piece]
    has_tags: bool
    is_title: bool
    has_name: bool
    has_date: bool
    #: the words besides, with all numbers and dates alike
    words: str

    @property
    def form(self) -> str:
        """The form of its block."""
        block = self.pieces[0].block
        return " ".join([block.tag, *sorted((block.get("class") or "").split())])

    @property
    def byline(self) -> str:
        """The form with the words, to tell lines that say who or when apart."""
        return f"{self.form}|{self.words}"

    def is_label(self, labels: Collection[str]) -> bool:
        """Does it hold nothing but words above tags?"""
        block = self.pieces[0].block
        is_apart = block.tag in TITLES or bool(block.get("class"))
        return is_apart and all(piece.text in labels or not _is_said(piece.text) for piece in self.pieces)


@dataclass(frozen=True)
class _End:
    """What the imprints at one end of the entries have in common."""

    labels: frozenset[str] = frozenset()
    #: addresses of the tags' pages, without the last step
    folders: frozenset[str] = frozenset()
    #: lines that say by whom or when
    bylines: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Imprint:
    """What a feed's imprints have in common; None for an end without any."""

    first: _End | None = None
    last: _End | None = None

    def drop(self, entry: Entry, root: HtmlElement, reader: DateReader) -> None:
        """Drop the imprint from an entry's article, which is changed. O(n)."""
        for end, read in ((self.first, _forwards), (self.last, _backwards)):
            if end is not None:
                is_last = read is _backwards
                lines = _lines(_pieces(root, read), end, entry, reader, is_last=is_last)
                _drop(_imprint(lines, end, is_last=is_last), root)

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
    known = [entry for entry, _ in entries]
    end = _End(
        _frequent([{piece.text for piece in pieces if len(piece.text) <= LABEL} for pieces in ends], minimum),
        _folders_of_tags(ends, known, minimum),
    )
    is_last = read is _backwards
    lines = [_lines(pieces, end, entry, reader, is_last=is_last) for pieces, entry in zip(ends, known, strict=True)]
    end = replace(end, bylines=_bylines(lines))
    having = sum(bool(_imprint(found, end, is_last=is_last)) for found in lines)
    return end if having >= minimum else None


def _frequent(sets: Sequence[Collection[str]], minimum: float) -> frozenset[str]:
    counts = Counter(text for texts in sets for text in texts)
    return frozenset(text for text, count in counts.items() if count >= minimum)


def _folders_of_tags(ends: Sequence[Sequence[_Piece]], entries: Sequence[Entry], minimum: float) -> frozenset[str]:
    """Addresses that links of many entries lead below, with names most of which several entries have: tags' pages."""
    links: list[set[tuple[str, str]]] = []
    told: set[str] = set()
    for pieces, entry in zip(ends, entries, strict=True):
        tags, found = set(map(fold, entry.tags)), set()
        for piece in pieces:
            folder = piece.folder(entry.url)
            if folder:
                found.add((folder, piece.text))
                if piece.text in tags or _leads_to_tag(piece.link):
                    told.add(folder)
        links.append(found)
    folders = told & _frequent([{folder for folder, _ in found} for found in links], minimum)
    counts = Counter(link for found in links for link in found)
    return frozenset(folder for folder in folders if _recur([n for (at, _), n in counts.items() if at == folder]))


def _recur(uses: Sequence[int]) -> bool:
    return 2 * sum(count for count in uses if count > 1) >= sum(uses)


def _leads_to_tag(link: HtmlElement | None) -> bool:
    if link is None:
        return False
    return "tag" in (link.get("rel") or "").split() or any(form.search(link.get("href")) for form in LISTS_OF_POSTS)


def _bylines(ends: Sequence[Sequence[_Line]]) -> frozenset[str]:
    """The lines that say by whom and when on nearly all entries, or one of both in an element of their own."""
    own = {line.form for lines in ends for line in lines if not (line.has_name or line.has_date or line.is_title)}
    found = [
        {
            line.byline
            for line in lines
            if (line.has_name and line.has_date) or ((line.has_name or line.has_date) and line.form not in own)
        }
        for lines in ends
    ]
    return _frequent(found, max(LEAST, NEARLY_ALL * len(ends)))


def _lines(pieces: Sequence[_Piece], end: _End, entry: Entry, reader: DateReader, *, is_last: bool) -> list[_Line]:
    """The lines at an end, the outermost first."""
    names = [name for name in map(fold, entry.authors) if name]
    tags = set(map(fold, entry.tags))
    title = fold(entry.title or "")
    published = Moment.parse_iso(entry.published)
    lines = []
    for _, group in groupby(pieces, key=lambda piece: piece.block):
        found = list(group)
        said = [piece for piece in found if _is_said(piece.text)]
        is_tag = [
            (folder := piece.folder(entry.url)) is not None and (folder in end.folders or piece.text in tags)
            for piece in said
        ]
        rest = [piece.text for piece, told in zip(said, is_tag, strict=True) if not told and piece.text != title]
        text = " ".join(rest[::-1] if is_last else rest)
        without = _without(text, names) if len(text) <= BYLINE else text
        words = " ".join(template_form(without).split())
        is_short = len(text) <= BYLINE and _count_words(words, alone=False) <= BESIDE
        has_tags = any(is_tag) and all(piece in end.labels for piece in rest)
        has_date = is_short and _says_when(without, published, reader)
        has_name = is_short and without != text
        lines.append(_Line(found, has_tags, not rest, has_name, has_date, words))
    return lines


def _imprint(lines: Sequence[_Line], end: _End, *, is_last: bool) -> list[_Piece]:
    """The texts at an end, the outermost first, that are the imprint: up to the innermost author, date or tag.

    At the end the words before that belong to it too ("Tags:"). The text next to them stands in another block.
    """
    count = 0
    for number, line in enumerate(lines, start=1):
        is_label = line.is_label(end.labels)
        tells = line.has_tags or ((line.has_name or line.has_date) and line.byline in end.bylines)
        if tells or (is_last and is_label and 0 < count == number - 1):
            count = number
        elif not line.is_title and not is_label:
            break
    return [piece for line in lines[:count] for piece in line.pieces] if count < len(lines) else []


def _is_said(text: str) -> bool:
    return any(map(str.isalnum, text))


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
    if end is None:
        return None
    return {"labels": sorted(end.labels), "folders": sorted(end.folders), "bylines": sorted(end.bylines)}


def _end_from_dict(data: Mapping[str, Any] | None) -> _End | None:
    if data is None:
        return None
    return _End(frozenset(data["labels"]), frozenset(data["folders"]), frozenset(data.get("bylines", ())))
