"""Rules, seen and corrected: over HTTP, and by hand in a real browser."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from lxml import html

from blogcrawler.backend import Archive, FileStore, Hold
from blogcrawler.browse import Holdings, application
from blogcrawler.browse.outlined import FRAME_POLICY
from blogcrawler.dom import inline_text
from tests.browse.serving import served
from tests.browse.test_browser import Seen, examine, in_a_thread, opened
from tests.browser.installed import needs_a_browser
from tests.crawl.blog import serve
from tests.crawl.running import DATABASE, crawl
from tests.export.test_site_browser import web
from tests.reextraction.decked import decked, titles
from tests.site import Reply

pytestmark = pytest.mark.slow
ODD = ("0", "-1", "999999", "x", "1e3", "%00", "99999999999999999999")


@contextmanager
def archived(folder: Path, blog, extra=lambda site: None):
    """A crawled blog, shown: what asks the pages, the archive, and what its records should say."""
    with serve(blog) as site:
        extra(site)
        crawl(folder, f"{site.url}/", server=site, WARC=True)
        url = f"sqlite:///{folder / DATABASE}"
        warcs = folder / "archive" / "warc"
        with Archive.open(url) as archive:
            shown = Holdings(archive, url, FileStore(folder / "archive"), warcs)
            with served(application(shown)) as pages:
                asked = len(site.targets)
                yield pages, archive, titles(blog, site.url), f"{site.url}/"
                assert len(site.targets) == asked, "nothing is fetched"


def kept_titles(archive, home):
    return {record.url: record.title for record in archive.records(home)}


def read(pages, path):
    return html.fromstring(pages.page(path))


def send(pages, target, **fields):
    origin = pages.url.rstrip("/")
    return pages.ask(target, "POST", data={"sent": "", **fields}, headers={"Origin": origin})


def outcome(pages, answer):
    """What came of it, once it is over."""
    assert answer.status_code == 303, answer.text
    place = answer.headers["location"]
    for _ in range(600):
        shown = pages.ask(place)
        if "refresh" not in shown.headers:
            return inline_text(html.fromstring(shown.text).find(".//main"))
        time.sleep(0.1)
    raise AssertionError("it does not end")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with archived(tmp_path_factory.mktemp("correcting"), decked()) as shown:
        yield shown


def test_a_page_beside_its_record(site):
    pages, archive, _, home = site
    (post,) = (post for post in archive.posts(home) if post.id == 3)
    page = read(pages, "/posts/3/page")
    assert page.xpath("//iframe/@src") == ["/posts/3/frame"]
    rows = {row.xpath("string(th)").strip(): row for row in page.xpath("//tbody/tr")}
    assert list(rows)[-2:] == ["updated", "tags"] or list(rows)[-2:] == ["tags", "updated"], "what is empty comes last"
    assert post.record.title in inline_text(rows["title"])
    assert post.record.provenance.fields["authors"].source in ("feed", "rule")
    answer = pages.ask("/posts/3/frame")
    assert answer.status_code == 200, answer.text
    is_framed = answer.headers["content-security-policy"] == FRAME_POLICY  # else pytest compares them at length
    assert is_framed
    shown = html.fromstring(answer.text)
    marked = {node.get("data-archive-field"): inline_text(node) for node in shown.xpath("//*[@data-archive-field]")}
    assert marked["title"] == post.record.title
    assert marked["authors"] == post.record.authors[0]
    assert post.record.content_text.split("\n")[0] in marked["content"]
    assert all(rule.startswith("//") for rule in shown.xpath("//@data-archive-rule"))


def test_six_posts_at_once_the_doubtful_ones_first(site):
    pages, *_ = site
    page = read(pages, "/blogs/1/rules")
    frames = page.xpath("//iframe/@src")
    assert len(frames) == len(set(frames)) == 6  # of nine posts
    assert set(page.xpath("//iframe/@loading")) == {"lazy"}
    least = [
        min(float(found) for found in re.findall(r"\((\d\.\d\d)\)", inline_text(table)))
        for table in page.xpath("//section[@aria-labelledby='posts']//table")
    ]
    assert least == sorted(least)
    assert page.xpath("//a[@href='/blogs/1/rules']") or page.xpath("//h1")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *((f"/posts/{number}/page", 404) for number in ODD),
        *((f"/posts/{number}/frame", 404) for number in ODD),
        *((f"/posts/{number}/correct/title", 404) for number in ODD),
        *((f"/posts/1/correct/title/{number}", 404) for number in ODD if number != "0"),
        ("/posts/1/correct/mood", 404),
        ("/posts/1/correct/updated", 404),
        ("/posts/1/correct/mood/frame", 404),
        ("/blogs/9/rules", 404),
        ("/blogs/9/renewal", 404),
        ("/blogs/1/renewal", 404),
    ],
)
def test_what_is_not_there_is_a_sentence(site, path, status):
    pages, *_ = site
    answer = pages.ask(path)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("field", "form", "said"),
    [
        ("title", {}, "no element"),
        ("title", {"path": "//h1"}, "no element"),
        ("title", {"path": "/html/body[1]/h9[1]"}, "no element"),
        ("published", {"path": "/html/body[1]/main[1]/article[1]/h1[1]"}, "contains nothing that could be a date"),
        ("title", {"path": "/html/body[1]/main[1]/article[1]/h1[1]", "words": "zzz"}, "does not say"),
    ],
)
def test_what_cannot_be_learned_from_is_a_sentence(site, field, form, said):
    pages, archive, _, home = site
    answer = send(pages, f"/posts/1/correct/{field}", **form)
    assert answer.status_code == 400
    assert said in inline_text(html.fromstring(answer.text))
    assert archive.corrections(home).all() == []


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://evil.example.org"}, {"Sec-Fetch-Site": "cross-site"}])
@pytest.mark.parametrize("path", ["/posts/1/correct/title", "/posts/1/correct/title/forget", "/blogs/1/renewal"])
def test_no_other_page_corrects_anything(site, path, headers):
    pages, archive, _, home = site
    answer = pages.ask(path, "POST", data={"path": "/html/body[1]/main[1]/article[1]/h1[1]"}, headers=headers)
    assert answer.status_code == 403
    assert archive.corrections(home).all() == []


def test_what_was_not_corrected_cannot_be_taken_back(site):
    assert send(site[0], "/posts/1/correct/title/forget").status_code == 400


def test_a_blog_that_is_being_crawled_is_left_alone(site):
    pages, archive, _, home = site
    hold = Hold(f"sqlite:///{archive.file}")
    hold.take(home)
    try:
        assert "is being crawled" in outcome(pages, send(pages, "/blogs/1/renewal"))
    finally:
        hold.close()


def test_a_correction_is_made_and_taken_back(tmp_path):
    with archived(tmp_path, decked()) as (pages, archive, right, home):
        wrong = kept_titles(archive, home)
        assert not set(wrong.items()) & set(right.items())
        path = read(pages, "/posts/8/correct/title/frame").xpath("//h1//a/@href")[0]
        form = read(pages, path).xpath("//form[@method='post']")[0]
        chosen = form.xpath(".//input[@checked]/@value")
        assert chosen == ["/html/body[1]/main[1]/article[1]/h1[1]"]
        said = outcome(pages, send(pages, form.get("action"), path=chosen[0], words=""))
        assert "9 posts changed, 0 unchanged. Nothing was fetched." in said
        assert kept_titles(archive, home) == right
        assert "corrected by hand" in inline_text(read(pages, "/posts/8/page"))
        assert "title of" in inline_text(read(pages, "/blogs/1/rules"))
        assert read(pages, "/posts/8/versions").xpath("//h1")
        assert "9 posts changed" in outcome(pages, send(pages, "/posts/8/correct/title/forget"))
        assert kept_titles(archive, home) == wrong


def test_rules_that_cannot_be_read_any_more_are_learned_anew(tmp_path):
    with archived(tmp_path, decked(7)) as (pages, archive, right, home):
        archive.save_wrapper(home, {"version": 0})
        assert "There are no rules of this blog" in inline_text(read(pages, "/blogs/1/rules"))
        assert pages.ask("/posts/2/frame").status_code == 200
        path = read(pages, "/posts/2/correct/title/frame").xpath("//h1//a/@href")[0]
        (chosen,) = read(pages, path).xpath("//input[@checked]/@value")
        outcome(pages, send(pages, "/posts/2/correct/title", path=chosen))
        assert kept_titles(archive, home) == right


def test_a_page_that_is_lost_is_told_in_its_frame(tmp_path):
    with archived(tmp_path, decked(5)) as (pages, _archive, _, _home):
        for file in (tmp_path / "archive" / "warc").glob("*.warc.gz"):
            file.unlink()
        answer = pages.ask("/posts/2/frame")
        assert answer.status_code == 200
        assert "blogcrawler verify" in answer.text
        assert pages.ask("/posts/2/correct/title/5").status_code == 404
        assert pages.ask("/blogs/1/rules").status_code == 200


def by_hand(url: str) -> Seen:
    """Correct a title as a person does, by the keyboard and without scripts."""
    seen = Seen()
    with opened(seen, java_script_enabled=False) as page:
        page.on("request", lambda request: seen.said.setdefault(request.method, request.headers.get("origin")))
        page.goto(f"{url}blogs/1")
        page.get_by_role("link", name="Check extraction").click()
        page.locator("section h3 a").last.click()
        page.get_by_role("link", name="Correct title").click()
        headline = page.frame_locator("iframe").locator("h1.headline a")
        seen.said["headline"] = headline.inner_text()
        headline.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/correct/title/*")
        seen.said["options"] = page.locator("label code").all_inner_texts()
        page.get_by_role("button", name="Save and learn").click()
        page.wait_for_url("**/renewal")
        page.get_by_text("Nothing was fetched").wait_for(timeout=60_000)
        seen.said["told"] = page.get_by_role("status").inner_text()
    return seen


@needs_a_browser
def test_a_title_is_corrected_by_hand(tmp_path):
    with archived(tmp_path, decked(12)) as (pages, archive, right, home):
        assert not set(kept_titles(archive, home).items()) & set(right.items())
        seen = in_a_thread(by_hand, pages.url)
        assert seen.said["headline"] in right.values()
        assert seen.said["options"][0] == "h1"
        assert seen.said["POST"] == pages.url.rstrip("/"), "browsers that tell nothing else tell this"
        assert seen.said["told"].startswith("12 posts changed, 0 unchanged.")
        assert kept_titles(archive, home) == right
        assert [url for url in seen.requests if not url.startswith((pages.url, "data:"))] == []


def acting(server: str) -> str:
    """What a page would do, if it could."""
    return f"""<script>top.document.title = "acted"; fetch("{server}script")</script><img src="{server}picture" onerror="top.location = '/'">
        <iframe src="{server}frame"></iframe>
        <style>body {{ background: url({server}body) }}</style><p style="background: url({server}style)">Zebra</p>
        <form action="{server}form" target="_top"><input autofocus onfocus="top.document.title = 'acted'"></form>
        <a id=away href="{server}link" target="_top">away</a><svg><image href="{server}image"/></svg><link rel=stylesheet href="{server}sheet">"""


def frames(url: str, paths: list[str]) -> Seen:
    seen = Seen()
    with opened(seen) as page:
        for path in paths:
            page.goto(url + path)
            page.locator("iframe").first.scroll_into_view_if_needed(timeout=60_000)
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(300)
            seen.titles.append(page.title())
            seen.said[path] = (page.url, page.frame_locator("iframe").first.locator("body").inner_text())
    return seen


@needs_a_browser
def test_an_archived_page_runs_nothing_and_asks_nobody(tmp_path):
    blog = decked(5)
    with web() as (server, asked):

        def with_acts(site):
            for post in blog.posts:
                site.routes[blog.path(post)] = Reply(blog.page(post).replace("<main>", f"<main>{acting(server)}"))

        with archived(tmp_path, blog, with_acts) as (pages, _archive, _, _home):
            asked.clear()
            paths = ["posts/1/page", "posts/1/correct/title", "blogs/1/rules"]
            seen = in_a_thread(frames, pages.url, paths)
            for path, title in zip(paths, seen.titles, strict=True):
                assert title.endswith("The archive")
                url, shown = seen.said[path]
                assert url == pages.url + path
                assert "Zebra" in shown
            assert [url for url in seen.requests if not url.startswith((pages.url, "data:"))] == []
            assert "away" in seen.said["posts/1/page"][1]
            assert asked == []


@needs_a_browser
def test_axe_finds_nothing_serious_on_the_pages_by_which_rules_are_checked(tmp_path):
    with archived(tmp_path, decked(7)) as (pages, *_):
        choice = read(pages, "/posts/2/correct/title/frame").xpath("//h1//a/@href")[0]
        outcome(pages, send(pages, "/posts/2/correct/title", path="/html/body[1]/main[1]/article[1]/h1[1]"))
        shown = {
            "a page beside its record": "/posts/2/page",
            "rules": "/blogs/1/rules",
            "a choice": "/posts/2/correct/title",
            "an answer": choice,
            "an outcome": "/blogs/1/renewal",
        }
        seen = in_a_thread(examine, pages.url, shown)
    assert seen.errors == []
    assert seen.titles == [], "nothing minor, either"
    assert seen.requests == []
    assert seen.said["passes"] > 300
