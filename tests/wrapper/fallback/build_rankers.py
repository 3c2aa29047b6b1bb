"""Writes data/title.json and data/date.json, rankers of candidates, out of blogs and of single pages with truth.

    python -m tests.wrapper.fallback.build_rankers CORPUS_DIR PAGES_DIR [--half 0|1]

CORPUS_DIR holds archives of blogs, of which those of half A are read; PAGES_DIR pages in the form of WCXB (see
`training_pages`). With `--half` only the pages of half of the sites are trained on, so that the others can be scored with
`python -m tests.benchmarks.pages PAGES_DIR --half`.
"""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

import blogcrawler.wrapper.fallback
from blogcrawler.serialise import dump
from blogcrawler.wrapper.fallback.dates import date_candidates
from blogcrawler.wrapper.fallback.extract import extract_main_text
from blogcrawler.wrapper.fallback.head_titles import NO_ENDS
from blogcrawler.wrapper.fallback.ranking import Candidate, Ranker
from blogcrawler.wrapper.fallback.titles import find_title, title_candidates
from tests.benchmarks.scoring import clean, moment, same_day
from tests.wrapper.fallback.training_pages import of_corpus, of_pages, read_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from tests.wrapper.fallback.training_pages import SitePage

DATA = Path(blogcrawler.wrapper.fallback.__file__).with_name("data")
PENALTY = 5.0
"""Half of the square of each weight costs as much as so many nats."""
DIGITS = 3

POST, OTHER, BLOG = 1.0, 0.3, 0.5
"""Weights of a single post, of a single page that is none, and of a page of a blog, which is like the blog's others."""

Question = tuple[list[Candidate], list[bool], float]
"""The candidates of a page, which of them are right, and the page's weight."""


def fit(questions: Sequence[Question]) -> Ranker:
    """The weights with the greatest likelihood of what is right, or of none where nothing is."""
    names = sorted({name for candidates, _, _ in questions for one in candidates for name in one.signs})
    place = {name: at for at, name in enumerate(names)}
    importance = np.array([weight for _, _, weight in questions])
    rows, right, starts = [], [], [0]
    for candidates, truth, _ in questions:
        for one, is_right in zip(candidates, truth, strict=True):
            row = np.zeros(len(names) + 1)
            for name, value in one.signs.items():
                row[place[name]] = value
            rows.append(row)
            right.append(is_right)
        none = np.zeros(len(names) + 1)
        none[-1] = 1.0
        rows.append(none)
        right.append(not any(truth))
        starts.append(len(rows))
    table, correct, edges = np.array(rows), np.array(right), np.array(starts)
    owner = np.repeat(np.arange(len(questions)), np.diff(edges))

    def loss(vector: np.ndarray) -> tuple[float, np.ndarray]:
        logits = table @ vector
        whole, won = _sums(logits, edges), _sums(np.where(correct, logits, -np.inf), edges)
        shares = np.exp(logits - whole[owner]) - np.exp(np.where(correct, logits - won[owner], -np.inf))
        value = float((importance * (whole - won)).sum() + PENALTY / 2 * (vector**2).sum())
        return value, table.T @ (shares * importance[owner]) + PENALTY * vector

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    told = {name: round(float(found[at]), DIGITS) for name, at in place.items()}
    return Ranker({name: weight for name, weight in told.items() if weight}, round(float(found[-1]), DIGITS))


def _sums(logits: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """For each page the logarithm of the sum of the exponentials of its logits."""
    most = np.maximum.reduceat(logits, edges[:-1])
    shifted = np.exp(logits - np.repeat(most, np.diff(edges)))
    found: np.ndarray = np.log(np.add.reduceat(shifted, edges[:-1])) + most
    return found


def title_questions(page: SitePage, container: HtmlElement | None) -> Iterator[Question]:
    """What may be the title, where nothing is known of the site, and where its pages' titles are."""
    if page.truth.get("title") is None:
        return
    for ends in dict.fromkeys([NO_ENDS, page.ends]):
        candidates = title_candidates(page.root, page.url, container, ends)
        yield candidates, [clean(one.value) == clean(page.truth["title"]) for one in candidates], _weight(page)


def date_question(page: SitePage, container: HtmlElement | None) -> Question:
    """What may be the date, below the title as it is found; a page without a date teaches that, but less surely."""
    title = find_title(page.root, page.url or None, container, page.ends)
    candidates = date_candidates(page.root, page.url or None, title.value if title else None)
    day = moment(page.truth.get("published"))
    right = [day is not None and same_day(day, moment(one.value)) for one in candidates]
    return candidates, right, OTHER if day is None and not page.is_of_blog else _weight(page)


def _weight(page: SitePage) -> float:
    return BLOG if page.is_of_blog else POST if page.is_post else OTHER


def main() -> None:
    """Write the files among the data of the package."""
    arguments = read_arguments(__doc__)
    titles: list[Question] = []
    dates: list[Question] = []
    for page in chain(of_corpus(arguments.corpus), of_pages(arguments.pages, arguments.half)):
        text = extract_main_text(page.root)
        container = text.container if text is not None else None
        titles += title_questions(page, container)
        dates.append(date_question(page, container))
    for name, questions in {"title": titles, "date": dates}.items():
        written = json.dumps(dump(fit(questions)), indent=0, separators=(",", ": "))
        DATA.joinpath(f"{name}.json").write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
