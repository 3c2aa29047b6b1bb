"""Writes data/lines.json, the line classifier, and data/article.json, how sure of an article it may be.

    python -m tests.wrapper.fallback.build_model CORPUS_DIR PAGES_DIR [--half 0|1]

The arguments are those of `build_rankers`, which is to be run afterwards. How sure an article is was fitted to pages that
the line classifier had not seen: two of these are learned from the two halves of the sites.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import numpy as np
from sklearn.linear_model import LogisticRegression

import blogcrawler.wrapper.fallback
from blogcrawler.dom import fragment, readable_text
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.serialise import dump
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.containment import Shingles
from blogcrawler.wrapper.fallback.extract import extract_main_text
from blogcrawler.wrapper.fallback.features import features
from blogcrawler.wrapper.fallback.lines import Lines
from blogcrawler.wrapper.fallback.model import Discretiser, LineModel
from tests.benchmarks.scoring import RIGHT, scores
from tests.wrapper.fallback.build_rankers import fit
from tests.wrapper.fallback.training_pages import of_corpus, of_pages, read_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from blogcrawler.wrapper.fallback.ranking import Ranker
    from tests.wrapper.fallback.build_rankers import Question
    from tests.wrapper.fallback.training_pages import SitePage

DATA = Path(blogcrawler.wrapper.fallback.__file__).with_name("data")
ALPHA = 0.5
"""Weight of topical lines in MEAN."""
TAILS = (2, 98)
"""Percentiles that stand for MIN and MAX."""
CUT_DIGITS = 5
DIGITS = 4
REGULARISATION = 0.05
"""scikit-learn's C, for weights of lines that are 1 on average."""
BLOG = 0.2
"""Weight of a page of a blog, which is like the blog's others, where that of a single page is 1."""
MOST_LINES = 100
"""Lines of a page that are learned from."""
UNKNOWN = frozenset(["pre", "figcaption"])
"""Elements that single pages' truth leaves out."""
SURE, SHARE = 0.9, 0.97
"""What an article claims of which this share is right, at least."""


@dataclass(frozen=True)
class LabelledPage:
    """A page to train on."""

    lines: Lines
    root: HtmlElement
    #: for each line, whether it is main text; None where that is not known
    topical: Sequence[bool | None]
    weight: float = 1.0


class Rows(NamedTuple):
    """Lines whose label is known, with their labels and weights; and the names of the columns."""

    columns: NDArray[np.float64]
    topical: NDArray[np.bool_]
    weights: NDArray[np.float64]
    names: tuple[str, ...]


def labelled(one: SitePage) -> LabelledPage:
    """A post with its lines labelled by the truth."""
    html, text = one.truth.get("content_html"), one.truth.get("content_text") or ""
    page = Lines(one.root)
    told = [line.text for line in Lines(fragment(html)).lines] if html else text.splitlines()
    topical = label(page, told, is_whole=one.is_of_blog)
    return LabelledPage(page, one.root, topical, BLOG if one.is_of_blog else 1.0)


def label(page: Lines, told: Iterable[str], *, is_whole: bool) -> list[bool | None]:
    """For each line of a page, True if it is the article's, of which the lines are told; None for signs, for a few
    words that occur in it, and for what the truth leaves out where it is not whole."""
    held = Shingles(text for line in told if (text := fold(line.strip())))
    found = [held.hold(fold(line.text)) for line in page.lines]
    tags = [page.blocks[line.block].element.tag for line in page.lines]
    return [
        None if known is False and not is_whole and tag in UNKNOWN else known
        for known, tag in zip(found, tags, strict=True)
    ]


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


