"""Named features of a group of page parts, by which a model distinguishes comments from other lists.

A group is all that one form selects in the pages of a blog. All features are between 0 and 1, so that weights are
comparable.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from math import log1p, sqrt
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from blogcrawler.serialise import load_file
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.counts import announced
from blogcrawler.wrapper.comments.ids import fragment_of
from blogcrawler.wrapper.comments.view import day_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from blogcrawler.dates import Moment
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

DAY = 1
"""Number of days by which two time zones may differ."""
SOON = 90
"""Number of days after a post within which most of its comments are written."""
SIGNATURE = 200
"""Number of leading characters that identify a comment's text."""
FARTHEST, QUARTER = 14 * 60, 15
"""Maximum number of minutes between a time zone and UTC, and the step between time zones."""
MOST_TEXTS = 20
"""Maximum number of texts of a comment that are read."""
LEVELS = 3
"""Number of levels of elements around a comment whose class and id names are read."""
MOST_NODES = 60
"""Maximum number of nodes of a comment that are searched for links and names."""


class Facts(NamedTuple):
    """The data of one unit from which features are computed."""

    #: its text without the date
    text: str
    #: days after the post, for each reading of its date; empty if one of the dates is unknown
    days: tuple[int, ...]
    is_to_come: bool
    #: whether the date may be that of the post
    is_own: bool
    is_in_article: bool
    is_named: bool
    #: other pages of the site that it links to
    onward: frozenset[str]
    says_comment: bool
    says_other: bool


