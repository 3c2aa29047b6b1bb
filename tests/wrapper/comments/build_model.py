"""Writes data/comment_groups.json, the model that tells comments from other lists, out of a corpus of blogs.

    python -m tests.wrapper.comments.build_model FOLDER [--jobs N]

The file that is shipped is overwritten, and how often the model is right on the other half is printed.
A corpus is a folder of archives (see `tests.benchmarks.blogs`). Of each blog some pages are drawn, many and few, and the
groups in them are labelled by the truth: a group is comments if nearly all of its parts are. Archives of the half whose
names hash to even numbers are trained on, with generated blogs in the markup of many programs; the rest is scored.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

import blogcrawler.wrapper
from blogcrawler.serialise import dump
from blogcrawler.similarity import fold
from blogcrawler.wrapper import Wrapper
from blogcrawler.wrapper.comments import CommentExample
from blogcrawler.wrapper.comments.features import Sample, features
from blogcrawler.wrapper.comments.group_model import GROUPS, LIKELY, LogisticModel
from blogcrawler.wrapper.comments.groups import candidates
from blogcrawler.wrapper.comments.learn import samples_of
from blogcrawler.wrapper.comments.units import Unit
from tests.benchmarks.blogs import Page, archives, half_of, read_archive
from tests.benchmarks.ours import learned
from tests.wrapper.comments import test_themes, test_traps
from tests.wrapper.comments.made import FIRST, Said, example, thread, wrapper
from tests.wrapper.comments.themes import THEMES

DATA = Path(blogcrawler.wrapper.__file__).with_name("data")
PAGES = 30
DRAWS = {30: 1, 15: 1, 8: 2, 5: 3, 4: 3, 3: 4, 2: 4, 1: 4}
"""How often so many pages are drawn."""
BEGINNING = 40
"""Characters of a comment's text from which it is known in a page."""
SHORTEST = 4
COMMENTS, OTHERS = 0.9, 0.6
"""Share of the units of a group that are comments: from the one on it is comments, up to the other it is not."""
REGULARISATION = 70.0
"""scikit-learn's C, where the weights of all comments sum up to 1, as do those of all other groups."""
CLAIMS = (1.01, 0.9, 0.7, LIKELY)
"""Probabilities between which the share of right claims is counted."""
MOST = 0.99
"""Share that is claimed at most: no count proves that all are right."""
SHORT = 25
LINKING = 1000
"""Added to a post's number for those of pages that link to it."""
GENERATED, BEGUN = 0.6, 0.2
"""Weight of a generated blog, where that of a real one is 1; of one with a line of the post among its comments."""
UNDATED = 0.25
"""Share of draws in which nobody knows when the posts were published."""


class Row(NamedTuple):
    """A group, labelled."""

    blog: str
    #: drawn
    pages: int
    features: Mapping[str, float]
    is_comments: bool


def rows_of(name: str, samples: Sequence[Sample], told: Sequence[Sequence[str]]) -> Iterator[Row]:
    """The groups of draws of a blog's pages, of whose comments the texts are told."""
    source = random.Random(name)
    for size, times in DRAWS.items():
        for _ in range(times if size < len(samples) else 1 if size == PAGES else 0):
            drawn = sorted(source.sample(range(len(samples)), min(size, len(samples))))
            mine = [samples[at] for at in drawn]
            if source.random() < UNDATED:
                mine = [replace(sample, published=None) for sample in mine]
            for units in _groups(mine):
                total, pages = sum(map(len, units)), sum(map(bool, units))
                if total < 2 or (pages < 2 and total < 3):
                    continue
                right = sum(
                    _says(sample, unit, told[at])
                    for at, sample, found in zip(drawn, mine, units, strict=True)
                    for unit in found
                )
                if right >= COMMENTS * total or right <= OTHERS * total:
                    yield Row(name, len(mine), features(mine, units), right >= COMMENTS * total)


def _groups(samples: Sequence[Sample]) -> Iterator[Sequence[Sequence[Unit]]]:
    for variants in (*candidates(samples), *candidates(samples, are_lone=True)):
        yield from (one.units for one in variants)


