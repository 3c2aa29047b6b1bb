"""How well comments are found in the pages of posts, and what it costs.

    python -m tests.benchmarks.comments FOLDER [--blogs NAME …] [--feeds] [--pages N]
    python -m tests.benchmarks.comments --cost

For each archive of a folder (see `tests.benchmarks.blogs`): rules are learned from 30 pages (`--pages`), the newest posts'
first, and from pages spread over twice as many posts each time where those showed no comments; then they are applied to
all.
Comments that the truth has on further pages (`on`) are left out. A comment is found where its text is like the truth's
(Sørensen-Dice at least 0.8); author, day (within a day) and parent are shares of those found. `--feeds` hands the
learner the truth's ten newest comments of each page as its comment feed.

`--cost` measures generated posts: learning with a feed, and reading, with 150 comments, and how both grow to 1,000.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from blogcrawler.dom import parse
from blogcrawler.items import Comment
from blogcrawler.similarity import Alphabet, fold
from blogcrawler.wrapper import Wrapper
from blogcrawler.wrapper.comments import CommentExample, CommentRules, learn_comments
from blogcrawler.wrapper.comments.feed_matching import match
from tests.benchmarks.blogs import Blog, Page, archives, read_archive
from tests.benchmarks.ours import learned
from tests.wrapper.comments.made import example, nested, page, thread, url, wrapper

PAGES = 30
"""That rules are learned from, unless another number is given."""
LIKE = 0.8
FEED = 10
"""Comments that a feed holds."""
DAY_S = 86_400
SIZES = (150, 300, 600, 1000)


class Score(NamedTuple):
    """Of a blog's comments."""

    truth: int = 0
    found: int = 0
    right: int = 0
    #: of those that are right, how many of how many
    author: tuple[int, int] = (0, 0)
    day: tuple[int, int] = (0, 0)
    parent: tuple[int, int] = (0, 0)

    def plus(self, other: Score) -> Score:
        pairs = [(one[0] + two[0], one[1] + two[1]) for one, two in zip(self[3:], other[3:], strict=True)]
        return Score(self.truth + other.truth, self.found + other.found, self.right + other.right, *pairs)

    def __str__(self) -> str:
        shares = [(self.right, self.truth), (self.right, self.found), self.author, self.day, self.parent]
        return f"{self.truth:7}{self.found:7}" + "".join(
            f"{part / whole:10.3f}" if whole else f"{'-':>10}" for part, whole in shares
        )


def score(truth: Sequence[dict[str, Any]], found: Sequence[Comment]) -> Score:
    """Comments of one post against the truth, by maximum weighted matching of their texts."""
    alphabet = Alphabet()
    wanted = [_bigrams(alphabet, one.get("content_text")) for one in truth]
    got = [_bigrams(alphabet, one.content_text) for one in found]
    pairs = [(comment, node) for node, comment, weight in match(got, wanted) if weight >= LIKE]
    own = {truth[comment].get("id"): found[node].id for comment, node in pairs}
    author, day, parent = [], [], []
    for comment, node in pairs:
        told, read = truth[comment], found[node]
        if told.get("author"):
            author.append(fold(told["author"]) == fold(read.author or ""))
        if told.get("published"):
            day.append(_is_near(told["published"], read.published))
        if any(one.get("parent") for one in truth):
            parent.append(read.parent == own.get(told.get("parent")) if told.get("parent") else read.parent is None)
    shares = [(sum(values), len(values)) for values in (author, day, parent)]
    return Score(len(truth), len(found), len(pairs), *shares)


def _bigrams(alphabet: Alphabet, text: str | None) -> int:
    """Those of a text; of one that has none, as "1", with its ends."""
    folded = fold(text or "")
    return alphabet.bigrams(folded if len(folded) > 1 else f"^{folded}$")


def _is_near(told: str, read: str | None) -> bool:
    if read is None:
        return False
    one, other = (datetime.fromisoformat(text) for text in (told, read))
    if (one.tzinfo is None) != (other.tzinfo is None):
        one, other = one.replace(tzinfo=None), other.replace(tzinfo=None)
    return abs((one - other).total_seconds()) <= DAY_S


