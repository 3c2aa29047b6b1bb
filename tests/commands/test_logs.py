"""The log of a crawl: one line an event, as text or as JSON."""

from __future__ import annotations

import json
import logging
import re
import signal
import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from blogcrawler.demo import DemoServer
from blogcrawler.reporting.json_log import JsonFormatter
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.breaking import SAID, breaking
from tests.crawl.running import PROGRAM, SETTINGS, Outcome, command, crawl, run, start
from tests.crawl.test_errors import closed_port

if TYPE_CHECKING:
    from pathlib import Path

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:,\d+)? (DEBUG|INFO|WARNING|ERROR) ([\w.]+): (.+)")
SET_UP = ("Overridden settings", "Enabled ", "Versions", "Scrapy 2", "middlewares", "Telnet")
FAST = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    with DemoServer() as server:
        return crawl(tmp_path_factory.mktemp("demo"), server.url, anew=True)


@pytest.mark.slow
def test_a_line_is_an_event(demo: Outcome) -> None:
    assert demo.code == 0, demo.stderr
    assert [line for line in demo.stderr.splitlines() if not LINE.fullmatch(line)] == []


@pytest.mark.slow
def test_the_log_begins_without_settings_and_components(demo: Outcome) -> None:
    assert [word for word in SET_UP if word in demo.stderr] == []
    assert len(demo.stderr.splitlines()) < 20, demo.stderr


@pytest.mark.slow
def test_no_error_where_the_host_of_a_picture_is_away(tmp_path: Path) -> None:
    """Its robots.txt cannot be fetched, nor the picture."""
    blog = Blog(make_posts(5))
    with serve(blog) as site:
        picture = f'<p><img src="http://localhost:{closed_port()}/picture.png" alt=""></p>'
        page = blog.page(blog.posts[0]).replace('<div class="text">', f'<div class="text">{picture}')
        site.routes[blog.path(blog.posts[0])] = page
        outcome = crawl(tmp_path, f"{site.url}/", MEDIA=True, ALLOWED_PRIVATE_HOSTS="localhost")
    assert outcome.code == 0, outcome.stderr
    assert len(outcome.records) == 5
    assert "picture" in json.dumps(outcome.records)
    assert [line[1] for line in map(LINE.fullmatch, outcome.stderr.splitlines()) if line] != []
    assert [line for line in outcome.stderr.splitlines() if " ERROR " in line] == []


@pytest.mark.slow
def test_json_on_standard_error(tmp_path: Path) -> None:
    with serve(Blog(make_posts(4))) as site:
        outcome = run(tmp_path, command(f"{site.url}/", "--log-format", "json"))
        found = events(outcome.stderr)
    assert outcome.code == 0, outcome.stderr
    assert {event["spider"] for event in found} == {"newcrawl"}
    assert {event["blog"] for event in found} == {f"{site.url}/"}
    assert {event["level"] for event in found} <= {"INFO", "WARNING"}
    assert all(datetime.fromisoformat(event["time"]).utcoffset() is not None for event in found)
    summary = [event for event in found if event["logger"].startswith("blogcrawler.reporting")]
    assert summary[0]["message"].startswith("Complete: 4")
    assert [event["message"] for event in found if event["message"] != event["message"].strip()] == []


@pytest.mark.slow
def test_json_by_the_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "blogcrawler.toml").write_text('LOG_FORMAT = "json"\nLOG_FILE = "own.log"\n', "utf-8")
    with serve(Blog(make_posts(4))) as site:
        outcome = run(tmp_path, [*PROGRAM, "archive", f"{site.url}/", *FAST])
        assert (outcome.code, outcome.stderr) == (0, "")
        assert any("4 posts from" in event["message"] for event in events((tmp_path / "own.log").read_text("utf-8")))
        text = run(tmp_path, [*PROGRAM, "archive", f"{site.url}/", *FAST, "--log-format", "text", "-s", "LOG_FILE="])
    assert text.code == 0
    assert [line for line in text.stderr.splitlines() if not LINE.fullmatch(line)] == []