def rows_of(page: LabelledPage) -> Rows | None:
    """Lines of a page, drawn evenly; None where no label is known.

    A page's lines weigh as much as the page, a line by the square root of its length: a classifier that is right on all
    short lines and wrong on the long ones is of no use.
    """
    known = np.flatnonzero([label is not None for label in page.topical])
    if not len(known):
        return None
    if len(known) > MOST_LINES:
        known = np.sort(np.random.default_rng(0).choice(known, MOST_LINES, replace=False))
    told = features(page.lines, page.root)
    weights = np.sqrt(np.array([len(line.text) for line in page.lines.lines], float))[known]
    topical = np.array([bool(label) for label in page.topical])[known]
    columns = np.stack(list(told.values()), axis=1)[known]
    return Rows(columns, topical, page.weight * weights / weights.sum(), tuple(told))


def fit_model(pages: Iterable[LabelledPage]) -> LineModel:
    """Learn from labelled pages. Raises NotEnoughExamples where they do not hold lines of both sorts."""
    return fit_rows([rows for page in pages if (rows := rows_of(page)) is not None])


def fit_rows(rows: Sequence[Rows]) -> LineModel:
    """Learn from lines of pages. Raises NotEnoughExamples where there are none of a sort."""
    topical = np.concatenate([one.topical for one in rows]) if rows else np.zeros(0, bool)
    if topical.all() or not topical.any():
        raise NotEnoughExamples("There are no lines of main text, or no others, to learn from.")
    columns, weights = np.concatenate([one.columns for one in rows]), np.concatenate([one.weights for one in rows])
    cuts, names = fit_cuts(columns, topical), rows[0].names
    low, _, high = cuts.levels(columns)
    fitted = LogisticRegression(C=REGULARISATION, solver="newton-cholesky", tol=1e-3)
    fitted.fit(np.hstack([low, high]), topical, sample_weight=weights * len(weights) / weights.sum())
    found = tuple(np.round(fitted.coef_[0], DIGITS).tolist())
    return LineModel(names, cuts, found[: len(names)], found[len(names) :], round(float(fitted.intercept_[0]), DIGITS))


def fold_of(page: SitePage) -> int:
    """0 or 1, the same for all pages of a site."""
    return hashlib.sha256(page.site.encode()).digest()[1] % 2


def article_questions(pages: Iterable[SitePage], model: LineModel) -> Iterator[Question]:
    """The article that a line classifier finds on each page, and whether it is right."""
    with patch("blogcrawler.wrapper.fallback.extract.shipped_model", lambda: model):
        for page in pages:
            text = extract_main_text(page.root)
            if text is not None and page.truth.get("content_text"):
                right = scores(page.truth, {"content_text": readable_text(text.article)})["content"] >= RIGHT
                yield [text.candidate], [right], BLOG if page.is_of_blog else 1.0


def held_out(posts: Sequence[tuple[SitePage, Rows]]) -> list[Question]:
    """The articles of pages that are found by a line classifier of the other half of their sites."""
    found: list[Question] = []
    for half in (0, 1):
        model = fit_rows([rows for page, rows in posts if fold_of(page) != half])
        found += article_questions([page for page, _ in posts if fold_of(page) == half], model)
    return found


def trainable(pages: Iterable[SitePage]) -> list[tuple[SitePage, Rows]]:
    """The posts among pages, with their lines."""
    return [(page, rows) for page in pages if page.is_post and (rows := rows_of(labelled(page))) is not None]


def cautious(ranker: Ranker, questions: Sequence[Question]) -> Ranker:
    """The ranker, moved until enough of what claims 0.9 is right."""
    for step in range(100):
        moved = replace(ranker, none=round(ranker.none + step / 20, DIGITS))
        claims = [right[0] for found, right, _ in questions if moved.probabilities(found)[0] >= SURE]
        if claims and fmean(claims) >= SHARE:
            return moved
    return ranker


def main() -> None:
    """Write the files among the data of the package."""
    arguments = read_arguments(__doc__)
    both = chain(of_corpus(arguments.corpus), of_pages(arguments.pages, arguments.half, "article"))
    posts = trainable(both)
    questions = held_out(posts)
    fitted = {"lines": fit_rows([rows for _, rows in posts]), "article": cautious(fit(questions), questions)}
    for name, value in fitted.items():
        text = json.dumps(dump(value), indent=0, separators=(",", ":"))
        DATA.joinpath(f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
