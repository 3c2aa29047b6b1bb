"""Which parts of a blog's pages are comments, where nobody tells: lists of siblings that each hold a day.

The date nodes come first, their common ancestors next, and the ancestors' children are the comments ("Extracting
time-based content with LCA on the DOM"). Comments are not written before their post, they are each their own (what
recurs on other pages is the template's, or lists posts), and they are no part of an article.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from blogcrawler.dates import Moment
from blogcrawler.dom import resolve
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.forms import context_of, form_of, tokens_of
from blogcrawler.wrapper.comments.region import has_word
from blogcrawler.wrapper.comments.units import ANYWHERE, TEXT, Form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.taught import Teacher
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

__all__ = ["Found", "Sample", "find_forms"]

LEVELS = 12
"""Levels between the node with a date and the element of its comment."""
MOST_GROUPS = 40
"""Kinds of dated siblings that are looked at."""
MATCHED = 0.6
"""Mean similarity from which parts of pages are the comments of their feeds."""
DOUBT = 0.5
"""Of what no comment feed tells."""
SINGLE = 0.9
"""Share of the siblings that hold one date of a form."""
NEARLY_ALL = 0.95
MOST_DATES = 3
"""Dates of one form that a comment holds, at most."""
LATER = 0.85
"""Share of the comments that are not older than their post."""
RECURRING = 0.25
"""Share of comments with a text that other pages have too."""
IN_ARTICLES = 0.5
LINKED = 0.7
"""Share of a text in links to pages of the site from which it is a list of them."""
SIGNATURE = 200
DAY = 1
"""Days that two time zones may be apart."""
LEAST = 12
"""Characters that comments have besides their dates, on average."""


@dataclass(frozen=True)
class Sample:
    """A page that comments are learned from."""

    view: View
    #: when the post was published, as far as is known
    published: Moment | None
    #: texts of the article's blocks, folded
    article: frozenset[str]


class _Key(NamedTuple):
    #: forms of the elements from the one with the date; of the comment's own the tag alone
    chain: tuple[str, ...]
    context: str
    #: dates of the form that each sibling holds
    dates: int = 1
    #: are the forms but tags?
    is_loose: bool = False


class _List(NamedTuple):
    """Siblings of one form that hold a date each."""

    page: int
    parent: int
    units: list[int]
    anchors: list[int]


class Found(NamedTuple):
    """A form of comments, and the comments of that form on each of the pages."""

    form: Form
    units: list[list[Unit]]
    #: how sure it is that these are comments, 0 to 1
    confidence: float


def find_forms(samples: Sequence[Sample], teacher: Teacher) -> list[Found]:
    """The forms that comments have on the pages of a blog, that of most comments first. O(n) in the pages.

    Where comment feeds tell some, what matches them is comments; what does not is as far as its form tells.
    """
    groups: dict[_Key, list[_List]] = defaultdict(list)
    for number, sample in enumerate(samples):
        for key, found in _lists(number, sample.view):
            groups[key].append(found)
    ranked = sorted(groups.items(), key=lambda item: -sum(len(one.units) for one in item[1]))[:MOST_GROUPS]
    candidates = []
    for key, lists in ranked:
        form = _form(samples, key, lists)
        candidates.append((key, *_taught(samples, *_wider(samples, form), teacher)))
    return list(_chosen(samples, candidates))


def _taught(
    samples: Sequence[Sample], form: Form, units: list[list[Unit]], confidence: float, teacher: Teacher
) -> tuple[Form, list[list[Unit]], float]:
    """A form with the confidence that comment feeds give it, where there are any."""
    if teacher.knows:
        score = teacher.score([sample.view for sample in samples], units)
        confidence = max(confidence, score) if score >= MATCHED else confidence * (1 - DOUBT)
    return form, units, round(confidence, 3)


def _wider(samples: Sequence[Sample], form: Form) -> tuple[Form, list[list[Unit]], float]:
    """A form, wherever it stands in a page if its names tell it as well: broken pages move lists."""
    units = [form.select(sample.view) for sample in samples]
    confidence = _confidence(samples, form, units)
    if not confidence and (skips := _strangers(samples, units)):
        form = replace(form, skips=skips)
        units = [form.select(sample.view) for sample in samples]
        confidence = _confidence(samples, form, units)
    if confidence and not form.skips and any(form.tokens):
        anywhere = replace(form, contexts=form.contexts | {ANYWHERE})
        more = [anywhere.select(sample.view) for sample in samples]
        if _confidence(samples, anywhere, more) >= NEARLY_ALL * confidence:
            return anywhere, more, confidence
    return form, units, confidence


def _strangers(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> str:
    """Which of a list's members is none on nearly all pages, as the post that stands before its comments."""
    on_pages: Counter[str] = Counter()
    signs = []
    for sample, found in zip(samples, units, strict=True):
        signs.append([_signature(sample.view, unit) for unit in found])
        on_pages.update(set(signs[-1]))
    for place, end in (("first", 0), ("last", -1)):
        strange = shown = 0
        for sample, found, said in zip(samples, units, signs, strict=True):
            if found:
                shown += 1
                strange += on_pages[said[end]] > 1 or _is_in_article(sample, found[end])
        if strange >= SINGLE * shown and shown == len(samples):
            return place
    return ""


