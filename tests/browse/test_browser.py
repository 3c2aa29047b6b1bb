"""The pages in a real browser: what hostile posts cannot do, the keyboard, and what axe-core finds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any

import pytest
from markupsafe import Markup
from playwright.sync_api import sync_playwright

import blogcrawler.browse.posts
from blogcrawler.backend import Archive, FileStore
from blogcrawler.browser.choices import browsers
from blogcrawler.items import Comment, FieldSource, Provenance
from tests.archives import save_records
from tests.browse.serving import browsing
from tests.browser.installed import needs_a_browser
from tests.export.archives import ANN, KETTLE, LATER, NOW, a_record, address, filled
from tests.export.test_site_browser import web

pytestmark = [pytest.mark.slow, needs_a_browser]
SCHEMES = ("light", "dark")
WIDTHS = (1280, 320)
PAGES = {
    "all blogs": "/",
    "a blog": "/blogs/1",
    "posts": "/blogs/1/posts",
    "pages of posts": "/blogs/1/posts?page=2",
    "posts of a month": "/blogs/1/posts?month=2014-05",
    "gaps": "/blogs/1/gaps",
    "search": "/search",
    "results": "/search?q=fine&blog=1",
    "no results": "/search?q=zzzz",
    "a post": "/posts/1",
    "an odd post": "/posts/2",
    "a bare post": "/posts/3",
    "versions": "/posts/1/versions",
    "a diff": "/posts/1/diff?from=1&to=2",
    "an error": "/nope",
}
RICH = """<h2>Kettles</h2><p lang="de">Wasser <em>kocht</em>, <a href="http://x.example/">irgendwo</a>.</p>
<pre>{}</pre><table><tr><th>a<th>b<tr><td>{}<td>2</table><blockquote><p>So it is.</p></blockquote>
<ul><li>one<li>two</ul><img src="http://ann.example.org/kettle.png" alt=""><img src="http://ann.example.org/lost.png">
<video src="http://ann.example.org/lost.mp4"></video><del>old</del> <ins>new</ins> <mark>marked</mark>""".format(
    "x" * 300, "y" * 200
)


def acting(server: str) -> str:
    """Markup that would act, if it could."""
    return f"""<script>document.title = "acted"; fetch("{server}script")</script><script src="{server}script.js"></script>
        <img src="{server}picture" onerror="document.title = 'acted'"><img src=x onerror="document.title = 'acted'">
        <img srcset="{server}set 2x"><picture><source srcset="{server}source"><img src="{server}inner"></picture>
        <iframe src="{server}frame"></iframe><iframe srcdoc="<script>parent.document.title = 'acted'</script>"></iframe>
        <object data="{server}object"></object><embed src="{server}embed">
        <video src="{server}film" poster="{server}poster" autoplay></video><audio src="{server}sound" autoplay></audio>
        <link rel=stylesheet href="{server}style"><link rel=prefetch href="{server}prefetch"><link rel=preload as=image href="{server}preload">
        <link rel=icon href="{server}icon"><style>@import "{server}import"; body {{ background: url({server}body) }}</style>
        <p style="background: url({server}background)">Zebra</p><table background="{server}table"><tr><td>x</table>
        <form action="{server}form"><input name=a autofocus onfocus="document.title = 'acted'"><button>Send</button></form>
        <svg onload="document.title = 'acted'"><script href="{server}svg"></script><image href="{server}image"/></svg>
        <a href="javascript:document.title = 'acted'">click</a><details open ontoggle="document.title = 'acted'">x</details>
        <a href="{server}link" ping="{server}ping">away</a><base href="{server}"><body onload="document.title = 'acted'">"""


def refreshing(server: str) -> str:
    """What no policy forbids."""
    return f'<meta http-equiv=refresh content="0;url={server}refresh">'


@dataclass
class Seen:
    """What a browser has seen."""

    titles: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    said: dict[str, Any] = field(default_factory=dict)


@contextmanager
def opened(seen: Seen | None = None, **options: Any):
    """A page of a browser; only in a thread without an event loop."""
    program = next(filter(None, browsers("")), None)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program) as browser:
        page = browser.new_page(**options)
        if seen is not None:
            page.on("request", lambda request: seen.requests.append(request.url))
            page.on("pageerror", lambda error: seen.errors.append(str(error)))
        yield page


def in_a_thread(function, *arguments):
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *arguments).result()


def look(url: str) -> Seen:
    """Open a page, and wait for what it would do."""
    seen = Seen()
    with opened(seen) as page:
        page.goto(url)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(500)
        seen.titles.append(page.title())
        seen.said["url"] = page.url
        seen.said["links"] = page.locator("a").evaluate_all("links => links.map(link => link.href)")
        seen.said["widths"] = page.evaluate("Array.from(document.images, (image) => image.naturalWidth)")
    return seen


def test_a_hostile_post_runs_nothing_and_asks_nobody(tmp_path):
    with web() as (server, asked), Archive.open(address(tmp_path)) as archive:
        FileStore(tmp_path).put(KETTLE)
        markup = acting(server) + refreshing(server)
        said = [Comment("c1", author=markup, author_url=f"{server}author", content_html=markup, content_text="Zebra")]
        shown = f'{markup}<img src="{ANN}kettle.png">'
        archive.save_record(
            a_record("acting", title=f"Acting {markup}", content_html=shown, comments=said, tags=[markup]), now=NOW
        )
        archive.save_record(
            a_record("acting", title="Changed", content_html=shown, content_text=markup, comments=said), now=LATER
        )
        with browsing(archive, tmp_path) as site:
            for path in ("posts/1", "posts/1/diff", "posts/1/versions", "blogs/1", "blogs/1/gaps", "search?q=zebra"):
                seen = in_a_thread(look, site.url + path)
                assert seen.titles[0].endswith("The archive"), path
                assert seen.said["url"] == site.url + path
                assert [url for url in seen.requests if not url.startswith((site.url, "data:"))] == [], path
                assert seen.errors == []
                assert not [url for url in seen.said["links"] if url.startswith("javascript:")]
                if path == "posts/1":
                    assert 1 in seen.said["widths"], "the picture of the archive is shown"
        assert asked == []


def test_the_policy_is_a_second_lock(tmp_path, monkeypatch):
    """What no sanitiser lets through runs nothing and asks nobody, either."""
    monkeypatch.setattr(blogcrawler.browse.posts, "safe_html", lambda html, *_: Markup(html or ""))
    with web() as (server, asked), Archive.open(address(tmp_path)) as archive:
        archive.save_record(a_record("acting", content_html=acting(server), comments=[]), now=NOW)
        with browsing(archive, tmp_path) as site:
            assert "<script>" in site.page("/posts/1")
            seen = in_a_thread(look, f"{site.url}posts/1")
            assert "acted" not in seen.titles[0]
        assert asked == []


def search(url: str) -> Seen:
    seen = Seen()
    with opened(seen, java_script_enabled=False, viewport={"width": 800, "height": 400}) as page:
        page.goto(url)
        page.get_by_label("Search").fill("thermometer")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?**")
        seen.said["marked"] = page.locator("mark").all_inner_texts()
        seen.said["told"] = page.get_by_role("status").inner_text()
        page.locator(".results a").first.click()
        page.wait_for_url("**/posts/**")
        seen.said["url"] = page.url
        comment = page.locator("li:target")
        seen.said["comment"] = comment.locator("> div").inner_text()
        box = comment.bounding_box()
        assert box is not None
        seen.said["top"] = box["y"]
    return seen


def test_the_search_finds_a_word_of_a_comment_and_leads_to_it(tmp_path):
    talk = [Comment(f"c{number}", author="Cy", content_text=f"Comment {number} " * 30) for number in range(20)]
    talk[17] = Comment("c17", author="Di", content_text="Try a thermometer.")
    with Archive.open(address(tmp_path)) as archive:
        save_records(archive, [a_record("talk", comments=talk), a_record("other")], now=NOW)
        with browsing(archive, tmp_path) as site:
            said = in_a_thread(search, site.url).said
    assert said["marked"] == ["thermometer"]
    assert said["told"] == "1 post with all these words."
    assert said["url"].endswith("/posts/1#comment-18")
    assert said["comment"] == "Try a thermometer."
    assert -1 <= said["top"] < 400


def press(url: str) -> Seen:
    seen = Seen()
    with opened(seen) as page:
        page.goto(url)
        focused = "(() => { const e = document.activeElement; return e.innerText || e.name || e.id })()"
        for _ in range(3):
            page.keyboard.press("Tab")
            seen.titles.append(page.evaluate(focused))
        seen.said["outline"] = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        page.goto(url)
        page.keyboard.press("Tab")
        seen.said["skip"] = page.evaluate("document.activeElement.getBoundingClientRect().x")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        seen.said["first"] = page.evaluate("document.activeElement.getAttribute('href')")
    return seen


def test_the_keyboard_reaches_skip_link_search_and_results(tmp_path):
    with filled(tmp_path) as archive, browsing(archive, tmp_path) as site:
        seen = in_a_thread(press, f"{site.url}search?q=fine")
        assert seen.titles == ["Skip to the content", "q", "Search"]
        assert seen.said["skip"] >= 0, "the skip link is seen"
        assert seen.said["outline"] == "solid"
        assert seen.said["first"].startswith("/posts/")


def examine(url: str, pages: dict[str, str] = PAGES) -> Seen:
    """What axe-core finds on pages, and which are wider than the window."""
    seen = Seen()
    axe = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    program = next(filter(None, browsers("")), None)
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=program) as browser:
        for scheme in SCHEMES:
            for width in WIDTHS:
                context = browser.new_context(
                    bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800}
                )
                page = context.new_page()
                for name, path in pages.items():
                    page.goto(url + path.removeprefix("/"))
                    page.evaluate(axe)
                    found = page.evaluate("axe.run()")
                    for one in found["violations"]:
                        nodes = "; ".join(node["html"][:200] for node in one["nodes"][:3])
                        said = f"{name}, {scheme}, {width}: {one['id']} ({one['impact']}): {nodes}"
                        (seen.errors if one["impact"] in ("serious", "critical") else seen.titles).append(said)
                    seen.said["passes"] = seen.said.get("passes", 0) + len(found["passes"])
                    if page.evaluate("document.documentElement.scrollWidth") > width:
                        seen.requests.append(f"{name}, {width}")
                context.close()
    return seen


def test_axe_finds_nothing_serious_and_no_page_is_too_wide(tmp_path):
    sure, doubtful = (
        FieldSource("rule", "//h1[@class='entry-title and more of a long rule']/a", 0.98),
        FieldSource("fallback", None, 0.5),
    )
    told = Provenance(NOW.isoformat(), 200, fields={"title": sure, "content": doubtful})
    with filled(tmp_path) as archive:
        archive.start_crawl(ANN, now=NOW)
        archive.finish_crawl(ANN, now=NOW, reason="finished")
        rich = a_record("a", content_html=RICH, content_text="Water.\n\nBoil it now.", provenance=told)
        archive.save_record(rich, now=LATER)
        archive.save_record(replace(rich, title="Changed once more", content_text="Water.\n\nBoil it soon."), now=LATER)
        save_records(archive, [a_record(f"more-{number}") for number in range(60)], now=NOW)
        with browsing(archive, tmp_path) as site:
            seen = in_a_thread(examine, site.url)
    assert seen.errors == []
    assert seen.titles == [], "nothing minor, either"
    assert seen.requests == []
    assert seen.said["passes"] > 1000
