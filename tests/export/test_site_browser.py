"""A site in a real browser, from its folder: its search finds, its pages run no script and ask nobody for anything."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import sync_playwright

from blogcrawler.browser.choices import browsers
from blogcrawler.items import Comment
from tests.browser.installed import needs_a_browser
from tests.export.archives import BO, a_record
from tests.export.test_site import exported, kept

MANY = 22
pytestmark = [pytest.mark.slow, needs_a_browser]


@contextmanager
def web():
    """A server of the web that a page could ask; its address, and what it was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        server.server_close()


def records(server):
    """Posts whose markup would act, if it could, and posts to be found."""
    acting = f"""<script>document.title = "acted"; fetch("{server}script")</script>
        <img src="{server}picture" onerror="document.title = 'acted'"><img src=x onerror="document.title = 'acted'">
        <iframe src="{server}frame"></iframe><video src="{server}film" poster="{server}poster" autoplay></video>
        <link rel=stylesheet href="{server}style"><p style="background: url({server}background)">Zebra</p>
        <svg><script href="{server}svg"></script></svg><meta http-equiv=refresh content="0;{server}refresh">"""
    shown = '<p>Kept</p><img src="http://ann.example.org/kettle.png" alt="The kettle">'
    said = [Comment("c1", author="Zoë", content_text="Try a thermometer."), Comment("c2", content_html=acting)]
    return [
        a_record("acting", title=f"Acting {acting}", content_html=acting, content_text="Zebra", comments=said),
        a_record("kettles", content_html=shown, content_text="Kept", comments=[], media=[kept("http://ann.example.org/kettle.png")]),
        a_record("cafe", BO, title="Crème brûlée in the CAFÉ", content_text="x " * 900 + "Straße", comments=[], tags=["süß"]),
        a_record("tea", BO, title="お茶の時間", language="ja", content_text="日本の緑茶について書く。", comments=[]),
        *(a_record(f"many-{number}", BO, title=f"Many {number}", comments=[]) for number in range(MANY)),
    ]  # fmt: skip


@dataclass
class Seen:
    """What a browser has seen."""

    #: titles of the results, and what was said of them, by what was searched
    found: dict[str, list[str]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    marked: dict[str, list[str]] = field(default_factory=dict)
    more: int = 0
    #: of pages
    titles: list[str] = field(default_factory=list)
    #: of a picture of the last page
    width: int = 0
    without_scripts: str = ""
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@contextmanager
def browsing(seen):
    """A browser, and a page of it that notes what it asks for. Only in a thread without an event loop."""
    program = next(filter(None, browsers("")), None)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program) as browser:
        page = browser.new_page()
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("pageerror", lambda error: seen.errors.append(str(error)))
        yield browser, page


def open_pages(files):
    """Open pages, one after the other."""
    seen = Seen()
    with browsing(seen) as (_, page):
        for file in files:
            page.goto(file.as_uri())
            seen.titles.append(page.title())
        page.wait_for_load_state("networkidle")
        seen.titles.append(page.title())
        seen.width = max(page.evaluate("[0, ...Array.from(document.images, (image) => image.naturalWidth)]"))
    return seen


def search(site):
    """Search a site in a browser."""
    seen = Seen()
    with browsing(seen) as (browser, page):
        for question in QUESTIONS:
            page.goto((site / "search.html").as_uri())
            page.get_by_label("Words in titles").fill(question)
            page.get_by_role("button", name="Search").click()
            page.get_by_text("found.").or_(page.get_by_text("No post has")).wait_for()
            if "found." in page.locator("#status").inner_text():
                page.locator("#results li").first.wait_for()
            seen.found[question] = page.locator("#results h2").all_inner_texts()
            seen.said[question] = page.locator("#status").inner_text()
            seen.marked[question] = page.locator("#results mark").all_inner_texts()
        page.get_by_role("button", name="More").click()
        page.wait_for_function("document.querySelectorAll('#results li').length > 20")
        seen.more = page.locator("#results li").count()
        page.locator("#results a").first.click()
        seen.titles = [page.title()]
        plain = browser.new_page(java_script_enabled=False)
        plain.goto((site / "search.html").as_uri())
        seen.without_scripts = plain.locator("noscript").inner_text()
    return seen


class Looks(NamedTuple):
    """What was seen of a site: in searches, in all its kinds of pages, and in one whose markup is hostile."""

    site: Path
    found: Seen
    opened: Seen
    hostile: Seen
    #: what the web was asked for
    asked: list[str]


QUESTIONS = ("thermometer", "zoe", "THERMOMETER zebra", "thermometer kettle", "creme brulee", "strasse", "süß", "緑茶",
             "茶", "時間について", "kett", "zzz", "many")  # fmt: skip


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    with web() as (server, asked), ThreadPoolExecutor(1) as thread:
        site = exported(folder, *records(server))
        found = thread.submit(search, site).result()
        shown = next(site.glob("*/posts/*kettles.html"))
        files = [*site.glob("*.html"), *site.glob("1-*/**/*.html"), shown]
        opened = thread.submit(open_pages, files).result()
        # what no sanitiser lets through: the policy of the page is a second lock, though not for `meta`
        markup = records(server)[0].content_html.partition("<meta")[0]
        shown.write_text(shown.read_text("utf-8").replace("<p>Kept</p>", markup), "utf-8")
        hostile = thread.submit(open_pages, [shown]).result()
        yield Looks(site, found, opened, hostile, asked)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("thermometer", 1),
        ("zoe", 1),
        ("THERMOMETER zebra", 1),
        ("thermometer kettle", 0),
        ("creme brulee", 1),
        ("strasse", 1),
        ("süß", 1),
        ("緑茶", 1),
        ("茶", 1),
        ("時間について", 0),
        ("kett", 1),
        ("zzz", 0),
        ("many", 20),
    ],
)
def test_the_search_finds_words_of_titles_texts_comments_tags_and_names(seen, question, found):
    assert len(seen.found.found[question]) == found
    assert (
        seen.found.said[question]
        == {0: "No post has all these words.", 1: "1 post found.", 20: f"{MANY} posts found."}[found]
    )


def test_what_was_found_is_shown_and_marked(seen):
    found = seen.found
    assert found.marked["thermometer"] == ["thermometer"]
    assert found.marked["strasse"] == ["Straße"]
    assert found.marked["緑茶"] == ["緑茶"]
    assert found.found["緑茶"] == ["お茶の時間"]
    assert found.found["kett"] == ["Post kettles"]
    assert found.more == MANY
    assert found.titles[0].startswith("Many ")


def test_pages_act_by_nothing_and_ask_nobody(seen):
    assert seen.asked == []
    for look in (seen.found, seen.opened, seen.hostile):
        assert look.errors == []
        assert "acted" not in look.titles
    beginning = f"{seen.site.as_uri()}/"
    assert not [url for url in seen.found.requests + seen.opened.requests if not url.startswith(beginning)]
    assert len(seen.opened.titles) > 10


def test_kept_pictures_are_seen(seen):
    assert seen.opened.width == 1


def test_without_scripts_the_search_says_what_it_needs(seen):
    assert "needs JavaScript" in seen.found.without_scripts
