"""Blogs with several templates: the posts of 2009 and of 2019, photographs beside essays.

Training pages whose articles are in elements without a name in common are of different templates. A page is read by the
rules of the template whose key, the rule of its article, fits it (the key-path of AdaptivePost, section III-E).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from blogcrawler.wrapper.rules import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blogcrawler.wrapper.training import TrainingPage

ENOUGH = 3
"""Training pages that a template is learned from."""

Learnt = TypeVar("Learnt")


def clusters(pages: Sequence[TrainingPage]) -> list[list[TrainingPage]]:
    """The training pages of each template that has enough of them; nothing where there is but one."""
    place = {page: number for number, page in enumerate(pages)}
    found: list[tuple[set[str], list[TrainingPage]]] = []
    for page in pages:
        if page.nearest is None:
            continue
        names = {step for _, step in names_of(page.nearest)} or {str(page.nearest.tag)}
        same = [cluster for cluster in found if not cluster[0].isdisjoint(names)]
        found = [cluster for cluster in found if cluster[0].isdisjoint(names)]
        joined = sorted((one for _, members in same for one in members), key=place.__getitem__)
        found.append((names.union(*(known for known, _ in same)), [*joined, page]))
    large = [members for _, members in found if len(members) >= ENOUGH]
    return sorted(large, key=len, reverse=True) if len(large) > 1 else []


def in_order_of_keys(
    templates: Sequence[tuple[Learnt, Sequence[TrainingPage]]], fits: Callable[[Learnt, TrainingPage], bool]
) -> tuple[Learnt, ...]:
    """The templates, so ordered that the first whose key fits a page is its own; none where that is impossible."""
    ordered: list[Learnt] = []
    rest = list(templates)
    while rest:
        first = next(
            (place for place, (template, own) in enumerate(rest) if not _fits_others(template, own, rest, fits)), None
        )
        if first is None:
            return ()
        ordered.append(rest.pop(first)[0])
    return tuple(ordered)


def _fits_others(
    template: Learnt,
    own: Sequence[TrainingPage],
    rest: Sequence[tuple[Learnt, Sequence[TrainingPage]]],
    fits: Callable[[Learnt, TrainingPage], bool],
) -> bool:
    return any(fits(template, page) for _, pages in rest if pages is not own for page in pages)
