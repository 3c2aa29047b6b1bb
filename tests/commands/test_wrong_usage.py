"""What is called wrongly is answered by what was probably meant: in one sentence, before anything is done."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from blogcrawler import __version__
from blogcrawler.backend import Archive
from blogcrawler.usage import USAGES
from tests.crawl.blog import Blog, make_posts, serve
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
    "help archiv": "archive",
    "help worm": "--help",
    "queue": "status --queue",
    "report": "browse",
    "reprot": "--help",
    "update http://127.0.0.1:9/": "archive",
    "add http://127.0.0.1:9/": "blogs add",
    "remove http://127.0.0.1:9/": "purge",
    "newcrawl http://127.0.0.1:9/": "archive",
    "updatecrawl -a url=http://127.0.0.1:9/": "archive",
    "ls": "blogs",
    "info": "status",
    # options before the command
    "--verbose": "blogcrawler archive http://",
    "-s RENDER=never": "blogcrawler archive http://",
    "--verison": "--version",
    "-s RENDR=never archive http://127.0.0.1:9/": "RENDER",
    "--verbose archiv http://127.0.0.1:9/": "archive",
    "--queue postgresql://127.0.0.1/q statsu": "status",
    "--log json verify": "Put the command before its options",
    "--al1 verify": "--all",
    # blogs
    "http://": "example.org",
    "ftp://blog.example.org/": "http://",
    "archive mailto:me@example.org": "http://",
    "archive blog": "example.org",
    f"archive {'a' * 300}": "example.org",
    "posts.opml": "There is no file posts.opml",
    "archive posts.jsonl": "There is no file posts.jsonl",
    "./posts": "There is no file ./posts",
    "/tmp/none/index.html": "There is no file /tmp/none/index.html",
    "feeds.opml": "blogs add --opml feeds.opml",
    "crawl newcrawl -a url=feeds.opml": "blogs add --opml feeds.opml",
    "blogs add feeds.opml": "blogs add --opml feeds.opml",
    "blogs add posts.opml": "There is no file posts.opml",
    "archive http://127.0.0.1:9/ http://127.0.0.1:10/ -O posts.jsonl": "export jsonl",
    # spiders, and their arguments
    "crawl": "newcrawl",
    f"crawl newcrwl -a {BLOG}": "newcrawl",
    f"crawl update -a {BLOG}": "updatecrawl",
    "crawl newcrawl": "-a url=",
    "crawl newcrawl -a ulr=http://127.0.0.1:9/": "Did you mean url?",
    "crawl newcrawl -a URL=http://127.0.0.1:9/": "Did you mean url?",
    "crawl newcrawl -a since=2024 -a urls=http://127.0.0.1:9/": "Did you mean url?",
    "crawl newcrawl -a site=http://127.0.0.1:9/": "-a url=",
    f"crawl newcrawl -a {BLOG} -a ulr=2": "url",
    f"crawl updatecrawl -a {BLOG} -a sinse=2024": "since",
    f"crawl updatecrawl -a {BLOG} -a since=soon": "a date such as",
    "crawl newcrawl http://127.0.0.1:9/ --limit 5": "PAGE_LIMIT",
    "crawl newcrawl url=http://127.0.0.1:9/": "-a url=",
    "crawl newcrawl -a http://127.0.0.1:9/": "-a url=",
    "crawl newcrawl -a url": "-a url=",
    f"crawl newcrawl -a {BLOG} -a url=http://127.0.0.1:10/": "blogcrawler archive URL URL",
    f"crawl updatecrawl -a {BLOG} -a since=": "Give it a value",
    # settings
    f"crawl newcrawl -a {BLOG} -s RENDR=never": "RENDER",
    f"crawl newcrawl -a {BLOG} -s DOWNLOAD_DELY=1": "DOWNLOAD_DELAY",
    f"crawl newcrawl -a {BLOG} -s render=never": "RENDER",
    f"crawl newcrawl -a {BLOG} -s QUXX=1": "--allow-unknown",
    f"crawl newcrawl -a {BLOG} -s RENDER=often": "RENDER",
    f"crawl newcrawl -a {BLOG} -s PAGE_LIMIT=many": "PAGE_LIMIT",
    f"crawl newcrawl -a {BLOG} -s PAGE_LIMIT": "-s PAGE_LIMIT=VALUE",
    "archive http://127.0.0.1:9/ --render=never": "Did you mean -s RENDER=never?",
    "archive http://127.0.0.1:9/ --page-limit 5": "Did you mean -s PAGE_LIMIT=VALUE?",
    "archive http://127.0.0.1:9/ RENDER=never": "as in: -s RENDER=never",
    "archive http://127.0.0.1:9/ --limit 5": "Did you mean -s PAGE_LIMIT=N?",
    "archive http://127.0.0.1:9/ -a since=2024": "crawl updatecrawl -a url=URL -a since=DATE",
    "verify -s RENDER": "Give RENDER a value, as in: -s RENDER=auto",
    "verify -s =3": "names no setting",
    f"crawl newcrawl -a {BLOG} -s LOG_LEVEL=LOUD": "INFO",
    "verify -s FEEDS=3": "must be a table",
    "verify -s FEEDS={": "must be a table",
    "verify -s COOKIES_ENABLED=perhaps": "must be True or False",
    "export jsonl posts.jsonl -s CONCURRENT_REQUESTS=0": "a whole number, 1 or more",
    "status -s LOG_FORMAT=xml": "one of text, json",
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
    "archive --blog http://127.0.0.1:9/": "archive",
    "archive --url http://127.0.0.1:9/": "Give the URL without an option, as in: blogcrawler archive http",
    "archive http://127.0.0.1:9/ --output-format csv": "Did you mean -O?",
    "verify --output-format csv": "--",
    "archive http://127.0.0.1:9/ -O": "-O",
    "archive http://127.0.0.1:9/ --log-format xml": "'json'",
    "archive http://127.0.0.1:9/ -L LOUD": "INFO",
    "browse 8080": "browse --help",
    "browse --port 99999": "65535",
    "metrics --port x": "a whole number, not 'x'",
    "metrics --port 70000": "65535",
    "verify everything": "verify --help",
    "verify --al": "--all",
    "status all": "status --help",
    "status --queue nonsense": "postgresql://",
    "monitor --every 5": "--queue",
    "monitor --every soon --queue postgresql://h/d": "seconds",
    "monitor --metrics 9000": "--every",
    "worker": "worker --queue postgresql://",
    "worker --queue postgresql://h/d --jobs x": "--jobs must be a whole number",
    "gaps nonsense": "example.org",
    # words in place of a command's arguments
    "completion": "completion bash",
    "completion powershell": "fish",
    "config chek": "config check",
    "config PAGE_LIMIT": "config to show the settings",
    "blogs list": "blogs add URL",
    "blogs add": "blogs add URL",
    "blogs add --opml none.opml": "none.opml cannot be read",
    "copy": "copy postgresql://",
    "copy nonsense": "sqlite:///",
    "demo a b": "demo my-folder",
    "rules": "rules http://",
    "rules nonsense": "example.org",
    "purge": "purge http://",
    "purge http://127.0.0.1:9/ --dryrun": "--dry-run",
    "purge http://127.0.0.1:9/ --blog --comments-by x": "leave --comments-by out",
    "reextract": "reextract http://",
    "reextract http://127.0.0.1:9/ --correct a b": "3 arguments",
    "reextract http://127.0.0.1:9/ --correct http://127.0.0.1:9/a date //h1": "published",
    "deposit": "deposit invenio --url",
    "deposit invenio": "--url https://",
    "deposit invenio --url nonsense": "https://",
    "deposit dspace --url http://127.0.0.1:9": "--collection",
    "deposit invenio --url http://127.0.0.1:9 --collection x": "--community",
    # formats
    f"crawl newcrawl -a {BLOG} -O folder": "folder.jsonl",
    "export posts.jsonl jsonl": "export jsonl posts.jsonl",
    "export json posts.json": "Did you mean jsonl?",
    "export xlsx posts.xlsx": "csv",
    "export --format jsonl posts.jsonl": "Give the format without an option, as in: blogcrawler export jsonl",
    f"crawl newcrawl -a {BLOG} -O -": "Give -:jsonl",
    "export jsonl posts.jsonl --since yesterday": "a date such as",
    "export jsonl posts.jsonl --blog nonsense": "example.org",
    "export jsonl posts.jsonl --bag-info a=b": "bagit",
    "export bagit out --bag-info nonsense": "LABEL=VALUE",
    "export epub -": "the name of a file",
    f"crawl newcrawl -a {BLOG} -O posts.xlsx": "csv",
    f"crawl newcrawl -a {BLOG} -O posts": "jsonl",
    "export jsnl posts.jsonl": "jsonl",
    "export jsonl": "posts.jsonl",
    "deposit zenodo": "invenio",
}
"""What is called, and what the answer has to name."""

BARE_COMMAND = re.compile(rf"(as in: |run: |: |use |, )({'|'.join(USAGES)}) (?!must|has|takes)", re.IGNORECASE)
"""A command of the program without its name."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive without blogs."""
    file = tmp_path_factory.mktemp("archive") / "archive.db"
    Archive.open(f"sqlite:///{file}").close()
    return file


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_usage_is_answered_by_what_was_meant(tmp_path: Path, archive: Path, wrong: str) -> None:
    (tmp_path / "feeds.opml").write_text("<opml/>")
    (tmp_path / "archive").mkdir()
    shutil.copy(archive, tmp_path / "archive")
    done = run(tmp_path, [*PROGRAM, *wrong.split()])
    assert done.code == 2, done.stderr
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("blogcrawler: ")
    assert WRONG[wrong] in sentence.removeprefix("blogcrawler: ")
    assert not BARE_COMMAND.search(sentence), "commands can be pasted"
    assert len(sentence.replace("a" * 300, "")) <= 250
    assert done.stdout == ""


