"""Comments of blogs whose posts have one at most: no siblings show where they begin and end.

What is in one place on some pages and not on others, with a day that is not before the post's, is a comment if it says
something of its own. Its element has a name of its own, or is an item of a list.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.comments.evidence import confidence_of
from blogcrawler.wrapper.comments.forms import context_of, form_of, tokens_of
from blogcrawler.wrapper.comments.units import Form
from blogcrawler.wrapper.rules import steady

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.evidence import Sample
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

LEVELS = 12
LEAST = 3
"""Pages with such a comment."""
MOST = 0.8
"""Share of the pages, at most: what all have is the template's."""
DOUBT = 0.8
ITEMS = frozenset(["li", "article", "tr", "dd"])


class _Place(NamedTuple):
    #: forms from the node with the date to the comment's element
    chain: tuple[str, ...]
    context: str


def lone_forms(samples: Sequence[Sample], least: int = LEAST) -> Iterator[tuple[Form, list[list[Unit]], float]]:
    """The forms of such comments on `least` pages, with those of each page and the confidence in them. O(n)."""
    pages: dict[_Place, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for number, sample in enumerate(samples):
        for place, anchor, unit in _places(sample.view):
            pages[place][number].append((anchor, unit))
    for place, shown in pages.items():
        is_lone = all(len(found) == 1 for found in shown.values())
        if not is_lone or not least <= len(shown) <= MOST * len(samples):
            continue
        views = [(samples[number].view, *found[0]) for number, found in shown.items()]
        if all(_is_item(view, unit) for view, _, unit in views):
            form = _form(place, views)
            units = [form.select(sample.view) for sample in samples]
            yield form, units, round(DOUBT * confidence_of(samples, units), 3)


def _places(view: View) -> Iterator[tuple[_Place, int, int]]:
    for anchor in view.anchors:
        chain: tuple[str, ...] = ()
        for level, position in enumerate(view.around(anchor)):
            if level > LEVELS or view.parents[position] < 0:
                break
            chain = (*chain, form_of(view.nodes[position]))
            if _is_item(view, position):
                yield _Place(chain, context_of(view, view.parents[position])), anchor, position


def _is_item(view: View, position: int) -> bool:
    """True for an item of a list, and for an element whose name is on no other page."""
    node = view.nodes[position]
    name = node.get("id") or ""
    return node.tag in ITEMS or (bool(name) and not steady(name))


def _form(place: _Place, views: Sequence[tuple[View, int, int]]) -> Form:
    tokens: list[frozenset[str]] = []
    for level in range(len(place.chain)):
        rows = []
        for view, anchor, _ in views:
            position = next(at for number, at in enumerate(view.around(anchor)) if number == level)
            rows.append(tokens_of(view.nodes[position]))
        tokens.append(frozenset.intersection(*rows))
    first = place.chain[-1].partition(".")[2]
    tokens[-1] = frozenset([first] if first else [])  # a first comment may have other classes for being the first
    tags = tuple(step.partition(".")[0] for step in place.chain)
    return Form(tags, frozenset([place.context]), tuple(tokens))
