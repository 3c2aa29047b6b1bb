"""Writes data/comment_authors.json, the model that tells authors' names in comments, out of a corpus of blogs.

    python -m tests.wrapper.comments.build_author_model FOLDER [--jobs N]

The file that is shipped is overwritten, and how often the likeliest candidate is right on the other half is printed.
Each candidate in the comments of a draw is labelled by the truth: it is right if it gives nearly all of the names.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from blogcrawler.serialise import dump
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments import CommentExample
from blogcrawler.wrapper.comments.author_model import features, layout_of
from blogcrawler.wrapper.comments.authors import candidates
from blogcrawler.wrapper.comments.comment_feeds import FeedMatcher
from blogcrawler.wrapper.comments.features import Sample
from blogcrawler.wrapper.comments.group_model import LogisticModel
from blogcrawler.wrapper.comments.groups import find_forms
from blogcrawler.wrapper.comments.learn import regions_of, samples_of
from blogcrawler.wrapper.comments.region import Region
from tests.benchmarks.blogs import archives, half_of, read_archive
from tests.benchmarks.ours import learned
from tests.wrapper.comments import test_themes, test_traps
from tests.wrapper.comments.build_model import DATA, SHORT, corpus_of, fit_labelled
from tests.wrapper.comments.made import Said, example, thread, wrapper
from tests.wrapper.comments.themes import THEMES

DRAWS = {30: 1, 15: 2, 8: 3, 5: 3, 4: 3, 3: 3, 2: 3, 1: 3}
"""How often so many pages are drawn, of those with comments."""
NEWEST, SPREAD = 15, 30
"""Posts of a blog."""
RIGHT, WRONG = 0.95, 0.7
"""Share of the names that a candidate gives: from the one on it is right, up to the other wrong."""
KNOWN = 0.25
"""Share of draws in which a feed names some of the people."""
LEAST = 0.6
"""Share of the comments of a form that the truth has."""
REGULARISATION = 150.0
"""scikit-learn's C, where the weights of right candidates sum up to 1, as do those of wrong ones."""
POSTS = range(200, 230)
SIGN = "..."
SIGNED = 0.4
"""Share of comments of people who call themselves so."""
GENERATED = 0.4
"""Weight of a generated blog, where that of a real one is 1."""


class Row(NamedTuple):
    """A candidate, labelled."""

    blog: str
    draw: int
    features: Mapping[str, float]
    is_right: bool


def rows_of(name: str, samples: Sequence[Sample], told: Sequence[Mapping[str, str]]) -> Iterator[Row]:
    """The candidates in draws of a blog's pages; `told` are names by the beginnings of comments, for each page."""
    source = random.Random(name)
    shown = [at for at, names in enumerate(told) if names]
    draws = [size for size, times in DRAWS.items() for _ in range(times)]
    for number, size in enumerate(draws):
        drawn = sorted(source.sample(shown, min(size, len(shown))))
        people = {fold(who) for at in drawn for who in told[at].values()} if source.random() < KNOWN else set()
        mine = [samples[at] for at in drawn]
        for form, found in enumerate(find_forms(mine, FeedMatcher([None] * len(mine)))):
            pages = regions_of(mine, found.units)
            numbers = [at for at, units in zip(drawn, found.units, strict=True) if units]
            names = [_author(one, told[at]) for at, page in zip(numbers, pages, strict=False) for one in page]
            if sum(map(bool, names)) >= LEAST * len(names):
                regions = [one for page in pages for one in page]
                yield from _rows(name, 10 * number + form, regions, names, people)


def _rows(
    blog: str, draw: int, regions: Sequence[Region], names: Sequence[str | None], people: set[str]
) -> Iterator[Row]:
    layouts = [*map(layout_of, regions)]
    for one in candidates(regions):
        equal = [fold(name) == fold(names[at] or "") for at, name in one.names.items() if names[at]]
        share = sum(equal) / max(1, len(equal))
        if share >= RIGHT or share <= WRONG:
            yield Row(blog, draw, features(layouts, one.place, one.names, people), share >= RIGHT)


def _author(region: Region, told: Mapping[str, str]) -> str | None:
    text = fold(" ".join(text for *_, text in region.runs))
    return next((author for beginning, author in told.items() if beginning in text), None)