@dataclass(frozen=True, eq=False)
class Sample:
    """A page from which comments are learned."""

    view: View
    #: when the post was published, if known
    published: Moment | None
    #: returns the texts of the article's blocks, folded
    read_article: Callable[[], frozenset[str]]

    @cached_property
    def article(self) -> frozenset[str]:
        """The texts of the article's blocks, folded."""
        return self.read_article()

    @cached_property
    def article_end(self) -> int:
        """The last node with a text of the article; -1 if there is none."""
        runs = self.view.runs
        held = (run // 2 for run in range(len(runs) - 1, -1, -1) if runs[run] and fold(runs[run]) in self.article)
        return next(held, -1) if self.article else -1

    @cached_property
    def form(self) -> int:
        """The last input field for several lines; -1 if there is none."""
        nodes = self.view.nodes
        return next((at for at in range(len(nodes) - 1, -1, -1) if nodes[at].tag == "textarea"), -1)

    @cached_property
    def announced(self) -> int | None:
        """The number of comments that the page announces."""
        return announced(self.view.tree, self.view.url)

    @cached_property
    def _facts(self) -> dict[tuple[int, ...], Facts]:
        return {}

    def facts(self, unit: Unit) -> Facts:
        """The data of a unit of this page. O(n) in its nodes, computed once."""
        key = (*unit.roots, len(unit.own), -1 if unit.anchor is None else unit.anchor, unit.is_run)
        if key not in self._facts:
            self._facts[key] = _facts(self, unit)
        return self._facts[key]


class _Page(NamedTuple):
    sample: Sample
    units: Sequence[Unit]
    facts: Sequence[Facts]


def features(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> dict[str, float]:
    """The features of a group, by name. O(n) in the nodes of its units."""
    pages = [
        _Page(sample, page_units, [*map(sample.facts, page_units)])
        for sample, page_units in zip(samples, units, strict=True)
    ]
    with_units = [page for page in pages if page.units]
    facts = [fact for *_, page_facts in with_units for fact in page_facts]
    sizes = [len(page_units) for _, page_units, _ in with_units]
    days = [fact.days for fact in facts if fact.days]
    on_pages = Counter(text for *_, page_facts in with_units for text in {fact.text for fact in page_facts})
    firsts = [page_facts[0] for *_, page_facts in with_units] if len(with_units) == len(pages) else []
    targets = Counter(page for fact in facts for page in fact.onward)
    lengths = [len(fact.text) for fact in facts]
    mean = sum(lengths) / max(1, len(lengths))
    return {
        "earlier": _root(max(offsets) < -DAY for offsets in days),
        "soon": _share(any(-DAY <= day <= SOON for day in offsets) for offsets in days) if days else 1.0,
        "own_first": _share(fact.is_own or fact.is_in_article or on_pages[fact.text] > 1 for fact in firsts),
        "to_come": _root(fact.is_to_come for fact in facts),
        "recurring": _root(on_pages[fact.text] > 1 for fact in facts),
        "in_article": _root(fact.is_in_article for fact in facts),
        "with_article": _root(any(fact.is_in_article for fact in page_facts) for *_, page_facts in with_units),
        "named": _share(fact.is_named for fact in facts),
        "onward": _share(any(targets[page] == 1 for page in fact.onward) for fact in facts),
        "says_comment": _share(fact.says_comment for fact in facts),
        "says_other": _share(fact.says_other for fact in facts),
        "size": min(1.0, log1p(mean) / log1p(SIGNATURE)),
        "constant": Counter(sizes).most_common(1)[0][1] / len(sizes) if sizes else 0.0,
        "lone": _share(size == 1 for size in sizes),
        "announced": _share(sample.announced == len(page_units) for sample, page_units, _ in with_units),
        "behind": _share(page_units[0].roots[0] > sample.article_end for sample, page_units, _ in with_units),
        "form": _share(sample.form > page_units[0].roots[0] for sample, page_units, _ in with_units),
    }


def _root(values: Iterable[bool]) -> float:
    """The square root of a share, since even a few cases of a property that comments rarely have are strong
    evidence."""
    return sqrt(_share(values))


def _share(values: Iterable[bool]) -> float:
    flags = list(values)
    return sum(flags) / len(flags) if flags else 0.0


def _facts(sample: Sample, unit: Unit) -> Facts:
    view = sample.view
    stated = view.day_at(unit.anchor) if unit.anchor is not None else None
    moments = view.reader.moments(stated) if stated else ()
    post, fetched = sample.published, view.fetched
    runs = [view.runs[run] for run in _runs(unit)]
    names = " ".join(_names(view, unit))
    return Facts(
        text=_signature(view, unit),
        days=tuple((moment.date - post.date).days for moment in moments) if post else (),
        is_to_come=fetched is not None and any((moment.date - fetched.date()).days > DAY for moment in moments),
        is_own=post is not None and any(_is_same_time(post, moment) for moment in moments),
        is_in_article=fold(max(runs, key=len, default="")) in sample.article,
        is_named=_is_named(view, unit),
        onward=frozenset(_onward(view, unit)),
        says_comment=any(word in names for word in markup_words()["comments"]),
        says_other=any(word in names for word in markup_words()["others"]),
    )


def _is_same_time(post: Moment, moment: Moment) -> bool:
    """True if a time may be that of the post in another time zone; without times of day, if the days are equal."""
    if None in (post.hour, post.minute, moment.hour, moment.minute):
        return post.date == moment.date
    hours = 24 * (moment.date - post.date).days + (moment.hour or 0) - (post.hour or 0)
    minutes = 60 * hours + (moment.minute or 0) - (post.minute or 0)
    return minutes == 0 or (post.offset_minutes is not None and abs(minutes) <= FARTHEST and not minutes % QUARTER)


def _signature(view: View, unit: Unit) -> str:
    """The beginning of a unit's text without the date, which identifies it."""
    line = day_line(view, unit.anchor) if unit.anchor is not None else ()
    texts = (view.runs[run].strip()[:SIGNATURE] for run in _runs(unit) if run not in line)
    return fold(" ".join(islice(filter(None, texts), MOST_TEXTS)))[:SIGNATURE]


def _runs(unit: Unit) -> Iterator[int]:
    """The numbers of the texts in and behind a unit's nodes, without the text behind its own element."""
    for position in unit.own:
        yield 2 * position
        if unit.is_run or position not in unit.roots:
            yield 2 * position + 1


def _is_named(view: View, unit: Unit) -> bool:
    """True if a unit has a name that ends with a digit, or links to a place with such a name."""
    for position in unit.own[:MOST_NODES]:
        node = view.nodes[position]
        href = node.get("href") or ""
        name = node.get("id") or node.get("name") or (fragment_of(href) if "#" in href else "")
        if name[-1:].isdigit():
            return True
    return False


def _onward(view: View, unit: Unit) -> Iterator[str]:
    """The other pages of the site that a unit links to."""
    host, own = _split(view.url)
    for position in unit.own[:MOST_NODES]:
        node = view.nodes[position]
        if node.tag == "a" and (href := (node.get("href") or "").strip().partition("#")[0]):
            there, path = _split(href)
            if there in ("", host) and path and path.rstrip("/") != own.rstrip("/"):
                yield href


@lru_cache(maxsize=1 << 12)
def _split(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return (parts.netloc.lower(), parts.path) if parts.scheme in ("", "http", "https") else ("", "")


def _names(view: View, unit: Unit) -> Iterator[str]:
    """Classes and ids of a unit's element and of those around it, in lower case."""
    for position in islice(view.around(unit.roots[0]), LEVELS + 1):
        for name in ("class", "id"):
            yield (view.nodes[position].get(name) or "").lower()


@lru_cache(maxsize=1)
def markup_words() -> dict[str, list[str]]:
    """Parts of classes and ids, by the meaning that they give to elements."""
    return load_file(dict[str, list[str]], "blogcrawler.wrapper", "comment_markup.json")
