"""Articles that go on in the element beside the one where the feed's entry ends, which only long posts have.

Blog software that keeps a first part and the rest of a post often has a feed of first parts (Movable Type, Serendipity,
Dotclear). The rest is an element of the same paragraphs as the first part, mostly longer, with text that no other page
has, and of a name that other pages do not have, or have for the article itself. Comments have names or dates.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from blogcrawler.dates import could_be_date
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.wrapper.own_text import Told, own_sizes, own_text, tell
from blogcrawler.wrapper.rules import names_of
from blogcrawler.wrapper.training import Rest
from blogcrawler.wrapper.unfinished import BESIDE, LEAST, REST, SENTENCE, children, end_of, form

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from blogcrawler.wrapper.profile import Profile
    from blogcrawler.wrapper.training import DateReader, TrainingPage

FRAMES = frozenset(["div", "section", "article", "main", "td"])
"""Elements that hold paragraphs and may have nothing but such an element in them."""
FEWEST = 2
"""Pages whose articles go on in elements of one name; one may be an accident."""
MOST_NAMES = 4
"""Names that are looked for on all pages, those of most elements."""
SHARE = 0.1
"""Share of the pages, at least, that have no such element, or the entry's text in it."""
OWN = 0.8
"""Share of the text in the rest that is the post's own."""
ALIKE = 0.6
"""Share of the paragraphs in the rest that are of the first part's forms and longer than a name."""
MOST = 0.5
"""Share of the paragraphs, or of the text, that is most of it."""
NAME = 40
"""Characters of a name."""
DATE = 80
"""Characters of a text that holds the date of a comment."""


def tell_rests(pages: Sequence[TrainingPage], reader: DateReader) -> None:
    """Tell pages where their articles go on beside the element in which the entry ends. O(n) in the pages."""
    parts: dict[Hashable, dict[TrainingPage, int]] = defaultdict(dict)
    for page in pages:
        position = _part(page)
        if position is not None:
            parts[_name(page.profile, position)][page] = position
    frequent = sorted(parts.items(), key=lambda part: -len(part[1]))[:MOST_NAMES]
    likely = [found for name, found in frequent if len(found) >= FEWEST and _is_of_some(name, pages)]
    told = tell(pages, reader) if likely else Told()
    for found in likely:
        rests = {page: rest for page, at in found.items() if (rest := _rest(page, at, told, reader))}
        if len(rests) >= FEWEST and median(map(_longer, rests, rests.values())) > 1:
            for page, rest in rests.items():
                page.rest = rest


def _longer(page: TrainingPage, rest: Rest) -> float:
    return page.profile.sizes[rest.position] / page.size


def _part(page: TrainingPage) -> int | None:
    """The element behind the one in which the entry ends, where it is like that, and has a name."""
    end, profile = end_of(page), page.profile
    plain = (at for at in end.behind if profile.sizes[at] > profile.link_sizes[at]) if end else iter(())
    position = next(plain, None)
    if end is None or position is None or not _name(profile, position):
        return None
    size = profile.sizes[position] - profile.link_sizes[position]
    is_long = size >= max(LEAST, REST * page.size)
    return position if is_long and _are_alike(profile, end.position, position) else None


def _name(profile: Profile, position: int) -> Hashable:
    return frozenset(names_of(profile.nodes[position]))


def _are_alike(profile: Profile, first: int, second: int) -> bool:
    """True if the second of two elements has paragraphs of the first one's forms, most of them no mere names."""
    first, second = _frame(profile, first), _frame(profile, second)
    if _has_loose_text(profile, second):
        return _has_loose_text(profile, first)
    forms = {form(profile, at) for at in children(profile, first)}
    told = [at for at in children(profile, second) if profile.nodes[at].tag not in BESIDE | HEADINGS]
    alike = sum(form(profile, at) in forms and profile.sizes[at] >= SENTENCE for at in told)
    return alike >= max(1, ALIKE * len(told))


def _has_loose_text(profile: Profile, position: int) -> bool:
    return sum(map(len, profile.pieces[position])) >= SENTENCE


def _frame(profile: Profile, position: int) -> int:
    """An element, or the innermost in it that holds all of its text, short of paragraphs."""
    while True:
        whole = (at for at in children(profile, position) if profile.sizes[at] == profile.sizes[position])
        inner = next(whole, None)
        if inner is None or profile.nodes[inner].tag not in FRAMES:
            return position
        position = inner


def _is_of_some(name: Hashable, pages: Sequence[TrainingPage]) -> bool:
    """True if enough pages have no such element with text, or one with the entry's text."""
    others = sum(not _has_other(page, name) for page in pages)
    return others >= SHARE * len(pages)


def _has_other(page: TrainingPage, name: Hashable) -> bool:
    """True if a page has an element of a name in which most of the text is not the entry's."""
    profile = page.profile
    for position in range(len(profile)):
        if profile.sizes[position] and _name(profile, position) == name:
            own, _ = own_sizes(profile, page.shingles.hold, "text", top=position)
            return own[position] <= MOST * profile.sizes[position]
    return False


def _rest(page: TrainingPage, position: int, told: Told, reader: DateReader) -> Rest | None:
    """What of an element is the post's own; None where too little is, or readers discuss the post there."""
    profile, foreign = page.profile, told.foreign[page]
    holds = own_text(page, "summary", told)
    own, known = own_sizes(profile, holds, page.shingles, foreign, position)
    if own[position] < OWN * known[position] or _is_dated(page, position, reader) or _has_speakers(profile, position):
        return None
    pieces = (piece for at in profile.subtree(position) for piece in profile.pieces[at])
    return Rest(position, frozenset(filter(holds, pieces)))


def _has_speakers(profile: Profile, position: int) -> bool:
    """True if most paragraphs in an element begin with an element of their own, for the names of those who speak."""
    told = [at for at in children(profile, _frame(profile, position)) if profile.nodes[at].tag not in BESIDE]
    leads = ((at, profile.leads[at]) for at in told)
    named = sum(lead is not None and not lead.strip() and 0 < profile.sizes[at + 1] <= NAME for at, lead in leads)
    return named > MOST * len(told)


def _is_dated(page: TrainingPage, position: int, reader: DateReader) -> bool:
    """True if an element has a date by itself, as what readers say has."""
    texts = (value.text for value in page.values if value.position in page.profile.subtree(position))
    return any(len(text) <= DATE and could_be_date(text) and reader.moments(text) for text in texts)
