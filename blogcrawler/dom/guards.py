"""Limits that are checked before a page is parsed, so that parsing takes at most about a second.

Both parsers are quadratic in the attributes of one tag (each name is compared with all earlier ones). lexbor is also
quadratic in the depth of the tree (it walks the open elements at each tag) and in unclosed formatting elements (each is
opened again in each later block). All numbers here are upper bounds computed without parsing: a page within the limits
is safe, whatever its markup.
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
#: A page with more tags (start and end tags) is refused.
MAX_TAGS = 500_000
#: Maximum number of comparisons of attribute names in a page, at some nanoseconds each; as in a tag with 15,800.
_MAX_COMPARISONS = 250_000_000

#: Up to this many start tags, lexbor needs at most half a second for nesting; up to the product below, also for end
#: tags that match nothing.
_HTML5_START_TAGS = 20_000
_HTML5_WALKS = 300_000_000
#: Maximum number of elements that unclosed formatting elements may become.
_HTML5_REOPENED = 500_000


_TAG_START = re.compile(rb"<[a-zA-Z]")
_OPEN_QUOTE_AT_END = re.compile(rb"""=\s*+(?:"[^">]*+|'[^'>]*+)>""")
_TAG_EVENT = re.compile(rb"""<(?=[a-zA-Z])|=\s*+["']|["'>]""")
_ATTRIBUTE_NAME_AT_END = re.compile(rb"""(?:\A|[^\s=])\s++[^\s/>"'=]++\Z""")

#: The look-ahead skips most tags by their first letter.
_FORMATTING = re.compile(
    rb"<(?=[bcefinstu])(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^>]*+>?", re.IGNORECASE
)
_PLAIN_TAG = re.compile(rb"""<\w+(?:\s+[\w:-]+(?:=(?:"[^"<>]*"|'[^'<>]*'|[\w#.-]+))?)*+\s*>""")
_ROOT_TAG = re.compile(rb"<(?:html|body)(?=[\s/>])[^>]*+>?", re.IGNORECASE)
_FEW_ROOTS = 8
#: Noah's Ark clause of the HTML Standard: at most this many equal formatting elements are reopened.
_EQUAL_REOPENED = 3


def check(page: bytes) -> None:
    """Raise `PageTooComplex` if `page`, HTML in UTF-8, exceeds the limits of bytes, tags or attributes. O(n)."""
    if len(page) > MAX_BYTES:
        raise PageTooComplex(f"The page has {len(page):,} bytes, more than the {MAX_BYTES:,} that are read.")
    tags = page.count(b"<")
    if tags > MAX_TAGS:
        raise PageTooComplex(f"The page has {tags:,} tags, more than the {MAX_TAGS:,} that are read.")
    if _may_compare_too_much(page) and _comparisons(page) > _MAX_COMPARISONS:
        raise PageTooComplex("The page has tags with so many attributes that it cannot be read in bounded time.")


def is_safe_for_html5(page: bytes) -> bool:
    """True if lexbor can parse `page` in bounded time and space; False for huge or hostile pages. O(n)."""
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
    """True if there are few `html` and `body` tags, so that merging their attributes into the first is cheap."""
    return len(_ROOT_TAG.findall(page)) <= _FEW_ROOTS


def _reopened_at_once(page: bytes) -> int:
    """Upper bound of the number of formatting elements that one block may reopen."""
    counts = Counter(_FORMATTING.findall(page))
    return sum(min(count, _EQUAL_REOPENED) if _PLAIN_TAG.fullmatch(tag) else count for tag, count in counts.items())


def _may_compare_too_much(page: bytes) -> bool:
    """True if the page could exceed the limit of comparisons, given the lengths of its tags.

    A tag continues after ">" only if the ">" is in a quoted value, which begins in the same stretch without ">" or
    contains the whole stretch.
    """
    if len(page) * len(page) // 4 <= _MAX_COMPARISONS:
        return False
    allowed = 4 * _MAX_COMPARISONS // len(page)
    continuations = len(_OPEN_QUOTE_AT_END.findall(page))
    if continuations:
        return any(_long_stretches(page, longer_than=allowed // (continuations + 1)))
    return any(map(_TAG_START.search, _long_stretches(page, longer_than=allowed)))


def _long_stretches(page: bytes, *, longer_than: int) -> Iterator[bytes]:
    """The parts of a page between two ">" that are longer. O(n); few characters are read if there are none."""
    start = 0
    while len(page) - start > longer_than:
        last = page.rfind(b">", start, start + longer_than + 1)
        if last < 0:
            last = page.find(b">", start)
            last = len(page) if last < 0 else last
            yield page[start:last]
        start = last + 1


def _comparisons(page: bytes) -> int:
    """Upper bound of the sum, over all tags, of the squared number of attributes.

    Whether a "<" starts a tag depends on the text before it (comments, scripts), so each "<" counts as a start. Three
    counts are updated: the attributes read so far if the position is in a tag, in a double-quoted value, or in a
    single-quoted value; -1 if that is impossible. Since each tag can be read in only one way after its start, these
    three states are enough, and the greatest count is an upper bound for all starts.
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
    """The counts in the tag and in the quoted value after a quotation mark. `opens` is True if "=" precedes the
    mark."""
    closed = quoted + 1 if quoted >= 0 else -1
    if not opens:
        return max(inside + 1 if inside >= 0 else -1, closed), -1
    # Unless a plain name precedes it, the mark may be part of an unquoted value or of a name, and open no value.
    # It may also be a name itself, and the "=" before it another name.
    stays = -1 if inside < 0 or _ATTRIBUTE_NAME_AT_END.search(gap) else inside + 2
    return max(stays, closed), inside
