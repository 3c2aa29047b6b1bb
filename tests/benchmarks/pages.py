"""Single pages without any rule, beside trafilatura and htmldate where these are installed: how good, and how sure.

    python -m tests.benchmarks.pages FOLDER [--type TYPE] [--half 0|1] [--list FIELD] [--plain]

FOLDER holds pages with their truth, in the form of one of these repositories: the halves of
github.com/Murrough-Foley/web-content-extraction-benchmark (WCXB), github.com/scrapinghub/article-extraction-benchmark,
or the folder `tests` of github.com/adbar/trafilatura or github.com/adbar/htmldate. `--type` takes WCXB's pages of one type
only (default: article); `--half` the pages of half of the sites, by a hash of the site; `--list` prints what is wrong in
a field; `--plain` leaves the other extractors out.

Each page is read by a wrapper that has learned nothing. Scores are as in `scoring`, but an author is right where the names
are the same set once the truth's are parted, and trafilatura's truth of an article is some segments that are in it and some
that are not: their F1 over all pages is the article's, and it is right where all are. Only what the truth knows is scored; "invented" is the share of the pages
without a value that get one. "Sure" is the share of the values, and of articles of F1 >= 0.9, that claim 0.9 or more,
and how many of these are right.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

from blogcrawler.dom import parse, readable_text
from blogcrawler.dom.encoding import decode
from blogcrawler.errors import NotAWebPage
from blogcrawler.people import separate
from blogcrawler.wrapper import Wrapper
from blogcrawler.wrapper.fields.article import Article
from tests.benchmarks.scoring import RIGHT, names, scores
from tests.benchmarks.tools import TOOLS, silence

OURS = "blogcrawler"
FIELDS = ("content", "title", "authors", "published")
SURE = 0.9
Read = Callable[["TruePage"], Mapping[str, Any]]


@dataclass(frozen=True)
class TruePage:
    """A page, and a record of what is true of it; what the truth does not know is None."""

    name: str
    url: str
    file: Path
    truth: Mapping[str, Any]
    kind: str = "article"

    @property
    def site(self) -> str:
        """The host without `www.`."""
        return (urlsplit(self.url).hostname or self.name).removeprefix("www.")

    @property
    def half(self) -> int:
        """0 or 1, the same for all pages of a site."""
        return hashlib.sha256(self.site.encode()).digest()[0] % 2

    def body(self) -> bytes:
        """The page as it was served."""
        told = self.file.read_bytes()
        return gzip.decompress(told) if self.file.suffix == ".gz" else told


def true_pages(folder: Path, kind: str | None = None) -> Iterator[TruePage]:
    """The pages of a folder, of one type where that is given."""
    for file in sorted(folder.glob("ground-truth/*.json")):
        page = _of_wcxb(folder, file)
        if not kind or page.kind == kind:
            yield page
    for name, row in _rows(folder / "ground-truth.json"):
        yield TruePage(
            name, row.get("url") or "", folder / "html" / f"{name}.html.gz", {"content_text": row["articleBody"]}
        )
    for told in (folder / "evaldata.json", folder / "eval_default.json", folder / "eval_mediacloud_2020.json"):
        for url, row in _rows(told):
            places = (folder / place / row["file"] for place in ("cache", "eval", "test_set"))
            yield TruePage(row["file"], url, next(file for file in places if file.exists()), _truth_of(row))


def _rows(file: Path) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return json.loads(file.read_text()).items() if file.exists() else ()


def _of_wcxb(folder: Path, file: Path) -> TruePage:
    row = json.loads(file.read_text())
    told = row["ground_truth"]
    truth = {
        "content_text": told.get("main_content"),
        "title": told.get("title"),
        "authors": separate(told["author"]) if told.get("author") else None,
        "published": told.get("publish_date"),
    }
    page = folder / "html" / f"{file.stem}.html.gz"
    return TruePage(file.stem, row.get("url") or "", page, truth, row["_internal"]["page_type"]["primary"])


def _truth_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The truth of a page of trafilatura or htmldate. What is empty there is not known."""
    authors = [row["author"]] if isinstance(row.get("author"), str) else row.get("author") or []
    truth = {
        "segments": (row["with"], row["without"]) if "with" in row else None,
        "title": row.get("title"),
        "authors": [name for one in authors for name in separate(one)],
        "published": row["date"] if isinstance(row.get("date"), str) else None,
    }
    return {name: value for name, value in truth.items() if value}


def read_alone(page: TruePage) -> Mapping[str, Any]:
    """What this project finds on a page of which it knows nothing."""
    try:
        tree = parse(page.body())
    except NotAWebPage:
        return {}
    found = Wrapper(Article(())).extract(tree, page.url or None)
    return {
        "title": found.title,
        "authors": found.authors,
        "published": found.published,
        "content_text": "" if found.article is None else readable_text(found.article),
        "sources": found.sources,
    }


