"""Bounds that a page is held against before it is parsed, so that no page costs more than about a second.

Both parsers are quadratic in the attributes of one tag (every new name is compared with all before it), and lexbor in
the depth of the tree (it walks the open elements at every tag) and in unclosed formatting elements (each is opened
again in every later block). All bounds here are upper bounds got without parsing: what passes is safe, whatever the
markup.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.errors import PageTooComplex

if TYPE_CHECKING:
    from collections.abc import Iterator

#: A page larger than this is refused.
MAX_BYTES = 32 * 1024 * 1024
#: A page with more tags, start and end together, is refused.
MAX_TAGS = 500_000
#: Comparisons of attribute names in a whole page, at some nanoseconds each: those of a tag with 15,800.
_MAX_COMPARISONS = 250_000_000

#: Up to here nesting costs lexbor half a second at worst, up to the product below end tags that match nothing do.
_HTML5_START_TAGS = 20_000
_HTML5_WALKS = 300_000_000
#: Elements that unclosed formatting may multiply to.
_HTML5_REOPENED = 500_000


_TAG_START = re.compile(rb"<[a-zA-Z]")
_OPEN_QUOTE_AT_END = re.compile(rb"""=\s*+(?:"[^">]*+|'[^'>]*+)>""")
_TAG_EVENT = re.compile(rb"""<(?=[a-zA-Z])|=\s*+["']|["'>]""")
_ATTRIBUTE_NAME_AT_END = re.compile(rb"""(?:\A|[^\s=])\s++[^\s/>"'=]++\Z""")

#: (Most tags are passed over for their first letter.)
_FORMATTING = re.compile(
    rb"<(?=[bcefinstu])(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^>]*+>?", re.IGNORECASE
)
_PLAIN_TAG = re.compile(rb"""<\w+(?:\s+[\w:-]+(?:=(?:"[^"<>]*"|'[^'<>]*'|[\w#.-]+))?)*+\s*>""")
_ROOT_TAG = re.compile(rb"<(?:html|body)(?=[\s/>])[^>]*+>?", re.IGNORECASE)
_FEW_ROOTS = 8
#: Noah's Ark clause of the HTML Standard: of equal formatting elements, so many are reopened.
_EQUAL_REOPENED = 3


def check(page: bytes) -> None:
    """Raise `PageTooComplex` when `page`, HTML in UTF-8, is past the bounds on bytes, tags or attributes. O(n)."""
    if len(page) > MAX_BYTES:
        raise PageTooComplex(f"The page has {len(page):,} bytes, more than the {MAX_BYTES:,} that are read.")
    tags = page.count(b"<")
    if tags > MAX_TAGS:
        raise PageTooComplex(f"The page has {tags:,} tags, more than the {MAX_TAGS:,} that are read.")
    if _may_compare_too_much(page) and _comparisons(page) > _MAX_COMPARISONS:
        raise PageTooComplex("The page has tags with so many attributes that it cannot be read in bounded time.")


def is_safe_for_html5(page: bytes) -> bool:
    """True if lexbor can parse `page` in bounded time and space: not for huge pages and hostile ones. O(n)."""
    tags = page.count(b"<")
    if tags * tags <= 2 * _HTML5_REOPENED:
        return _has_sane_roots(page)
    ends = page.count(b"</")
    starts = tags - ends
    if starts > _HTML5_START_TAGS or starts * ends > _HTML5_WALKS:
        return False
    if not _has_sane_roots(page):
        return False
    if starts * tags <= 2 * _HTML5_REOPENED:
        return True
    return _reopened_at_once(page) * tags <= _HTML5_REOPENED


def _has_sane_roots(page: bytes) -> bool:
    """True if there are so few `html` and `body` tags that giving all attributes to the first costs little."""
    return len(_ROOT_TAG.findall(page)) <= _FEW_ROOTS


def _reopened_at_once(page: bytes) -> int:
    """An upper bound of the formatting elements that one block may open again."""
    counts = Counter(_FORMATTING.findall(page))
    return sum(min(count, _EQUAL_REOPENED) if _PLAIN_TAG.fullmatch(tag) else count for tag, count in counts.items())


def _may_compare_too_much(page: bytes) -> bool:
    """True if the page is past the bound on comparisons with as many attributes in each tag as its characters allow.

    A tag goes on after ">" only where that stands in a quoted value, which begins in the same stretch without ">" or
    contains it whole.
    """
    if len(page) * len(page) // 4 <= _MAX_COMPARISONS:
        return False
    allowed = 4 * _MAX_COMPARISONS // len(page)
    continuations = len(_OPEN_QUOTE_AT_END.findall(page))
    if continuations:
        return any(_long_stretches(page, longer_than=allowed // (continuations + 1)))
    return any(map(_TAG_START.search, _long_stretches(page, longer_than=allowed)))


def _long_stretches(page: bytes, *, longer_than: int) -> Iterator[bytes]:
    """The pieces of a page between two ">" that are longer. O(n); without any, few characters are looked at."""
    start = 0
    while len(page) - start > longer_than:
        last = page.rfind(b">", start, start + longer_than + 1)
        if last < 0:
            last = page.find(b">", start)
            last = len(page) if last < 0 else last
            yield page[start:last]
        start = last + 1


def _comparisons(page: bytes) -> int:
    """An upper bound of the sum of the squares of each tag's attributes.

    Whether a "<" starts a tag depends on what stands before it (comments, scripts), so every one is taken for a start.
    Three counts are carried along: attributes read so far if we are now inside a tag, in a value in double quotes, in a
    value in single quotes; -1 where that cannot be. After the start a tag is read in one way only, so the counts meet
    no more than these three cases, and the greatest is right for all starts at once.
    """
    inside = double = single = -1
    squares = end = 0
    for event in _TAG_EVENT.finditer(page):
        if max(inside, double, single) ** 2 + squares > _MAX_COMPARISONS:
            break
        gap = page[end : event.start()]
        kind = event[0]
        end = event.end()
        if inside >= 0 and gap:
            inside += len(gap.split()) + gap.count(b"/")
        if kind == b">":
            squares += inside * inside if inside > 0 else 0
            inside = -1
        elif kind == b"<":
            inside = max(inside, 0)
        elif kind.endswith(b'"'):
            inside, double = _quote(inside, double, gap, opens=len(kind) > 1)
        else:
            inside, single = _quote(inside, single, gap, opens=len(kind) > 1)
    last = max(inside, double, single, 0)
    return squares + last * last


def _quote(inside: int, quoted: int, gap: bytes, *, opens: bool) -> tuple[int, int]:
    """The counts inside the tag and in the quoted value after a quotation mark; `opens` when "=" stands before it."""
    closed = quoted + 1 if quoted >= 0 else -1
    if not opens:
        return max(inside + 1 if inside >= 0 else -1, closed), -1
    # After anything but a plain name the mark may belong to an unquoted value or to a name, and open nothing.
    # It may also be a name itself, and the "=" before it another one.
    stays = -1 if inside < 0 or _ATTRIBUTE_NAME_AT_END.search(gap) else inside + 2
    return max(stays, closed), inside
