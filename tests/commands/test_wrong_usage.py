"""What is called wrongly is answered by what was probably meant: in one sentence, before anything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.running import PROGRAM, run

if TYPE_CHECKING:
    from pathlib import Path

BLOG = "url=http://127.0.0.1:9/"
WRONG = {
    # commands
    "krawl": "crawl",
    "archiv http://127.0.0.1:9/": "archive",
    "archive": "http://blog.example.org/",
    "Status": "status",
    "exprot jsonl posts.jsonl": "export",
    "worm": "--help",
    # blogs
    "http://": "example.org",
    "ftp://blog.example.org/": "http://",
    "archive mailto:me@example.org": "http://",
    "archive blog": "example.org",
    "feeds.opml": "blogs --opml feeds.opml",
    "archive http://127.0.0.1:9/ http://127.0.0.1:10/ -O posts.jsonl": "export jsonl",
    # spiders, and their arguments
    "crawl": "newcrawl",
    f"crawl newcrwl -a {BLOG}": "newcrawl",
    f"crawl update -a {BLOG}": "updatecrawl",
    "crawl newcrawl": "-a url=",
    "crawl newcrawl -a ulr=http://127.0.0.1:9/": "-a url=",
    f"crawl newcrawl -a {BLOG} -a ulr=2": "url",
    f"crawl updatecrawl -a {BLOG} -a sinse=2024": "since",
    f"crawl updatecrawl -a {BLOG} -a since=soon": "a date such as",
    # settings
    f"crawl newcrawl -a {BLOG} -s RENDR=never": "RENDER",
    f"crawl newcrawl -a {BLOG} -s DOWNLOAD_DELY=1": "DOWNLOAD_DELAY",
    f"crawl newcrawl -a {BLOG} -s render=never": "RENDER",
    f"crawl newcrawl -a {BLOG} -s QUXX=1": "--allow-unknown",
    f"crawl newcrawl -a {BLOG} -s RENDER=often": "RENDER",
    f"crawl newcrawl -a {BLOG} -s PAGE_LIMIT=many": "PAGE_LIMIT",
    f"crawl newcrawl -a {BLOG} -s PAGE_LIMIT": "NAME=VALUE",
    f"crawl newcrawl -a {BLOG} -s LOG_LEVEL=LOUD": "INFO",
    "verify -s DATABASE_ULR=sqlite:///a.db": "DATABASE_URL",
    # options
    "verify --al1": "--all",
    "crawl newcrawl --outputt posts.jsonl": "--output",
    "http://127.0.0.1:9/ --verbosely": "--verbose",
    "browse --prot 80": "--port",
    "browse --port x": "--port",
    "browse --port": "--port",
    "monitor --every": "--every",
    "status --queu": "--queue",
    "monitor http://127.0.0.1:9/": "blogs add",
    # formats
    f"crawl newcrawl -a {BLOG} -O posts.xlsx": "csv",
    f"crawl newcrawl -a {BLOG} -O posts": "jsonl",
    "export jsnl posts.jsonl": "jsonl",
    "export jsonl": "posts.jsonl",
    "deposit zenodo": "invenio",
}
"""What is called, and what the answer has to name."""


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_usage_is_answered_by_what_was_meant(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "feeds.opml").write_text("<opml/>")
    done = run(tmp_path, [*PROGRAM, *wrong.split()])
    assert done.code == 2, done.stderr
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("blogcrawler: ")
    assert WRONG[wrong] in sentence.removeprefix("blogcrawler: ")
    assert len(sentence) <= 250
    assert done.stdout == ""


def test_a_setting_that_only_an_add_on_knows(tmp_path: Path) -> None:
    call = [*PROGRAM, "verify", "-s", "QUXX=1", "-s", "DATABASE_URL=sqlite:///a.db"]
    assert run(tmp_path, call).code == 2
    done = run(tmp_path, [*call, "--allow-unknown"])
    assert done.code == 1
    assert "There is no archive" in done.sentences[0]
