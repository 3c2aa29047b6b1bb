"""Decide which text of a page is the post's own, and how much of it each node holds.

The feed's articles show this or, with summaries, the pages do: a text on several pages is the template's.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Literal

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.similarity import fold
from blogcrawler.wrapper.refinements.foreign_parts import discussions, teasers
from blogcrawler.wrapper.refinements.recurring import template_form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from blogcrawler.wrapper.core.containment import Shingles
    from blogcrawler.wrapper.core.profile import Profile
    from blogcrawler.wrapper.core.training import DateReader, ProfiledPage

Mode = Literal["full", "spread", "summary"]
"""What entries hold: whole articles that one element of the page holds, or that are loose in it; or summaries."""

WORDS = 40
"""Number of characters at or above which the text of a link is more than a name or title."""
MARKS = " /|\\<>«»‹›·•→:-–—"
"""Separators between the steps of a breadcrumb trail."""
FORMULA = ("\\(", "\\[")
"""Start of a formula, which pages and feeds may write differently: see `dom.written`."""
LETTER = re.compile(r"[^\W\d_]")
BYLINE = 80
"""Maximum length, in characters, of a text that states when and by whom a post was written."""
BESIDE = 20
"""Maximum number of letters of such a text besides names and dates, in any script."""


@dataclass(frozen=True, eq=False)
class PageComparison:
    """What the pages show about each other's text, for entries whose summaries show too little."""

    #: texts of the template
    shared: frozenset[str] = frozenset()
    #: for each page, texts that state when and by whom the post was written
    bylines: Mapping[ProfiledPage, frozenset[str]] = field(default_factory=dict)
    #: for each page, whether each node is in a readers' discussion or a teaser
    foreign: Mapping[ProfiledPage, Sequence[bool]] = field(default_factory=dict)


def compare_pages(pages: Sequence[ProfiledPage], reader: DateReader) -> PageComparison:
    """Compare the texts of the pages. O(n) in their size."""
    shared = _shared_pieces([page.profile for page in pages])
    bylines = {page: byline_pieces(page, reader) for page in pages}
    comparison = PageComparison(shared, bylines)

    def is_own(page: ProfiledPage, piece: str) -> bool:
        return _is_own(page, piece, comparison)

    foreign = dict(zip(pages, discussions(pages, reader, is_own), strict=True))
    for page, spans in zip(pages, teasers(pages, is_own), strict=True):
        for start, end in spans:
            foreign[page][start:end] = [True] * (end - start)
    return PageComparison(shared, bylines, foreign)


def own_text(page: ProfiledPage, mode: Mode, comparison: PageComparison) -> Callable[[str], bool | None]:
    """A test whether a text of a page is the post's own; it returns None if that is unknown, as for a formula."""

    def holds(piece: str) -> bool | None:
        if piece.startswith(FORMULA):
            return None
        if mode == "summary":
            return _is_own(page, piece, comparison)
        is_heading = piece == page.title and piece not in page.shingles
        return False if is_heading else page.shingles.hold(piece)

    return holds


def own_sizes(
    profile: Profile,
    holds: Callable[[str], bool | None],
    links: Literal["text", "names"] | Shingles,
    foreign: Sequence[bool] = (),
    top: int = 0,
) -> tuple[list[int], list[int]]:
    """For each node below `top`, characters in its subtree: of the article's text, and of all text that is known to be
    the article's or not.

    Text in links counts as other text; with `names`, short link texts that the article contains count as unknown, since
    they may be tags. With shingles of a summary, text in links is the article's only if the summary has it. Text of
    `foreign` nodes is never the article's. With a summary, lines of code count as unknown, since posts of one blog show
    the same code.
    """
    own, known = [0] * len(profile), [0] * len(profile)
    summary = None if isinstance(links, str) else links
    in_listings = repeat(False) if summary is None else _inside(profile, "pre", top)
    for position, in_link, in_listing in zip(
        profile.subtree(top), _inside(profile, "a", top), in_listings, strict=False
    ):
        for piece in profile.pieces[position]:
            never = (foreign and foreign[position]) or (in_link and summary is not None and piece not in summary)
            verdict = False if never else holds(piece)
            if verdict and in_link and links == "names" and len(piece) < WORDS:
                verdict = None
            if not verdict and not never and in_listing:
                verdict = None
            if verdict is not None:
                known[position] += len(piece)
                own[position] += len(piece) if verdict else 0
    for position in reversed(profile.subtree(top)[1:]):
        parent = profile.parents[position]
        own[parent] += own[position]
        known[parent] += known[position]
    return own, known


