"""Whether what is fitted holds elsewhere: each model is fitted to one half of the sites and scored on the other.

    python -m tests.benchmarks.crossval CORPUS PAGES [--models NAME,…] [--jobs N]

CORPUS holds archives of blogs, PAGES single pages in the form of WCXB (see `tests.benchmarks.pages`). Halves are told by a
hash of the blog's or the site's name, so no site is on both sides. Printed is, for each model and half that it is scored
on, of how many questions the likeliest answer is right, and how many of those claim 0.9 and are right: of a line whether
it is main text (weighted by the root of its length), of an article whether its F1 is 0.9, which candidate is the title or
the date (or that none is), and whether a group of a page's lists is comments. Nothing is written.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blogcrawler.wrapper.fallback.extract import extract_main_text
from blogcrawler.wrapper.fallback.ranking import Ranker
from tests.benchmarks.blogs import archives, half_of
from tests.wrapper.comments import build_model as comment_groups
from tests.wrapper.fallback.build_model import article_questions, cautious, fit_rows, held_out, trainable
from tests.wrapper.fallback.build_rankers import Question, date_question, fit, title_questions
from tests.wrapper.fallback.training_pages import SitePage, of_corpus, of_pages

SURE = 0.9
HALVES = ("A", "B")
MODELS = ("lines", "title", "date", "comments")


class Answer(NamedTuple):
    """What a model says of a question."""

    #: probability of the answer that it gives
    claim: float
    is_right: bool
    weight: float = 1.0


def main() -> None:
    """Print the table."""
    arguments = _arguments()
    chosen = arguments.models.split(",")
    print("| model | scored on | questions | right | claim 0.9 | of these right |\n|---|---|---|---|---|---|")
    if set(chosen) - {"comments"}:
        pages = {half: _pages(arguments.corpus, arguments.pages, half) for half in HALVES}
        for name, made in _page_models(chosen).items():
            for mine, others in (HALVES, HALVES[::-1]):
                for told, answers in made(pages[mine], pages[others]):
                    print(_row(told or name, others, answers))
    if "comments" in chosen:
        for half, answers in _comments(arguments.corpus, arguments.jobs):
            print(_row("comments", half, answers))


def _pages(corpus: Path, folder: Path, half: str) -> list[SitePage]:
    return list(chain(of_corpus(corpus, half), of_pages(folder, HALVES.index(half))))


Scored = Iterator[tuple[str, list[Answer]]]


def _page_models(chosen: Sequence[str]) -> dict[str, Callable[[Sequence[SitePage], Sequence[SitePage]], Scored]]:
    ranked = {"title": title_questions, "date": lambda page, container: [date_question(page, container)]}
    found: dict[str, Callable[[Sequence[SitePage], Sequence[SitePage]], Scored]] = {}
    if "lines" in chosen:
        found["lines"] = _lines
    for name in [name for name in ranked if name in chosen]:
        found[name] = lambda mine, others, ask=ranked[name]: _ranker(mine, others, ask)  # type: ignore[misc]
    return found


def _lines(mine: Sequence[SitePage], others: Sequence[SitePage]) -> Scored:
    """The line classifier, and how sure of articles it is."""
    here, there = trainable(mine), trainable(others)
    model = fit_rows([rows for _, rows in here])
    answers: list[Answer] = []
    for _, rows in there:
        likely = model.probabilities(dict(zip(rows.names, rows.columns.T, strict=True)))
        right = (likely > 0.5) == rows.topical
        answers += map(Answer, np.maximum(likely, 1 - likely), right, rows.weights)
    yield "", answers
    known = held_out(here)
    found = list(article_questions([page for page, _ in there], model))
    yield "article", _answers(cautious(fit(known), known), found)


def _ranker(
    mine: Sequence[SitePage],
    others: Sequence[SitePage],
    ask: Callable[[SitePage, object], Iterator[Question]],
) -> Scored:
    here, there = (list(chain.from_iterable(_asked(page, ask) for page in pages)) for pages in (mine, others))
    yield "", _answers(fit(here), there)


def _asked(page: SitePage, ask: Callable[[SitePage, object], Iterator[Question]]) -> Iterator[Question]:
    text = extract_main_text(page.root)
    yield from ask(page, text.container if text is not None else None)


def _answers(ranker: Ranker, questions: Sequence[Question]) -> list[Answer]:
    """What a ranker says of questions that it was not fitted to."""
    found = []
    for candidates, right, weight in questions:
        likely = ranker.probabilities(candidates)
        none = 1 - sum(likely)
        best = max(range(len(likely)), key=likely.__getitem__, default=None)
        is_none = best is None or none > likely[best]
        is_right = not any(right) if is_none else right[best]
        found.append(Answer(0.0 if is_none else likely[best], is_right, weight))
    return found


def _comments(corpus: Path, jobs: int) -> Iterator[tuple[str, list[Answer]]]:
    with ProcessPoolExecutor(jobs) as pool:
        rows = list(chain.from_iterable(pool.map(comment_groups.rows_of_archive, archives(corpus))))
    for mine, others in (HALVES, HALVES[::-1]):
        generated = comment_groups.generated_rows()
        model = comment_groups.fit([*(row for row in rows if half_of(row.blog) == mine), *generated])
        told = [(model.probability(row.features), row.is_comments) for row in rows if half_of(row.blog) == others]
        yield others, [Answer(likely, (likely > 0.5) == is_so) for likely, is_so in told]


def _row(name: str, half: str, answers: Sequence[Answer]) -> str:
    sure = [one for one in answers if one.claim >= SURE]
    shares = (
        sum(one.weight * one.is_right for one in some) / max(1e-9, sum(one.weight for one in some))
        for some in (answers, sure)
    )
    right, sure_right = (f"{share:.3f}" for share in shares)
    return f"| {name} | {half} | {len(answers)} | {right} | {len(sure)} | {sure_right} |"


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("corpus", type=Path)
    reader.add_argument("pages", type=Path)
    reader.add_argument("--models", default=",".join(MODELS))
    reader.add_argument("--jobs", type=int, default=1)
    return reader.parse_args()


if __name__ == "__main__":
    main()