def others() -> dict[str, Read]:
    """The extractors that are installed."""
    found: dict[str, Read] = {}
    for tool in (one for one in TOOLS if one.name.startswith("trafilatura")):
        try:
            extract = tool.make()
        except ImportError:
            continue
        found[tool.name] = lambda page, extract=extract: extract(
            page.url or "http://unknown.invalid/", decode(page.body(), None)
        )  # type: ignore[misc]
    try:
        from htmldate import find_date
    except ImportError:
        return found
    for name, extensive in (("htmldate, fast", False), ("htmldate", True)):
        found[name] = lambda page, extensive=extensive: {  # type: ignore[misc]
            "published": find_date(
                decode(page.body(), None), url=page.url or None, original_date=True, extensive_search=extensive
            )
        }
    return found


@dataclass
class Tally:
    """How one extractor did."""

    right: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    invented: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    sure: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    wrong: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    #: of articles: those found that are right and wrong, and those missed
    segments: Counter[str] = field(default_factory=Counter)

    def note(self, page: TruePage, record: Mapping[str, Any]) -> None:
        """Take in what was found on a page."""
        right = scores(page.truth, record)
        if page.truth.get("authors"):
            given = [name for one in record.get("authors") or () for name in separate(one)]
            right["authors"] = float(names(given) == names(page.truth["authors"]))
        if page.truth.get("segments"):
            counts = _count(*page.truth["segments"], record.get("content_text") or "")
            self.segments += counts
            right["content"] = _segment_f1(counts)
        sources = record.get("sources") or {}
        for name in FIELDS:
            value = record.get("content_text" if name == "content" else name)
            if name in page.truth and page.truth[name] is None:
                self.invented[name].append(bool(value))
            if name not in right:
                continue
            self.right[name].append(right[name])
            is_right = right[name] >= (1 if name == "content" and self.segments else RIGHT)
            if value and name in sources and sources[name].confidence >= SURE:
                self.sure[name].append(is_right)
            if not is_right:
                told = f"{right[name]:.3f}" if name == "content" else f"{value!r} for {page.truth[name]!r}"
                why = f" ({sources[name].rule}, {sources[name].confidence})" if name in sources else ""
                self.wrong[name].append(f"{page.name} {page.url[:80]}: {told}{why}")

    def row(self) -> str:
        """The columns of a table."""
        means = {name: fmean(values) for name, values in self.right.items()}
        if self.segments:
            means["content"] = _segment_f1(self.segments)
        cells = [f"{means[name]:.3f}" if name in means else "–" for name in FIELDS]
        cells += [f"{fmean(self.invented[name]):.3f}" if self.invented[name] else "–" for name in FIELDS[2:]]
        cells += [
            f"{len(self.sure[name]) / len(self.right[name]):.2f}: {fmean(self.sure[name]):.3f}"
            if self.sure[name]
            else "–"
            for name in FIELDS
        ]
        return " | ".join(cells)


def _count(inside: Sequence[str], outside: Sequence[str], text: str) -> Counter[str]:
    """How many segments that are in an article were found and missed in a text, and how many others were found."""
    whole = " ".join(text.split())
    found, wrong = (sum(" ".join(one.split()) in whole for one in told) for told in (inside, outside))
    return Counter(found=found, missed=len(inside) - found, wrong=wrong)


def _segment_f1(counts: Mapping[str, int]) -> float:
    return 2 * counts["found"] / (2 * counts["found"] + counts["wrong"] + counts["missed"])


HEAD = """| | article F1 | title | author | date | invented author | date | sure article | title | author | date |
|---|---|---|---|---|---|---|---|---|---|---|"""


def main() -> None:
    """Print the table."""
    arguments = _arguments()
    readers = {OURS: read_alone, **({} if arguments.plain else others())}
    tallies = {name: Tally() for name in readers}
    count = 0
    with silence():
        for page in true_pages(arguments.folder, re.sub("^all$", "", arguments.type)):
            if arguments.half is not None and page.half != arguments.half:
                continue
            count += 1
            for name, read in readers.items():
                try:
                    tallies[name].note(page, read(page))
                except Exception:  # whatever a tool raises, it has no answer
                    if name == OURS:
                        raise
                    tallies[name].note(page, {})
    print(f"{count} pages.\n\n{HEAD}")
    for name, tally in tallies.items():
        print(f"| {name} | {tally.row()} |")
    for line in tallies[OURS].wrong[arguments.list] if arguments.list else ():
        print(line)


def _arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", type=Path)
    reader.add_argument("--type", default="article", help="of WCXB's pages; `all` for all")
    reader.add_argument("--half", type=int, choices=(0, 1))
    reader.add_argument("--list", choices=FIELDS)
    reader.add_argument("--plain", action="store_true")
    return reader.parse_args()


if __name__ == "__main__":
    main()
