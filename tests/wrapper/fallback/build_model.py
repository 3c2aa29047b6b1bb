"""Writes data/lines.json, the line classifier for blogs with no page to train on, out of a corpus of blogs.

Run as ``python -m tests.wrapper.fallback.build_model CORPUS_DIR``. A corpus is a folder of archives NAME.tar.xz,
each with index.jsonl (url, file, type and post of each page) and truth.jsonl (url and content_html of each post). Every
other archive is trained on, the first one included, so that the rest can tell how good the model is.
"""

from __future__ import annotations

import json
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import blogcrawler.wrapper.fallback
from blogcrawler.dom import fragment, parse
from blogcrawler.errors import NotAWebPage, NotEnoughExamples
from blogcrawler.serialise import dump
from blogcrawler.similarity import fold
from blogcrawler.wrapper.containment import Shingles
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

DATA = Path(blogcrawler.wrapper.fallback.__file__).with_name("data")
ALPHA = 0.5
"""Weight of topical lines in MEAN."""
TAILS = (2, 98)
"""Percentiles that stand for MIN and MAX."""
CUT_DIGITS = 5
REGULARISATION = 0.02
"""scikit-learn's C, for weights of lines that are 1 on average."""
PAGES = 30
"""Posts of a blog that are trained on, evenly spread over its life."""


def label(page: Lines, article_html: str) -> list[bool | None]:
    """For each line of a page, True if it is the article's; None for signs, and for a few words that occur in it."""
    lines = Lines(fragment(article_html)).lines
    held = Shingles(text for line in lines if (text := fold(line.text)))
    return [held.hold(fold(line.text)) for line in page.lines]


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


def build(corpus: Path) -> LineModel:
    """Train on every other blog of a corpus, in alphabetical order. Raises NotEnoughExamples for an empty one."""
    archives = sorted(corpus.glob("*.tar.xz"))[::2]
    return fit_model([page for archive in archives for page in _pages(archive)])


def _pages(archive: Path) -> Iterator[LabelledPage]:
    with tarfile.open(archive) as tar:
        members = {member.name.removeprefix("./"): member for member in tar.getmembers()}

        def read(name: str) -> bytes:
            file = tar.extractfile(members[name])
            return file.read() if file is not None else b""

        index = {
            line["url"]: line for line in _json_lines(read("index.jsonl")) if line.get("post") and line.get("file")
        }
        truth = [post for post in _json_lines(read("truth.jsonl")) if post["url"] in index]
        for number in range(min(PAGES, len(truth))):
            post = truth[int(number * max(1.0, len(truth) / PAGES))]
            line = index[post["url"]]
            try:
                root = parse(read(line["file"]), content_type=line.get("type"))
            except NotAWebPage:
                continue
            page = Lines(root)
            yield LabelledPage(page, root, label(page, post.get("content_html") or ""))


def _json_lines(body: bytes) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in body.decode().split("\n") if line.strip())


def main() -> None:
    """Write the file among the data of the package."""
    text = json.dumps(dump(build(Path(sys.argv[1]))), indent=0, separators=(",", ":"))
    DATA.joinpath("lines.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
