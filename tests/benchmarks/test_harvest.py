"""The bars of the harvest benchmark, on a few sites."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.generated_sites import KINDS, Kind, generate
from tests.benchmarks.harvest import (
    LEAST_AREA,
    MOST_BEHIND,
    ORACLE,
    OURS,
    PATTERN,
    UNTIL_95_GENERATED,
    Run,
    area,
    crawl,
)
from tests.benchmarks.linkgraphs import Graph, read_graph

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "dev"
ALIKE = {"alike"}
"""Kinds on which nothing but the place of a link tells posts, and lists lie deep."""


def crawls(graph: Graph) -> dict[str, Run]:
    return {name: crawl(graph, name) for name in (OURS, PATTERN, ORACLE)}


def test_area_by_hand() -> None:
    run = Run(2, [1, 3], 4)
    assert run.area() == pytest.approx((3 + 1) / 8)
    assert (run.until(0.5), run.until(1)) == (0.5, 1.5)


def test_a_site_is_the_same_each_time() -> None:
    one, other = (generate(KINDS[0], 20, seed=3) for _ in range(2))
    assert one.posts == other.posts
    assert all(one.answer(url) == other.answer(url) for url in [one.home, *one.posts])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_sites_with_large_other_sections(kind: Kind) -> None:
    runs = crawls(generate(kind, 40))
    assert len(runs[OURS].found) == 40
    assert area(runs, OURS) >= max(LEAST_AREA - 0.1 * (kind.name in ALIKE), area(runs, PATTERN) - MOST_BEHIND)
    assert runs[OURS].until(0.95) <= UNTIL_95_GENERATED + 0.7 * (kind.name in ALIKE)


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the checkout")
@pytest.mark.parametrize("name", ["klen", "iffm", "excript", "vieuxsinge"])
def test_blogs(name: str) -> None:
    runs = crawls(read_graph(CORPUS / f"{name}.tar.xz"))
    assert len(runs[OURS].found) == runs[OURS].posts
    assert area(runs, OURS) >= max(LEAST_AREA, area(runs, PATTERN) - MOST_BEHIND)