def _says(sample: Sample, unit: Unit, told: Sequence[str]) -> bool:
    text = fold(
        " ".join(" ".join(sample.view.runs[2 * at] + " " + sample.view.runs[2 * at + 1] for at in unit.own).split())
    )
    return any(beginning in text for beginning in told)


def _names(comments: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    said = [one for one in comments if not one.get("on")]
    beginnings = [fold((one.get("content_text") or "")[: 2 * BEGINNING])[:BEGINNING] for one in said]
    pairs = zip(beginnings, said, strict=True)
    return {text: one.get("author") or "" for text, one in pairs if len(text) >= SHORTEST}


class Corpus(NamedTuple):
    """Pages of a real blog."""

    name: str
    samples: list[Sample]
    #: for each page the names of its comments' authors by the beginnings of the texts, folded
    names: list[dict[str, str]]


def corpus_of_archive(path: Path) -> Corpus | None:
    """The newest posts of a blog, and others spread over the rest; None where no page is there to learn from."""
    blog = read_archive(path)
    if not blog.training:
        return None
    known = learned(blog)
    posts = list(blog.posts[: PAGES // 2])
    rest = blog.posts[PAGES // 2 :]
    posts += [rest[int(at * len(rest) / PAGES)] for at in range(min(PAGES, len(rest)))]
    return corpus_of(blog.name, posts, known)


def corpus_of(name: str, posts: Sequence[Page], known: Wrapper) -> Corpus:
    """The pages of posts."""
    examples = [_example(post.parse(), post.url, known) for post in posts]
    return Corpus(name, samples_of(examples, known), [_names(post.truth.get("comments") or ()) for post in posts])


def rows_of_archive(path: Path) -> list[Row]:
    """The labelled groups of a real blog; none where its truth may lack comments."""
    corpus = corpus_of_archive(path)
    return list(rows_of(corpus.name, corpus.samples, [list(names) for names in corpus.names])) if corpus else []


def _example(tree: Any, url: str, known: Wrapper) -> CommentExample:
    return CommentExample(tree, url, known.extract(tree, url).published)


def own_line(post: int) -> Said:
    """What a theme says of the post itself, below the article, in the form of a comment."""
    day = FIRST + dt.timedelta(days=10 * post)
    return Said(0, "me", day, "Filed under things.")


def pingbacks(linking: Sequence[Said]) -> str:
    """A list of pages that link to a post."""
    items = "".join(
        f"<li><a href='http://p{one.number}.test/'>{one.text[:30]}</a> <small>{one.published:%B %d, %Y}</small></li>"
        for one in linking
    )
    return f"<h3>Pingbacks</h3><ol class='pings'>{items}</ol>" if items else ""


def trackbacks(linking: Sequence[Said]) -> str:
    """The same with what each page says, in a theme of another time."""
    return "".join(
        f"<div class='ping' id='trackback-{one.number}'><p>{one.text}</p><p>{one.published:%Y-%m-%d %H:%M} "
        f"<a href='http://p{one.number}.test/' rel='nofollow'>{one.author}</a></p></div>"
        for one in linking
    )


class Made(NamedTuple):
    """A generated blog: its pages, and for each the comments and the links to it."""

    name: str
    examples: list[CommentExample]
    said: list[list[Said]]
    links: list[list[Said]]


def generated_blogs() -> Iterator[Made]:
    """A blog in the markup of each theme, and one more where a line of the post is the first of its comments."""
    traps: list[Callable[[int], str]] = [*test_themes.TRAPS, *test_traps.TRAPS]
    lists: list[Callable[[Sequence[Said]], str]] = [pingbacks, trackbacks, lambda _: ""]
    for name, is_begun in product(THEMES, (False, True)):
        theme, source = THEMES[name], random.Random(f"{name} {is_begun}")
        posts = range(200, 200 + PAGES)
        beside = source.sample(traps, 3)
        said = {post: thread(post, source.choice([0, 0, 1, 2, 3, 5, 8]), threaded=theme.threaded) for post in posts}
        links = {post: thread(LINKING + post, source.choice([0, 0, 1, 2, 3])) for post in posts}
        write = source.choice(lists)
        made = []
        for post in posts:
            markup = theme.write([own_line(post)]) if is_begun else ""
            markup += theme.write(said[post]) if said[post] else ""
            markup += write(links[post]) + "".join(trap(post) for trap in beside)
            made.append(replace(example(post, markup), fetched=test_traps.FETCHED))
        yield Made(f"generated {name} {is_begun}", made, [*said.values()], [*links.values()])


def generated_rows() -> Iterator[Row]:
    """The labelled groups of generated blogs."""
    for blog in generated_blogs():
        pairs = zip(blog.said, blog.links, strict=True)
        told = [[fold(one.text)[:SHORT] for one in (*said, *links)] for said, links in pairs]
        yield from rows_of(blog.name, samples_of(blog.examples, wrapper()), told)


def fit(rows: Sequence[Row]) -> LogisticModel:
    """The model of labelled groups; all blogs weigh the same, and comments as much as other groups."""
    labelled = [(row.blog, row.features, row.is_comments) for row in rows]
    return fit_labelled(labelled, _weight, REGULARISATION)


def fit_labelled(
    rows: Sequence[tuple[str, Mapping[str, float], bool]], weight: Callable[[str], float], regularisation: float
) -> LogisticModel:
    """The model of rows of a blog, features and a label; `weight` is that of a blog, and both labels weigh the same."""
    names = list(rows[0][1])
    columns = np.array([[features[name] for name in names] for _, features, _ in rows])
    labels = np.array([label for *_, label in rows])
    sizes = Counter((blog, label) for blog, _, label in rows)
    weights = np.array([weight(blog) / sizes[blog, label] for blog, _, label in rows])
    for label in (labels, ~labels):
        weights[label] /= weights[label].sum()
    fitted = LogisticRegression(C=regularisation, solver="newton-cholesky", max_iter=200)
    fitted.fit(columns, labels, sample_weight=weights)
    found = dict(zip(names, np.round(fitted.coef_[0], 3).tolist(), strict=True))
    return LogisticModel(found, round(float(fitted.intercept_[0]), 3))


def _weight(blog: str) -> float:
    return (BEGUN if blog.endswith(" True") else GENERATED) if blog.startswith("generated") else 1.0


def report(model: LogisticModel, rows: Sequence[Row]) -> None:
    """Print how often the model is right, by the number of pages and by what it claims."""
    claims = [(model.probability(row.features), row) for row in rows]
    print(f"{'pages':>6}{'comments':>10}{'found':>8}{'others':>10}{'refused':>9}{'right':>8}")
    for size in [None, *DRAWS]:
        some = [(claim, row) for claim, row in claims if size is None or row.pages == size]
        yes = [claim > 0.5 for claim, row in some if row.is_comments]
        no = [claim <= 0.5 for claim, row in some if not row.is_comments]
        if yes and no:
            both = sum(yes) + sum(no)
            print(
                f"{size or 'all':>6}{len(yes):10}{sum(yes) / len(yes):8.3f}{len(no):10}{sum(no) / len(no):9.3f}{both / len(some):8.3f}"
            )


def calibrate(model: LogisticModel, rows: Sequence[Row]) -> LogisticModel:
    """The model with the share of its claims that are right, by what it claims; these are printed."""
    claims = [(model.probability(row.features), row.is_comments) for row in rows]
    right = []
    for high, low in pairwise(CLAIMS):
        mine = [is_right for claim, is_right in claims if low <= claim < high]
        share = sum(mine) / max(1, len(mine))
        print(f"claims {low:.1f} to {min(1.0, high):.1f}: {len(mine)} groups, {share:.3f} right")
        right.append((low, min(MOST, round(share, 2))))
    return replace(model, right=tuple(right))


def main() -> None:
    """Write the file among the data of the package, and print what it is worth."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", type=Path)
    reader.add_argument("--jobs", type=int, default=1)
    given = reader.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        real = list(chain.from_iterable(pool.map(rows_of_archive, archives(given.folder))))
    mine = [row for row in real if half_of(row.blog) == "A"]
    model = fit([*mine, *generated_rows()])
    others = [row for row in real if half_of(row.blog) == "B"]
    report(model, others)
    text = json.dumps(dump(calibrate(model, others)), indent=0)
    DATA.joinpath(GROUPS).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