def _lists(number: int, view: View) -> Iterator[tuple[_Key, _List]]:
    """Siblings of one tag that each hold a date in the same place. O(n) in the dates."""
    found: dict[tuple[int, tuple[str, ...]], tuple[list[int], list[list[int]]]] = {}
    for anchor in view.anchors:
        below: tuple[str, ...] = ()
        tags: tuple[str, ...] = ()
        for level, position in enumerate(view.around(anchor)):
            parent, node = view.parents[position], view.nodes[position]
            if level > LEVELS or parent < 0:
                break
            tags = (*tags, node.tag)
            for chain in dict.fromkeys([(*below, node.tag), tags]):
                units, anchors = found.setdefault((parent, chain), ([], []))
                if not units or units[-1] != position:
                    units.append(position)
                    anchors.append([])
                anchors[-1].append(anchor)
            below = (*below, form_of(node))
    for (parent, chain), (units, anchors) in found.items():
        sizes = Counter(map(len, anchors)).most_common(1)
        if len(units) > 1 and sizes[0][1] >= SINGLE * len(units) and sizes[0][0] <= MOST_DATES:
            is_loose = not any("." in step for step in chain)
            key = _Key(chain, context_of(view, parent), sizes[0][0], is_loose)
            yield key, _List(number, parent, units, [of[0] for of in anchors])


def _form(samples: Sequence[Sample], key: _Key, lists: Sequence[_List]) -> Form:
    """The form of lists, with the classes that all of their siblings have."""
    counts: list[Counter[str]] = [Counter() for _ in key.chain]
    total = 0
    for one in lists:
        view = samples[one.page].view
        for anchor in one.anchors:
            total += 1
            for level, position in enumerate(view.around(anchor)):
                if level >= len(key.chain):
                    break
                counts[level].update(tokens_of(view.nodes[position]))
    tokens = tuple(frozenset(token for token, number in count.items() if number == total) for count in counts)
    chain = tuple(step.partition(".")[0] for step in key.chain)
    return _with_siblings(samples, Form(chain, frozenset([key.context]), tokens), lists)


def _with_siblings(samples: Sequence[Sample], form: Form, lists: Sequence[_List]) -> Form:
    """The form with the siblings that belong to a comment besides the one with the date."""
    between: Counter[str] = Counter()
    gaps = filled = heads = tails = 0
    firsts: Counter[str] = Counter()
    for one in lists:
        view, units = samples[one.page].view, set(one.units)
        run: list[int] = []
        seen, before_run = False, 0
        for position in view.children[one.parent]:
            if position not in units:
                run.append(position)
                continue
            if seen:
                gaps += 1
                bare = any(has_word(view.runs[2 * sibling + 1]) for sibling in [before_run, *run])
                filled += bare or any(_has_text(view, sibling) for sibling in run)
                between.update(form_of(view.nodes[sibling]) for sibling in run)
                between.update([TEXT] if bare else [])
            seen, run, before_run = True, [], position
    if not gaps or 2 * filled < gaps:
        return form
    known = frozenset(between)
    for one in lists:
        view = samples[one.page].view
        before, behind = _neighbours(view, one)
        heads += bool(before) and form_of(view.nodes[before[0]]) in known
        tails += bool(behind) and form_of(view.nodes[behind[0]]) in known
        reach = [form_of(view.nodes[sibling]) for sibling in _within(view, before, known)]
        firsts.update(reach[-1:])
    is_before, is_behind = 2 * heads > len(lists), 2 * tails > len(lists)
    if not is_before and not is_behind:
        is_behind = True
    first = firsts.most_common(1)[0][0] if is_before and is_behind and firsts else ""
    return replace(form, between=known, before=is_before, behind=is_behind, first=first)


def _neighbours(view: View, one: _List) -> tuple[list[int], list[int]]:
    """The siblings before the first of a list, the nearest first, and those behind the last."""
    siblings = view.children[one.parent]
    first, last = one.units[0], one.units[-1]
    return [sibling for sibling in reversed(siblings) if sibling < first], [it for it in siblings if it > last]


def _within(view: View, siblings: Sequence[int], forms: frozenset[str]) -> Iterator[int]:
    for sibling in siblings:
        if form_of(view.nodes[sibling]) not in forms:
            return
        yield sibling


def _has_text(view: View, position: int) -> bool:
    text = view.texts[position]
    return text is None or any(map(str.isalnum, text))


# ------------------------------------------------------------------------------------------------- are they comments?