def rules_of(blog: Blog, known: Wrapper, *, feeds: bool, pages: int = PAGES) -> CommentRules | None:
    """What a crawl learns: from the newest posts, or from more where those have no comments."""
    count, found = pages, None
    while found is None and count < 2 * len(blog.posts):
        posts = blog.posts[:count]
        posts = posts[:: max(1, len(posts) // pages)][:pages]
        found = learn_comments([_example(post, known, feeds=feeds) for post in posts], known)
        count *= 2
    return found


def _example(post: Page, known: Wrapper, *, feeds: bool) -> CommentExample:
    tree, told = post.parse(), None
    if feeds:
        newest = sorted(post.truth.get("comments") or (), key=lambda one: one.get("published") or "")[-FEED:]
        told = tuple(Comment(author=one.get("author"), content_text=one.get("content_text")) for one in newest)
    return CommentExample(tree, post.url, known.extract(tree, post.url).published, told)


def measure(blog: Blog, *, feeds: bool, pages: int = PAGES) -> Score:
    """All posts of a blog."""
    known = learned(blog)
    rules, total = rules_of(blog, known, feeds=feeds, pages=pages), Score()
    for post in blog.posts:
        truth = [one for one in post.truth.get("comments") or () if not one.get("on")]
        total = total.plus(score(truth, rules.extract(post.parse(), post.url) if rules else []))
    return total


def cost() -> None:
    """Milliseconds for posts with many comments."""
    print(f"{'comments':>10}{'learn':>10}{'read':>10}{'match':>10}   ms")
    rules = learn_comments([example(post, nested(thread(post, 5))) for post in range(1, 7)], wrapper())
    if rules is None:
        raise SystemExit("no rules were learned")
    known = wrapper()
    for size in SIZES:
        said = thread(60, size)
        markup = nested(said)
        told = tuple(Comment(author=one.author, content_text=one.text) for one in said)
        examples = [example(60, markup, told), *(example(post, nested(thread(post, 2)), ()) for post in range(61, 63))]
        tree = parse(page(60, markup))
        alphabet = Alphabet()
        texts = [alphabet.read(one.text)[1] for one in said]
        steps = (
            lambda examples=examples: learn_comments(examples, known),
            lambda tree=tree: rules.extract(tree, url(60)),
            lambda texts=texts: match(texts, texts),
        )
        print(f"{size:10}" + "".join(f"{_best(step):10.1f}" for step in steps), flush=True)


def _best(step: Any, runs: int = 3) -> float:
    times = []
    for _ in range(runs):
        gc.collect()
        start = perf_counter()
        step()
        times.append((perf_counter() - start) * 1000)
    return min(times)


def main() -> int:
    """Print a row a blog, or what posts cost."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", nargs="?", type=Path, help="archives of real blogs (*.tar.xz)")
    reader.add_argument("--blogs", nargs="+", default=(), help="names of blogs (all)")
    reader.add_argument("--feeds", action="store_true", help="the truth's newest comments are the comment feeds")
    reader.add_argument("--pages", type=int, default=PAGES, help=f"that rules are learned from ({PAGES})")
    reader.add_argument("--cost", action="store_true", help="milliseconds for posts with many comments")
    given = reader.parse_args()
    if given.cost or given.folder is None:
        cost()
        return 0
    print(f"{'blog':20}{'truth':>7}{'found':>7}" + "".join(f"{name:>10}" for name in _COLUMNS))
    total = Score()
    for path in archives(given.folder, given.blogs):
        blog = read_archive(path)
        if blog.training:
            one = measure(blog, feeds=given.feeds, pages=given.pages)
            total = total.plus(one)
            print(f"{blog.name[:19]:20}{one}", flush=True)
    print(f"{'all':20}{total}")
    return 0


_COLUMNS = ("recall", "precision", "author", "day", "parent")


if __name__ == "__main__":
    raise SystemExit(main())
