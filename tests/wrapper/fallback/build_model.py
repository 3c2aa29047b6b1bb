"""Writes data/lines.json, the line classifier for blogs with no page to train on, out of blogs and single pages.

    python -m tests.wrapper.fallback.build_model CORPUS_DIR PAGES_DIR [--half 0|1]

The arguments are those of `build_rankers`.
"""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.linear_model import LogisticRegression

import blogcrawler.wrapper.fallback
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.serialise import dump
from blogcrawler.similarity import fold
from blogcrawler.wrapper.containment import Shingles
from blogcrawler.wrapper.fallback.features import features
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import (
    DIGITS,
    ITERATIONS,
    SOLVER,
    Discretiser,
    LabelledPage,
    LineModel,
    training_matrix,
)
from tests.wrapper.fallback.training_pages import of_corpus, of_pages, read_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tests.wrapper.fallback.training_pages import LabelledSite

DATA = Path(blogcrawler.wrapper.fallback.__file__).with_name("data")
ALPHA = 0.5
"""Weight of topical lines in MEAN."""
TAILS = (2, 98)
"""Percentiles that stand for MIN and MAX."""
CUT_DIGITS = 5
REGULARISATION = 0.02
"""scikit-learn's C, for weights of lines that are 1 on average."""
UNKNOWN = ("is_preformatted", "dated")
"""Features of lines that some benchmarks leave out of their truth, and others do not."""


def fit_cuts(values: NDArray[np.float64], topical: NDArray[np.bool_]) -> Discretiser:
    """Cut points of features (columns) of lines (rows); MEAN is that of all lines where they are of one sort."""
    least, most = np.percentile(values, TAILS, axis=0)
    rare = least == most
    least[rare], most[rare] = values.min(axis=0)[rare], values.max(axis=0)[rare]
    mean = values.mean(axis=0)
    if topical.any() and not topical.all():
        mean = ALPHA * values[topical].mean(axis=0) + (1 - ALPHA) * values[~topical].mean(axis=0)
    mean = np.clip(mean, least, most)
    cuts = (least + mean) / 2, mean, (mean + most) / 2
    return Discretiser(*(tuple(np.round(cut, CUT_DIGITS).tolist()) for cut in cuts))


def fit_model(pages: Sequence[LabelledPage]) -> LineModel:
    """Learn from labelled pages. Raises NotEnoughExamples where they do not hold lines of both sorts."""
    columns, topical, weights, names = training_matrix(pages)
    if topical.all() or not topical.any():
        raise NotEnoughExamples("There are no lines of main text, or no others, to learn from.")
    cuts = fit_cuts(columns, topical)
    low, _, high = cuts.levels(columns)
    fitted = LogisticRegression(C=REGULARISATION, solver=SOLVER, max_iter=ITERATIONS)
    fitted.fit(np.hstack([low, high]), topical, sample_weight=weights)
    found = tuple(np.round(fitted.coef_[0], DIGITS).tolist())
    return LineModel(names, cuts, found[: len(names)], found[len(names) :], round(float(fitted.intercept_[0]), DIGITS))


def labelled(page: LabelledSite) -> LabelledPage:
    """A page with its labels. Whether code and bylines are main text is not known of single pages: truths differ."""
    lines = Lines(page.root)
    held = Shingles(text for line in page.truth["content_lines"] if (text := fold(line)))
    topical = [held.hold(fold(line.text)) for line in lines.lines]
    if not page.is_of_blog:
        told = features(lines, page.root) if lines.lines else {}
        unknown = [any(told[name][at] for name in UNKNOWN) for at in range(len(topical))]
        topical = [None if is_unknown else yes for is_unknown, yes in zip(unknown, topical, strict=True)]
    return LabelledPage(lines, page.root, topical)


def main() -> None:
    """Write the file among the data of the package."""
    arguments = read_arguments(__doc__)
    pages = (page for page in of_corpus(arguments.corpus) if page.is_post)
    single = (page for page in of_pages(arguments.pages, arguments.half) if page.is_post)
    model = fit_model([labelled(page) for page in chain(pages, single)])
    text = json.dumps(dump(model), indent=0, separators=(",", ":"))
    DATA.joinpath("lines.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