def _confidence(samples: Sequence[Sample], form: Form, units: Sequence[Sequence[Unit]]) -> float:
    """How sure it is that parts of pages are comments; 0 where they are something else."""
    total = sum(map(len, units))
    pages = sum(bool(found) for found in units)
    if total < 2 or (pages < 2 and (total < 3 or len(samples) > 3)):
        return 0.0
    later, dated = _later(samples, units)
    if dated and later < LATER * dated:
        return 0.0
    signs = [[_signature(sample.view, unit) for unit in found] for sample, found in zip(samples, units, strict=True)]
    on_pages = Counter(sign for found in signs for sign in set(found))
    texts = [sign for found in signs for sign in found]
    recurring = sum(on_pages[sign] > 1 for sign in texts) / total
    if recurring > RECURRING or sum(map(len, texts)) < LEAST * total:
        return 0.0
    if _share_in_articles(samples, units) > IN_ARTICLES or _share_linked(samples, units) > IN_ARTICLES:
        return 0.0
    sizes = Counter(len(found) for found in units)
    if len(sizes) == 1 and len(units) > 2 and not dated:
        return 0.0
    return round(
        (total + 1) / (total + 2) * (pages / (pages + 1)) * (1 - recurring) * (later / dated if dated else 0.8), 3
    )


def _later(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> tuple[int, int]:
    """How many comments are not older than their post, and of how many one can tell."""
    later = dated = 0
    for sample, found in zip(samples, units, strict=True):
        if sample.published is None:
            continue
        for unit in found:
            moments = _moments(sample.view, unit)
            dated += bool(moments)
            later += any((moment.date - sample.published.date).days >= -DAY for moment in moments)
    return later, dated


def _moments(view: View, unit: Unit) -> tuple[Moment, ...]:
    text = view.day_at(unit.anchor) if unit.anchor is not None else None
    return view.reader.moments(text) if text else ()


def _signature(view: View, unit: Unit) -> str:
    """What a comment says besides its date, as far as that tells it from others."""
    parts: list[str] = []
    size = 0
    anchor = unit.anchor
    for position in unit.own:
        if anchor is not None and anchor <= position < view.ends[anchor]:
            continue
        text = view.runs[2 * position].strip()
        if text:
            parts.append(text[:SIGNATURE])
            size += len(parts[-1])
        if size > SIGNATURE:
            break
    return fold(" ".join(parts))[:SIGNATURE]


def _share_in_articles(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> float:
    """The share of comments whose longest text the article has."""
    held = total = 0
    for sample, found in zip(samples, units, strict=True):
        total += len(found)
        held += sum(_is_in_article(sample, unit) for unit in found)
    return held / total if total else 0.0


def _is_in_article(sample: Sample, unit: Unit) -> bool:
    longest = max((sample.view.runs[2 * position] for position in unit.own), key=len, default="")
    return fold(longest) in sample.article


def _share_linked(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> float:
    """The share of what could be comments whose text is hardly more than links."""
    linked = total = 0
    for sample, found in zip(samples, units, strict=True):
        view = sample.view
        for unit in found:
            inside = whole = 0
            in_link: set[int] = set()
            for position in unit.own:
                if view.parents[position] in in_link or _links_to_site(view, position):
                    in_link.add(position)
                if unit.anchor is not None and unit.anchor <= position < view.ends[unit.anchor]:
                    continue
                whole += (size := len(view.runs[2 * position].strip()) + len(view.runs[2 * position + 1].strip()))
                inside += len(view.runs[2 * position].strip()) if position in in_link else 0
            total += 1
            linked += whole > 0 and inside >= LINKED * whole
    return linked / total if total else 0.0


def _links_to_site(view: View, position: int) -> bool:
    """Is a node a link to another page of the blog's site?"""
    node = view.nodes[position]
    target = resolve(node.get("href") or "", view.url) if node.tag == "a" else None
    return target is not None and urlsplit(target).netloc == urlsplit(view.url).netloc


def _chosen(
    samples: Sequence[Sample], candidates: Sequence[tuple[_Key, Form, list[list[Unit]], float]]
) -> Iterator[Found]:
    """Of forms that share comments that of the largest elements, and of those the one with most comments."""
    taken: list[set[int]] = [set() for _ in samples]
    ranked = sorted(
        (candidate for candidate in candidates if candidate[3] > 0),
        key=lambda one: (one[1].skips, one[0].dates, one[0].is_loose, -sum(map(len, one[2])), -len(one[1].chain)),
    )
    for _, form, units, confidence in ranked:
        anchors = [{unit.anchor for unit in found if unit.anchor is not None} for found in units]
        total = sum(map(len, anchors))
        shared = sum(len(mine & others) for mine, others in zip(anchors, taken, strict=True))
        if total and shared <= 0.1 * total:
            for others, found, sample in zip(taken, units, samples, strict=True):
                others.update(anchor for unit in found for anchor in unit.own if anchor in sample.view.anchors)
            yield Found(form, units, confidence)