def test_the_url_of_a_repository_is_checked_before_the_archive_is_opened(tmp_path: Path) -> None:
    done = run(tmp_path, [*PROGRAM, "deposit", "invenio", "--url", "nonsense"])
    assert (done.code, "https://repository.example.org" in done.sentences[0]) == (2, True)


def test_a_setting_that_only_an_add_on_knows(tmp_path: Path) -> None:
    call = [*PROGRAM, "verify", "-s", "QUXX=1", "-s", "DATABASE_URL=sqlite:///a.db"]
    assert run(tmp_path, call).code == 2
    done = run(tmp_path, [*call, "--allow-unknown"])
    assert done.code == 1
    assert "There is no archive" in done.sentences[0]


def test_an_argument_that_only_an_add_on_knows(tmp_path: Path) -> None:
    with serve(Blog(make_posts(3))) as site:
        call = [*PROGRAM, "crawl", "newcrawl", "-a", f"url={site.url}/", "-a", "foo=1", "-s", "DOWNLOAD_DELAY=0"]
        assert run(tmp_path, call).code == 2
        done = run(tmp_path, [*call, "--allow-unknown"], server=site)
    assert done.code == 0, done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "-s DATABASE_URL=sqlite:///a.db verify",
        "--all --set DATABASE_URL=sqlite:///a.db --log-format json verify",
        "--jsonl --loglevel INFO -s DATABASE_URL=sqlite:///a.db gaps",
    ],
)
def test_options_may_come_before_the_command(tmp_path: Path, call: str) -> None:
    done = run(tmp_path, [*PROGRAM, *call.split()])
    assert (done.code, done.stdout) == (1, "")
    assert "There is no archive" in done.sentences[0]


def test_the_version(tmp_path: Path) -> None:
    for call in ("--version", "version"):
        assert run(tmp_path, [*PROGRAM, call]).stdout == f"blogcrawler {__version__}\n"


@pytest.mark.parametrize("call", ["", "help", "--help", "-h", "--verbose --help"])
def test_the_help_of_the_program(tmp_path: Path, call: str) -> None:
    done = run(tmp_path, [*PROGRAM, *call.split()])
    assert (done.code, done.stderr) == (0, "")
    assert "Usage: blogcrawler COMMAND [options]" in done.stdout


@pytest.mark.parametrize("call", ["export --help", "help export", "--nolog export -h"])
def test_the_help_of_a_command(tmp_path: Path, call: str) -> None:
    done = run(tmp_path, [*PROGRAM, *call.split()])
    assert (done.code, done.stderr) == (0, "")
    assert "blogcrawler export [options] FORMAT TARGET" in done.stdout
