"""The permalink pattern: the form of the URLs of a blog's posts, learned from the links of its feed.

After section 4.3 of Blanvillain, Kasioumis and Banos, "BlogForever Crawler", which builds one regular expression. Here
links are first grouped by shape, each group gets its least general pattern, and the result is the union of the patterns
with enough support. So neither a category in the permalink nor one odd link in the feed widens it to everything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.errors import BadArgument, NotEnoughExamples
from blogcrawler.frontier.shapes import (
    ENOUGH,
    Address,
    Shape,
    generalise_last,
    generalise_segment,
    generalise_value,
    is_language,
    kind_of,
)
from blogcrawler.urls import MAX_URL_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: with fewer links than this, all of them count as posts
_FEW = 4
#: share of the links that a group must hold
_SHARE = 0.1
#: maximum number of remembered pages that match and are known to be no posts
_MAX_REFUSED = 10_000
#: URLs whose parsed addresses are cached, since pages have mostly the same links
_KEPT = 1 << 9


@dataclass(frozen=True)
class PermalinkPattern:
    """The form of the URLs of a blog's posts: a union of shapes. Immutable, compares and prints."""

    shapes: tuple[Shape, ...]
    #: identities of pages that have a post's shape but are no posts
    refused: frozenset[str] = frozenset()

    @classmethod
    def learn(cls, urls: Iterable[str], negatives: Iterable[str] = ()) -> Self:
        """The pattern of `urls`, the links of a feed's entries or all known posts. Linear in their number.

        A group of one shape is kept if it holds a tenth of the links and more than one link, or a single dated link.
        All groups are kept if there are fewer than four links, or if no group has enough support. `negatives` are pages
        known to be no posts: each is refused unless it is among `urls`, and a folder that holds two of them and none of
        `urls` is barred. The caller should leave out links to other sites (`urls.Scope`). Raises NotEnoughExamples if
        `urls` holds no usable link.
        """
        addresses = _addresses(urls)
        if not addresses:
            raise NotEnoughExamples("There is no permalink to learn from; the feed must link to at least one post.")
        shapes = {_shape_of(group): None for group in _supported(addresses)}
        pattern = cls(tuple(sorted(shapes, key=str)))
        return pattern._without(_addresses(negatives), set(addresses))

    def matches(self, url: str) -> bool:
        """True if `url` has the form of a post's URL; False if it is no http(s) URL. Linear in the URL, whose length is
        bounded."""
        address = _address_or_none(url)
        return address is not None and self._fits(address) and str(address) not in self.refused

    @cached_property
    def _by_key(self) -> dict[tuple[str, int, str, tuple[str, ...]], list[Shape]]:
        index = defaultdict(list)
        for shape in self.shapes:
            index[shape.key].append(shape)
        return dict(index)

    def _without(self, negatives: Sequence[Address], positives: set[Address]) -> Self:
        no_posts = [address for address in negatives if address not in positives]
        barred = replace(self, shapes=tuple(_bar_folders(shape, no_posts, positives) for shape in self.shapes))
        refused = sorted(str(address) for address in no_posts if barred._fits(address))
        return replace(barred, refused=frozenset(refused[:_MAX_REFUSED]))

    def _fits(self, address: Address) -> bool:
        return any(shape.matches(address) for shape in self._by_key.get(address.key, ()))

    def __str__(self) -> str:
        return " | ".join(map(str, self.shapes))


def _addresses(urls: Iterable[str]) -> list[Address]:
    """The distinct addresses that may belong to one page: valid URLs other than home pages."""
    addresses = (address for url in urls if (address := _address_or_none(url)) is not None)
    return list(dict.fromkeys(address for address in addresses if address.segments or address.names))


@lru_cache(_KEPT)
def _address_or_none(url: str) -> Address | None:
    try:
        return Address.of(url) if len(url) <= MAX_URL_LENGTH else None
    except BadArgument:
        return None


