"""The main text of pages of real blogs, with floors. The shipped model has not seen these blogs."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from statistics import mean

import pytest

from blogcrawler.dom import fragment, parse, readable_text
from blogcrawler.wrapper.fallback.extract import extract_main_text

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus" / "dev"
PAGES = 12


def bag_f1(want: str, got: str) -> float:
    wanted, given = want.casefold().split(), got.casefold().split()
    common = sum(min(wanted.count(word), given.count(word)) for word in set(wanted))
    return 2 * common / (len(wanted) + len(given)) if common else 0.0


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("blog", "floor"), [("accidentalrebel", 0.9), ("indygreg", 0.9), ("leplatrem", 0.9), ("koalite", 0.8)]
)
def test_main_text_without_any_rule(blog: str, floor: float) -> None:
    archive = CORPUS / f"{blog}.tar.xz"
    if not archive.exists():
        pytest.skip(f"The corpus is not beside the checkout: {archive} is missing.")
    with tarfile.open(archive) as tar:
        files = {member.name.removeprefix("./"): tar.extractfile(member).read() for member in tar if member.isfile()}
    index = {line["url"]: line for line in map(json.loads, files["index.jsonl"].splitlines())}
    posts = [
        post for post in map(json.loads, files["truth.jsonl"].splitlines()) if "file" in index.get(post["url"], {})
    ]
    found = []
    for post in posts[:: max(1, len(posts) // PAGES)][:PAGES]:
        line = index[post["url"]]
        text = extract_main_text(parse(files[line["file"]], content_type=line["type"]))
        want = readable_text(fragment(post["content_html"] or ""))
        found.append(bag_f1(want, readable_text(text.article) if text is not None else ""))
    assert mean(found) >= floor