def _is_own(page: ProfiledPage, piece: str, comparison: PageComparison) -> bool:
    """True for a text that is neither the template's, nor the post's title, byline or tags."""
    if not piece or piece in comparison.bylines[page] or _is_title(piece, page.title):
        return False
    if len(piece) >= WORDS and piece in page.shingles:
        return True  # the summary, which lists on pages of other posts may show, too
    return piece not in comparison.shared and template_form(piece) not in comparison.shared


def _is_title(piece: str, title: str) -> bool:
    """True for the title, also with separators around it at the end of a breadcrumb trail."""
    return piece == title or piece.strip(MARKS) == title.strip(MARKS) != ""


def _inside(profile: Profile, tag: str, top: int) -> list[bool]:
    """For each node below `top`, True if it is in an element with this tag; links to a place in the page are
    ignored."""
    inside: list[bool] = []
    for position in profile.subtree(top):
        parent = profile.parents[position] - top
        node = profile.nodes[position]
        is_one = node.tag == tag and not (tag == "a" and (node.get("href") or "").startswith("#"))
        inside.append(is_one or (parent >= 0 and inside[parent]))
    return inside


def _shared_pieces(profiles: Sequence[Profile]) -> frozenset[str]:
    """Texts of more than one page, in the form of `template_form`: the template's. Lines of code are compared
    unchanged."""
    pages: Counter[str] = Counter()
    for profile in profiles:
        listed = _listed(profile)
        plain = [pieces for at, pieces in enumerate(profile.pieces) if at not in listed] if listed else profile.pieces
        forms = {template_form(piece) for pieces in plain for piece in pieces}
        lines = {piece for position in listed for piece in profile.pieces[position]}
        pages.update(forms.union(line if LETTER.search(line) else template_form(line) for line in lines))
    return frozenset(piece for piece, count in pages.items() if count > 1)


def _listed(profile: Profile) -> frozenset[int]:
    tops = [profile.positions[node] for node in profile.nodes[0].iter("pre")]
    return frozenset(position for top in tops for position in profile.subtree(top))


def byline_pieces(page: ProfiledPage, reader: DateReader) -> frozenset[str]:
    """Texts that are a tag of the entry, or hold its author or date and little else."""
    names = [name for name in map(fold, page.entry.authors) if name]
    tags, published = set(map(fold, page.entry.tags)), Moment.parse_iso(page.entry.published)
    pieces = {piece for pieces in page.profile.pieces for piece in pieces}
    return frozenset(piece for piece in pieces if piece in tags or _is_byline(piece, names, published, reader))


def _is_byline(piece: str, names: Sequence[str], published: Moment | None, reader: DateReader) -> bool:
    """True if a folded text holds a post's author or date and little else."""
    if len(piece) > BYLINE:
        return False
    rest = piece
    for name in names:
        rest = rest.replace(name, " ")
    spans = reader.spans(rest) if published is not None and could_be_date(rest) else ()
    days = [reading.moment.date for span in spans[:1] for reading in span.readings]
    if published is not None and any(abs((day - published.date).days) <= 1 for day in days):
        for span in reversed(spans):
            rest = f"{rest[: span.start]} {rest[span.end :]}"
    return rest != piece and sum(map(str.isalpha, rest)) <= BESIDE