def rows_of_archive(path: Path) -> list[Row]:
    """The labelled candidates in posts of a real blog that have comments, the newest and others spread over the rest."""
    blog = read_archive(path)
    posts = [post for post in blog.posts if post.truth.get("comments")]
    if not posts or not blog.training:
        return []
    step = max(1, (len(posts) - NEWEST) // SPREAD)
    corpus = corpus_of(blog.name, posts[:NEWEST] + posts[NEWEST::step][:SPREAD], learned(blog))
    return list(rows_of(corpus.name, corpus.samples, corpus.names))


def generated_rows() -> Iterator[Row]:
    """The labelled candidates of generated blogs: with names, with signs for names, and of lists that have none."""
    for name, theme in THEMES.items():
        for kind, sign in (("named", ""), ("signed", SIGN)):
            source = random.Random(name + kind)
            said = {post: _thread(source, post, sign, threaded=theme.threaded) for post in POSTS}
            examples = [example(post, theme.write(comments)) for post, comments in said.items()]
            told = [{fold(one.text)[:SHORT]: one.author for one in comments} for comments in said.values()]
            yield from rows_of(f"generated {name} {kind}", samples_of(examples, wrapper()), told)
    for trap in (*test_themes.TRAPS, *test_traps.TRAPS):
        yield from nameless_rows(f"generated {trap.__name__}", [example(post, trap(post)) for post in POSTS])
    yield from nameless_rows("generated beginnings", [example(post, beginnings(thread(post, 3))) for post in POSTS])


def _thread(source: random.Random, post: int, sign: str, *, threaded: bool) -> list[Said]:
    said = thread(post, source.choice([1, 1, 2, 3, 5]), threaded=threaded)
    return [replace(one, author=sign) if sign and source.random() < SIGNED else one for one in said]


def beginnings(said: Sequence[Said]) -> str:
    """Comments without names, with titles that a program makes of their texts."""
    return "".join(
        f"<div class='c' id='c{one.number}'><h4><a href='#c{one.number}'>{one.text[:24]}</a></h4>"
        f"<p>#{place} - {one.published:%Y-%m-%d %H:%M}</p><div class='t'>{one.text}</div></div>"
        for place, one in enumerate(said, 1)
    )


def nameless_rows(name: str, examples: Sequence[CommentExample]) -> Iterator[Row]:
    """The candidates in lists of which none names an author."""
    samples = samples_of(examples, wrapper())
    for draw, size in enumerate(DRAWS):
        mine = samples[:size]
        for found in find_forms(mine, FeedMatcher([None] * len(mine))):
            regions = [one for page in regions_of(mine, found.units) for one in page]
            layouts = [*map(layout_of, regions)]
            for one in candidates(regions):
                yield Row(name, draw, features(layouts, one.place, one.names, set()), is_right=False)


def fit(rows: Sequence[Row]) -> LogisticModel:
    """The model of labelled candidates; all blogs weigh the same, and right candidates as much as wrong ones."""
    labelled = [(row.blog, row.features, row.is_right) for row in rows]
    return fit_labelled(labelled, lambda blog: GENERATED if blog.startswith("generated") else 1.0, REGULARISATION)


def report(model: LogisticModel, rows: Sequence[Row]) -> None:
    """Print for each blog in how many draws the likeliest candidate is right, of those with a right one."""
    draws: dict[str, dict[int, list[tuple[float, bool]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        draws[row.blog][row.draw].append((model.probability(row.features), row.is_right))
    right = total = sure = 0
    for blog, found in draws.items():
        best = [max(one) for one in found.values() if any(is_right for _, is_right in one)]
        mine = sum(is_right for _, is_right in best)
        if mine < len(best):
            print(f"{blog:30}{mine:4} of {len(best)}")
        right, total = right + mine, total + len(best)
        sure += sum(chance > 0.5 and is_right for chance, is_right in best)
    print(f"{right} of {total} draws right: {right / max(1, total):.3f}, above 0.5: {sure / max(1, total):.3f}")


def main() -> None:
    """Write the file among the data of the package, and print what it is worth."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", type=Path)
    reader.add_argument("--jobs", type=int, default=1)
    given = reader.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        real: list[Any] = list(chain.from_iterable(pool.map(rows_of_archive, archives(given.folder))))
    mine = [*(row for row in real if half_of(row.blog) == "A"), *generated_rows()]
    model = fit(mine)
    text = json.dumps(dump(model), indent=0)
    DATA.joinpath("comment_authors.json").write_text(text + "\n", encoding="utf-8")
    report(model, mine)
    report(model, [row for row in real if half_of(row.blog) == "B"])


if __name__ == "__main__":
    main()