@pytest.mark.slow
def test_the_error_message_of_a_failed_crawl_is_json(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{closed_port()}/"
    outcome = run(tmp_path, command(address, "--log-format", "json", RETRY_TIMES=0))
    assert outcome.code == 1
    last = events(outcome.stderr)[-1]
    assert (last["level"], last["logger"], last["blog"]) == ("ERROR", "blogcrawler", address)
    assert address in last["message"]


@pytest.mark.slow
def test_an_error_has_its_traceback(tmp_path: Path) -> None:
    with serve(Blog(make_posts(4))) as site:
        broken = breaking("blogcrawler.crawl.loop:CrawlLoop._next_url")
        outcome = run(tmp_path, command(f"{site.url}/", "--log-format", "json", *broken))
    assert outcome.code == 1
    traceback = next(event["exception"] for event in events(outcome.stderr) if "exception" in event)
    assert traceback.startswith("Traceback")
    assert SAID in traceback


UNCAUGHT = """
import blogcrawler.commands.crawl as crawl
from blogcrawler.cli import main

def broken(*_):
    raise RuntimeError("this was broken\\non purpose")

crawl.check_store = broken
main()
"""


@pytest.mark.slow
def test_an_error_that_nothing_catches_is_one_event(tmp_path: Path) -> None:
    program = [sys.executable, "-c", UNCAUGHT, "crawl", "newcrawl", "-aurl=http://127.0.0.1:9/", *FAST]
    outcome = run(tmp_path, [*program, "--log-format", "json"], anew=True)
    assert outcome.code == 1
    (event,) = events(outcome.stderr)
    assert (event["level"], event["blog"]) == ("CRITICAL", "http://127.0.0.1:9/")
    assert event["message"] == "The program failed: this was broken\non purpose"
    assert event["exception"].startswith("Traceback")


def test_a_traceback_in_a_message_is_a_field_of_its_own() -> None:
    text = "Unhandled error in Deferred:\n\nTraceback (most recent call last):\nValueError: x\n"
    record = logging.LogRecord("twisted", logging.CRITICAL, __file__, 1, text, None, None)
    (event,) = events(JsonFormatter({"spider": "newcrawl"}).format(record))
    assert event["message"] == "Unhandled error in Deferred:"
    assert event["exception"] == "Traceback (most recent call last):\nValueError: x"


@pytest.mark.slow
def test_crawls_of_a_monitor_log_json_too(tmp_path: Path) -> None:
    with serve(Blog(make_posts(4))) as site:
        assert run(tmp_path, [*PROGRAM, "blogs", "add", f"{site.url}/", *FAST]).code == 0
        outcome = run(tmp_path, [*PROGRAM, "monitor", "--log-format", "json", *FAST])
    assert outcome.code == 0, outcome.stderr
    (log,) = (tmp_path / "archive" / "logs").iterdir()
    assert {event["blog"] for event in events(log.read_text("utf-8"))} == {f"{site.url}/"}


@pytest.mark.slow
def test_several_blogs_log_json_too(tmp_path: Path) -> None:
    with serve(Blog(make_posts(4))) as one, serve(Blog(make_posts(4))) as other:
        call = [*PROGRAM, "archive", f"{one.url}/", f"{other.url}/", "--log-format", "json", *FAST]
        outcome = run(tmp_path, call)
    assert outcome.code == 0, outcome.stderr
    assert {record.get("blog") for record in events(outcome.stderr)} >= {f"{one.url}/", f"{other.url}/"}


@pytest.mark.slow
def test_a_signal_is_acknowledged_in_json(tmp_path: Path) -> None:
    with serve(Blog(make_posts(20))) as site:
        process = start(tmp_path, command(f"{site.url}/", "--log-format", "json", DOWNLOAD_DELAY=0.3))
        while not site.paths:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143
    assert any("Stopping" in event["message"] for event in events((tmp_path / "stderr").read_text("utf-8")))
