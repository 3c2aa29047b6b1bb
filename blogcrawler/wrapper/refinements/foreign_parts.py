"""Recognise parts of a post's page that are not the post's own by their form; for feeds of summaries only.

Comments begin at two siblings of one form that each hold a date that is not before the post's (date nodes and their
lowest common ancestors). This form is then recognised on pages with a single comment. Comments without dates are
recognised by the names that themes give them, see `bylines.is_of_readers`. Teasers of other posts are siblings of one
form, each with a link to a page of the blog at its start, behind a text of the template; a list of the author's own
follows the author's own words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.dates import Moment, could_be_date
from blogcrawler.dom.tags import BLOCKS, HEADINGS
from blogcrawler.wrapper.core.bylines import is_of_readers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from blogcrawler.wrapper.core.profile import Form
    from blogcrawler.wrapper.core.training import DateReader, ProfiledPage

    _IsOwn = Callable[[ProfiledPage, str], bool]

LONGEST = 80
"""Maximum length, in characters, of a text with the date of a comment, and perhaps its author's name."""
LEAST = 40
"""Minimum number of characters of a comment with its date, and of a text by which an entry's content is recognised."""
LEVELS = 12
"""Maximum number of levels between a date and its comment."""
HELD = 0.6
"""Share of a summary, or of a text, that must be the same for the summary to be recognised in the text, or vice
versa."""
PARAGRAPHS = HEADINGS | {"p", "pre", "blockquote"}
"""Elements of articles: a date in their text belongs to the author's words."""
DAY = 1
"""Number of days by which two time zones may differ."""
LONGEST_TEASER = 600
"""Maximum length, in characters, of a teaser."""
SHARE = 0.2
"""Share of the pages, at least two, that must have such a list of teasers."""


def discussions(pages: Sequence[ProfiledPage], reader: DateReader, is_own: _IsOwn) -> list[list[bool]]:
    """For each page, and each of its nodes, True if it is in a discussion; `is_own` tests texts for being the post's.
    O(n)."""
    spans: list[list[tuple[int, int]]] = []
    #: by form of dated siblings: page, start and end of the siblings, and whether there are several
    spans_by_form: dict[tuple[str, ...], list[tuple[int, tuple[int, int], bool]]] = defaultdict(list)
    for number, page in enumerate(pages):
        beginning = _beginning(page)
        spans.append(list(_called_readers(page, beginning)))
        for form, span, are_several in _dated_siblings(page, _dates(page, reader), beginning, is_own):
            spans_by_form[form].append((number, span, are_several))
    for lists in spans_by_form.values():
        if any(are_several for *_, are_several in lists):
            for number, span, _ in lists:
                spans[number].append(span)
    return [_marked(len(page.profile), marked) for page, marked in zip(pages, spans, strict=True)]


def _marked(size: int, spans: Sequence[tuple[int, int]]) -> list[bool]:
    """For each position, True if it is in a span; spans may be nested. O(n)."""
    changes = [0] * (size + 1)
    for start, end in spans:
        changes[start] += 1
        changes[end] -= 1
    return [depth > 0 for depth in accumulate(changes[:-1])]


def _called_readers(page: ProfiledPage, beginning: int) -> Iterator[tuple[int, int]]:
    """Start and end of the blocks after a post's beginning that are named as readers' comments; paragraphs are left
    out."""
    profile = page.profile
    for position in range(beginning + 1, len(profile) if beginning >= 0 else 0):
        node = profile.nodes[position]
        if node.tag in BLOCKS - PARAGRAPHS and is_of_readers(node):
            yield position, profile.ends[position]


def _dated_siblings(
    page: ProfiledPage, dates: Sequence[int], beginning: int, is_own: _IsOwn
) -> Iterator[tuple[tuple[str, ...], tuple[int, int], bool]]:
    """Siblings that each hold a date in the same place: their form, the start of the first, the end of their parent,
    and True if there are several.

    Siblings with little text besides their dates are ignored, since these are other dates of the post.
    """
    profile = page.profile
    sizes = (
        sum(len(piece) for piece in pieces if is_own(page, piece)) if profile.link_sizes[at] < profile.sizes[at] else 0
        for at, pieces in enumerate(profile.pieces)
    )
    before = list(accumulate(sizes, initial=0))
    groups: dict[tuple[int, tuple[str, ...]], list[int]] = defaultdict(list)
    for date in dates:
        form: tuple[str, ...] = ()
        for position in islice(profile.around(date), LEVELS):
            parent, tag = profile.parents[position], profile.nodes[position].tag
            if parent < 0:
                break
            group = groups[parent, (*form, tag)]
            if group[-1:] != [position]:
                group.append(position)
            form = (*form, *profile.form_of(position)[2:])
    for (parent, form), siblings in groups.items():
        start, end = siblings[0], profile.ends[parent]
        count = sum(before[after] - before[at] >= LEAST for at, after in pairwise([*siblings, end]))
        if count and not start <= beginning < end:
            yield (*form, *profile.form_of(start)[:2]), (start, end), count > 1


