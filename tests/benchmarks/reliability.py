"""Is confidence calibrated? Of the values that claim so much, how many are right.

    python -m tests.benchmarks.reliability RUN CORPUS      # the records of crawls: RUN/NAME/records.jsonl
    python -m tests.benchmarks.reliability --offline [CORPUS] [--blogs NAME,NAME]

CORPUS holds archives of real blogs (*.tar.xz) with the truth. With --offline nothing is crawled: rules are learned from
the pages of each blog's feed, and all its posts are read with them; without CORPUS, those of the demonstration blog.
A value counts where the record says where it came from, and the truth knows the field. `--wrong FIELD` lists values
that claim to be sure and are wrong. Exit code 1: less than 97 % of the values that claim 0.9 or more are right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.urls import identity
from tests.benchmarks import ours
from tests.benchmarks.blogs import Blog, Page, archives, demonstration, read_archive
from tests.benchmarks.scoring import FIELDS, RIGHT, scores

EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
"""Where the bins of confidence begin."""
SURE = 0.9
BAR = 0.97
"""Share of the sure values that must be right."""
KEYS = {"content": "content_text"}
"""Keys of records, where they differ from the names that provenance has."""


@dataclass(frozen=True)
class Claim:
    """A value of a record, how sure it says to be, and whether it is right."""

    blog: str
    url: str
    field: str
    source: str
    rule: str | None
    confidence: float
    is_right: bool
    #: does the feed that is served hold the post?
    in_feed: bool
    #: beginnings of what the record and the truth have
    got: str
    want: str

    @property
    def bin(self) -> int:
        """Index of `EDGES`."""
        return max(index for index, edge in enumerate(EDGES) if self.confidence >= edge)


def main() -> int:
    arguments = _arguments()
    claims = list(_claims(arguments))
    if not claims:
        print("There is no value to judge.", file=sys.stderr)
        return 1
    beyond = [claim for claim in claims if not claim.in_feed]
    for title, group in (("All posts", claims), ("Posts beyond the feed", beyond)):
        print(f"\n## {title}\n\nValues, and the share of them that is right, by confidence:\n")
        _table("field", group, lambda claim: claim.field, FIELDS)
        _table("source", group, lambda claim: claim.source)
        _table("field, source", group, lambda claim: f"{claim.field}, {claim.source}")
        _sure(group)
    for field in arguments.wrong:
        _list_wrong([claim for claim in beyond if claim.field == field], arguments.lines)
    return 0 if _share([claim for claim in claims if claim.confidence >= SURE]) >= BAR else 1


# ---------------------------------------------------------------------------------------------------------- the claims


def _claims(arguments: argparse.Namespace) -> Iterator[Claim]:
    if arguments.offline and arguments.corpus is None:
        yield from _offline(demonstration())
        return
    paths = archives(arguments.corpus, arguments.blogs)
    work = _offline_archive if arguments.offline else partial(_crawled, arguments.run)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for path, claims in zip(paths, pool.map(work, paths), strict=True):
            print(f"{path.name}: {len(claims)} values", file=sys.stderr)
            yield from claims


def _offline_archive(path: Path) -> list[Claim]:
    return _offline(read_archive(path))


def _offline(blog: Blog) -> list[Claim]:
    try:
        wrapper = ours.learned(blog)
    except NotEnoughExamples:
        return []
    records = ((page, ours.record(page, wrapper, entry=page.entry).to_dict()) for page in blog.posts)
    return [claim for page, record in records for claim in judge(blog.name, page, record)]


def _crawled(run: Path, path: Path) -> list[Claim]:
    blog = read_archive(path)
    file = run / blog.name / "records.jsonl"
    if not file.exists():
        return []
    pages = {identity(page.url): page for page in blog.posts}
    pages |= {identity(page.truth["url"]): page for page in blog.posts}
    records = map(json.loads, filter(None, file.read_text("utf-8").split("\n")))
    known = ((pages.get(identity(record["url"])), record) for record in records)
    return [claim for page, record in known if page is not None for claim in judge(blog.name, page, record)]


def judge(blog: str, page: Page, record: Mapping[str, Any]) -> list[Claim]:
    """The claims of an exported record."""
    claims = []
    in_feed = bool(page.truth.get("in_feed", page.entry is not None))
    for field, score in scores(page.truth, record).items():
        said = record["provenance"]["fields"].get(field)
        if said is not None:
            key = KEYS.get(field, field)
            got, want = (str(side.get(key))[:SHOWN] for side in (record, page.truth))
            claims.append(
                Claim(
                    blog,
                    page.url,
                    field,
                    said["source"],
                    said["rule"],
                    said["confidence"],
                    score >= RIGHT,
                    in_feed,
                    got,
                    want,
                )
            )
    return claims


# ----------------------------------------------------------------------------------------------------- what is printed

SHOWN = 70
"""Characters of a value in a list."""


def _table(head: str, claims: Iterable[Claim], kind: Callable[[Claim], str], order: Iterable[str] = ()) -> None:
    groups: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        groups[kind(claim)].append(claim)
    columns = [f"from {edge:g}" for edge in EDGES]
    print(f"| {head} | {' | '.join(columns)} | all from {SURE:g} |\n|{'---|' * (len(EDGES) + 2)}")
    for name in [*(name for name in order if name in groups), *sorted(groups.keys() - set(order))]:
        bins = [[claim for claim in groups[name] if claim.bin == index] for index in range(len(EDGES))]
        sure = [claim for claim in groups[name] if claim.confidence >= SURE]
        print(f"| {name} | {' | '.join(map(_cell, [*bins, sure]))} |")
    print()


def _cell(claims: list[Claim]) -> str:
    return f"{len(claims)}: {100 * _share(claims):.1f} %" if claims else ""


def _share(claims: list[Claim]) -> float:
    return sum(claim.is_right for claim in claims) / len(claims) if claims else 1.0


def _sure(claims: Iterable[Claim]) -> None:
    sure = [claim for claim in claims if claim.confidence >= SURE]
    blogs: defaultdict[str, list[Claim]] = defaultdict(list)
    for claim in sure:
        blogs[claim.blog].append(claim)
    shares = sorted((_share(group), name) for name, group in blogs.items())
    mean = sum(share for share, _ in shares) / max(1, len(shares))
    low = ", ".join(f"{name} {100 * share:.1f} %" for share, name in shares[:8] if share < BAR)
    verdict = "kept" if _share(sure) >= BAR else "MISSED"
    print(
        f"Confidence >= {SURE:g}: {len(sure)} values, right in {100 * _share(sure):.2f} % (bar {100 * BAR:g} %: {verdict});"
    )
    print(f"mean of the {len(shares)} blogs {100 * mean:.2f} %" + (f"; lowest: {low}." if low else "."))


def _list_wrong(claims: Iterable[Claim], lines: int) -> None:
    groups: defaultdict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.confidence >= SURE and not claim.is_right:
            groups[claim.blog, claim.source].append(claim)
    for (blog, source), wrong in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"\n{blog}: {wrong[0].field} from {source}: {len(wrong)} sure and wrong")
        for claim in wrong[:lines]:
            print(
                f"  {claim.confidence:.2f} {claim.url} {claim.rule or ''}\n      got {claim.got!r}\n     want {claim.want!r}"
            )


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="RUN and CORPUS; CORPUS with --offline")
    reader.add_argument(
        "--offline", action="store_true", help="learn and extract in place of reading a crawl's records"
    )
    reader.add_argument("--blogs", type=lambda text: text.split(","), default=(), metavar="NAME,…", help="these only")
    reader.add_argument(
        "--wrong", type=lambda text: text.split(","), default=(), metavar="FIELD,…", help=", ".join(FIELDS)
    )
    reader.add_argument("--lines", type=int, default=3, help="wrong values of a blog and source that are listed (3)")
    reader.add_argument("--jobs", type=int, default=2, help="processes (2)")
    found = reader.parse_args()
    if len(found.folders) != 2 and not (found.offline and len(found.folders) < 2):
        reader.error("give RUN and CORPUS, or --offline and CORPUS")
    found.run = None if found.offline else found.folders[0]
    found.corpus = found.folders[-1] if found.folders else None
    return found


if __name__ == "__main__":
    raise SystemExit(main())
