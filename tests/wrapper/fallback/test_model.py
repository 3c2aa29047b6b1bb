"""Discretising, the line classifier, blocks and their scores."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from blogcrawler.dom import parse
from blogcrawler.errors import NotEnoughExamples, UnreadableRules
from blogcrawler.serialise import dump, load
from blogcrawler.wrapper.fallback.blocks import informative_blocks, main_container, main_lines, topical_blocks
from blogcrawler.wrapper.fallback.features import features
from blogcrawler.wrapper.fallback.lines import Block, Lines
from blogcrawler.wrapper.fallback.model import Discretiser, LineModel, shipped_model
from tests.wrapper.fallback.build_model import LabelledPage, fit_cuts, fit_model
from tests.wrapper.pages import POSTS, classic

CUTS = Discretiser((2.0,), (4.0,), (7.0,))


@pytest.mark.parametrize(
    ("value", "levels"),
    [(0, (1, 0, 0)), (2, (1, 0, 0)), (3, (0.5, 0.5, 0)), (4, (0, 1, 0)), (5.5, (0, 0.5, 0.5)), (9, (0, 0, 1))],
)
def test_levels_of_a_value(value: float, levels: tuple[float, ...]) -> None:
    assert tuple(float(level[0, 0]) for level in CUTS.levels(np.array([[value]]))) == levels


def test_cut_points_lie_half_way_between_least_mean_and_most() -> None:
    values = np.array([[0.0], [2.0], [6.0], [10.0]])
    found = fit_cuts(values, np.array([False, False, False, True]))
    # alpha is 0.5: the mean of topical lines is 10, of the others 8/3; MIN and MAX are percentiles
    least, most = np.percentile(values, (2, 98))
    mean = 0.5 * 10 + 0.5 * 8 / 3
    assert found.mean[0] == pytest.approx(mean, abs=1e-4)
    assert found.low[0] == pytest.approx((least + mean) / 2, abs=1e-4)
    assert found.high[0] == pytest.approx((mean + most) / 2, abs=1e-4)


@given(arrays.arrays(float, st.tuples(st.integers(2, 20), st.just(2)), elements=st.floats(-1e3, 1e3)), st.data())
def test_levels_are_probabilities_and_one_of_them_is_nothing(values: np.ndarray, data: st.DataObject) -> None:
    topical = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))))
    cuts = fit_cuts(values, topical)
    low, middle, high = cuts.levels(values)
    assert np.allclose(low + middle + high, 1)
    assert (np.minimum(low, high) == 0).all()
    assert min(low.min(), middle.min(), high.min()) >= 0
    assert load(Discretiser, json.loads(json.dumps(dump(cuts)))) == cuts


def flags(marks: str) -> np.ndarray:
    return np.array([mark == "x" for mark in marks])


@pytest.mark.parametrize(
    ("marks", "blocks"),
    [
        ("", []),
        ("....", []),
        (".xx..x.", [range(1, 6)]),
        ("x....x", [range(6)]),  # four others in a row: phi - 1
        ("x.....x", [range(1), range(6, 7)]),
        ("x......xx", [range(1), range(7, 9)]),
    ],
)
def test_topical_blocks(marks: str, blocks: list[range]) -> None:
    assert topical_blocks(flags(marks)) == blocks


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 8))
def test_every_topical_line_is_in_one_block_that_it_may_begin_and_end(topical: list[bool], window: int) -> None:
    blocks = topical_blocks(topical, window)
    inside = [place for block in blocks for place in block]
    assert len(inside) == len(set(inside))
    assert {place for place, yes in enumerate(topical) if yes} <= set(inside)
    assert all(topical[block[0]] and topical[block[-1]] for block in blocks)
    assert all(after[0] - before[-1] > window for before, after in pairwise(blocks))


def test_a_block_is_informative_by_its_mean_score() -> None:
    scores, weights = np.array([0.9, 0.1, 0.2, 0.9]), np.array([10.0, 10.0, 10.0, 90.0])
    # means: (9 + 1) / 20 = 0.5 and (2 + 81) / 100 = 0.83
    assert informative_blocks([range(2), range(2, 4)], scores, weights, 0.5) == [range(2, 4)]
    assert informative_blocks([range(2), range(2, 4)], scores, weights, 0.49) == [range(2), range(2, 4)]


def test_the_container_is_where_most_speaks_for_it() -> None:
    body, menu, post, comments = (Block(parse("<p>"), parent, *span) for parent, span in
                                  [(-1, (0, 6)), (0, (0, 2)), (0, (2, 5)), (0, (5, 6))])  # fmt: skip
    blocks = [body, menu, post, comments]
    likely, sizes = np.array([0.0, 0.0, 0.9, 0.35, 0.9, 0.3]), np.array([9.0, 9.0, 50.0, 5.0, 50.0, 60.0])
    # post: 25 - 0.25 + 25; body: that - 7.2 - 6
    assert main_container(blocks, likely, sizes) == 2
    assert main_lines(blocks, 2, likely, sizes).tolist() == [False, False, True, True, True, False]


def labelled() -> list[LabelledPage]:
    found = []
    for one in POSTS:
        root = parse(classic(one))
        page = Lines(root)
        found.append(LabelledPage(page, root, [line.text in one.paragraphs for line in page.lines]))
    return found


def test_a_trained_model_tells_the_lines_of_its_pages_apart_and_is_kept_as_json() -> None:
    pages = labelled()
    model = fit_model(pages)
    for page in pages:
        likely = model.probabilities(features(page.lines, page.root)) > 0.5
        assert likely.tolist() == page.topical
    assert load(LineModel, json.loads(json.dumps(dump(model)))) == model
    assert fit_model(labelled()) == model


def test_pages_without_main_text_teach_nothing() -> None:
    pages = [LabelledPage(page.lines, page.root, [False] * len(page.topical)) for page in labelled()]
    with pytest.raises(NotEnoughExamples):
        fit_model(pages)
    with pytest.raises(NotEnoughExamples):
        fit_model([])


def test_the_shipped_model_has_a_weight_for_each_feature() -> None:
    page = labelled()[0]
    assert shipped_model().names == tuple(features(page.lines, page.root))


def test_a_damaged_model_is_refused() -> None:
    data = dump(shipped_model())
    with pytest.raises(UnreadableRules):
        load(LineModel, {**data, "low": data["low"][:-1]})