def _supported(addresses: Sequence[Address]) -> list[list[Address]]:
    groups = _groups(addresses)
    total = len(addresses)
    if total < _FEW:
        return groups
    sites = Counter(address.site for address in addresses)
    return [group for group in groups if _is_supported(group, total, sites[group[0].site])] or groups


def _is_supported(group: Sequence[Address], total: int, on_its_site: int) -> bool:
    """True if a group is no accident. A single dated link counts if it is on the site of most links: old posts keep old
    permalinks."""
    if len(group) > 1:
        return len(group) >= total * _SHARE
    return _has_date(group[0]) and 2 * on_its_site > total


def _groups(addresses: Sequence[Address]) -> list[list[Address]]:
    """Group addresses that may share a pattern: same site, number and kinds of segments, extension and parameters."""
    by_kind: dict[Any, list[Address]] = defaultdict(list)
    for address in addresses:
        kinds = tuple(map(kind_of, address.segments))
        by_kind[address.site, kinds, address.extension, address.names].append(address)
    groups, waiting = [], list(by_kind.values())
    while waiting:
        odd = _odd_ones(waiting[-1])
        if odd:
            waiting[-1] = [address for address in waiting[-1] if address not in odd]
            waiting.append(odd)
        else:
            groups.append(waiting.pop())
    return groups


def _odd_ones(group: Sequence[Address]) -> list[Address]:
    """The few addresses (one, or a tenth) without which a folder would be equal in all others; [] if there are none."""
    if len(group) < _FEW:
        return []
    for position in range(len(group[0].segments) - 1):
        texts = [address.segments[position] for address in group]
        if kind_of(texts[0]) != "words" or all(map(is_language, texts)):
            continue
        common, count = Counter(texts).most_common(1)[0]
        if 0 < len(group) - count <= max(1, len(group) // 10):
            return [address for address in group if address.segments[position] != common]
    return []


def _has_date(address: Address) -> bool:
    """True if the path has a date with words below or behind it: /2014/05/words, /blog/2014-05-02-words."""
    kinds = [kind_of(segment) for segment in address.segments]
    return kinds[-1:] != ["digits"] and ("digits" in kinds or any(kind.startswith("dated") for kind in kinds))


def _shape_of(group: Sequence[Address]) -> Shape:
    """The least general shape of a group.

    A first folder that is equal in all addresses is the blog's place on its site. A later one may be the category of
    all newest posts: it stays literal only if many links have it and no date distinguishes posts from other pages.
    """
    first = group[0]
    has_date = _has_date(first)
    columns = list(zip(*(address.segments for address in group), strict=True))
    is_sure = len(group) >= ENOUGH and not has_date
    segments = [generalise_segment(texts, may_be_literal=not at or is_sure) for at, texts in enumerate(columns[:-1])]
    values = tuple(generalise_value(texts) for texts in zip(*(address.values for address in group), strict=True))
    if columns:
        # if the last segment is the same in all, another part distinguishes the posts: /12/view, view.php?id=12
        is_constant = len(set(columns[-1])) == 1 and (len(group) > 1 or bool(first.names))
        last = generalise_segment(columns[-1]) if is_constant else generalise_last(columns[-1], below_date=has_date)
        segments.append(last)
    return Shape(first.site, tuple(segments), first.extension, first.names, values)


def _bar_folders(shape: Shape, no_posts: Sequence[Address], positives: set[Address]) -> Shape:
    """Bar the folders that hold two known non-posts and no post."""
    positions = [position for position in range(len(shape.segments) - 1) if shape.is_open(position)]
    if not positions:
        return shape
    near = [address for address in no_posts if address.key == shape.key and shape.matches(address)]
    counts = Counter((position, address.segments[position]) for address in near for position in positions)
    good = {
        (position, address.segments[position])
        for address in positives
        if address.key == shape.key
        for position in positions
    }
    barred = (folder for folder, count in counts.items() if count > 1 and folder not in good)
    return replace(shape, barred=frozenset(barred))