def _holds_entry_text(page: ProfiledPage, piece: str) -> bool:
    held = page.shingles.share(piece) * len(piece)
    return page.size > 0 and len(piece) >= LEAST and held >= HELD * min(len(piece), page.size)


def _beginning(page: ProfiledPage) -> int:
    """The first node with the entry's content, or else with its title, preferably in a heading; -1 if there is none."""
    profile, titles = page.profile, [-1]
    for position, pieces in enumerate(profile.pieces):
        for piece in pieces:
            if _holds_entry_text(page, piece):
                return position
            if piece == page.title:
                titles.append(position)
    nodes = profile.nodes
    headings = (at for at in titles[1:] if any(nodes[above].tag in HEADINGS for above in profile.around(at)))
    return next(headings, titles[-1])


def _dates(page: ProfiledPage, reader: DateReader) -> list[int]:
    """Nodes with a short text that reads as a day not before the post's; any day if the post's day is unknown."""
    published = Moment.parse_iso(page.entry.published)
    positions: set[int] = set()
    for position, text in _short_texts(page):
        if position in positions or len(text) > LONGEST or not could_be_date(text):
            continue
        if any(published is None or (moment.date - published.date).days >= -DAY for moment in reader.moments(text)):
            positions.add(position)
    return sorted(positions)


def _short_texts(page: ProfiledPage) -> Iterator[tuple[int, str]]:
    """Values, the texts between elements, and the beginnings of longer texts; none in paragraphs or plain
    list items."""
    for value in page.values:
        yield value.position, value.text
    for position, (node, pieces) in enumerate(zip(page.profile.nodes, page.profile.pieces, strict=True)):
        if node.tag in BLOCKS and node.tag not in PARAGRAPHS:
            for piece in pieces:
                if len(piece) <= LONGEST or node.tag != "li":
                    yield position, piece[:LONGEST]


def teasers(pages: Sequence[ProfiledPage], is_own: _IsOwn) -> list[list[tuple[int, int]]]:
    """For each page, start and end of the teasers in its lists; `is_own` tests texts for being the post's. O(n)."""
    lists_by_page = [list(_lists(page, is_own)) for page in pages]
    counts = Counter(form for lists in lists_by_page for form in {form for form, _ in lists})
    least = max(2, SHARE * len(pages))
    return [
        [(at, page.profile.ends[at]) for form, positions in lists if counts[form] >= least for at in positions]
        for page, lists in zip(pages, lists_by_page, strict=True)
    ]


def _lists(page: ProfiledPage, is_own: _IsOwn) -> Iterator[tuple[Form, list[int]]]:
    """Siblings of one form that each begin with a link and have other text, behind a text of the template."""
    profile, host = page.profile, _host(page.url)
    groups: dict[tuple[int, Form], list[int]] = defaultdict(list)
    #: for each node with text, the text before its first text
    before: dict[int, str] = {}
    last = ""
    links: list[int] = []
    for at, (node, parent, pieces) in enumerate(zip(profile.nodes, profile.parents, profile.pieces, strict=True)):
        links.append(at if node.tag == "a" else links[parent] if parent >= 0 else -1)
        for position in profile.around(at) if pieces else ():
            if position in before:
                break
            before[position] = last
            is_short = profile.link_sizes[position] < profile.sizes[position] <= LONGEST_TEASER
            link = profile.nodes[links[at]]
            if is_short and links[at] > position > 0 and _leads_within(link.get("href") or "", host):
                groups[profile.parents[position], profile.form_of(position)].append(position)
        last = pieces[-1] if pieces else last
    for (_, form), positions in groups.items():
        heading = before[positions[0]]
        if len(positions) > 1 and heading and not is_own(page, heading):
            yield form, positions


def _host(url: str) -> str:
    return urlsplit(url).netloc.removeprefix("www.")


def _leads_within(reference: str, host: str) -> bool:
    """True for a link to a page of the blog, but not to a place in this page."""
    try:
        parts = urlsplit(reference.strip())
    except ValueError:
        return False
    is_here = not parts.netloc or parts.netloc.removeprefix("www.") == host
    return is_here and parts.scheme in ("", "http", "https") and bool(parts.path or parts.query)
