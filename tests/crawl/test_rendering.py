"""Blogs that live by scripts are archived like all others; those that do not start no browser."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.browser.installed import needs_a_browser
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, crawl, crawl_until, kept
from tests.crawl.scripted import ScriptedBlog
from tests.site import Reply

pytestmark = [needs_a_browser, pytest.mark.slow]

COMMENTS = """
const thread = document.getElementById('isso-thread');
let page = 0;
const more = document.createElement('a');
more.className = 'isso-load-hidden';
more.textContent = 'more';
more.onclick = () => fetch('/comments' + location.pathname + '?page=' + page++).then(r => r.json()).then(got => {
  for (const text of got.comments) { const p = document.createElement('p'); p.textContent = text; more.before(p); }
  if (!got.more) more.remove();
});
thread.append(more);
"""
KEEP = '''
import json


class Keep:
    """Writes down the pages as later stages see them."""

    async def process_item(self, item):
        page = item.material.shown or item.material.page
        with open("pages.jsonl", "a") as file:
            file.write(json.dumps({"url": item.url, "html": page.body.decode(), "sent": item.material.page.body.decode()}) + "\\n")
        return item
'''
STAGES = {
    "blogcrawler.pipelines.render.RenderPipeline": 100,
    "blogcrawler.pipelines.content.ContentPipeline": 200,
    "keep.Keep": 300,
}


@pytest.fixture
def watched(tmp_path):
    """A browser that leaves a trace when it is started: its path, and a function that tells how often it was."""
    program = tmp_path / "browser"
    starts = tmp_path / "starts"
    program.write_text(f'#!/bin/sh\necho started >> {starts}\nexec chromium "$@"\n')
    program.chmod(0o755)
    return str(program), lambda: len(starts.read_text().splitlines()) if starts.exists() else 0


def left_running(mark: str) -> list[int]:
    """Processes that have something in their environment, but this one."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return [process for process in found if process != os.getpid()]


def wait_until(is_so, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not is_so():
        time.sleep(0.1)
    return is_so()


def same(records, others) -> bool:
    keys = ("url", "title", "authors", "published", "content_text")
    told = [sorted([record[key] for key in keys] for record in some) for some in (records, others)]
    return told[0] == told[1]


def test_a_blog_that_exists_by_scripts_alone_is_archived_whole(tmp_path, watched):
    program, starts = watched
    blog = ScriptedBlog(make_posts(12))
    with serve(blog) as site:
        site.default = blog.shell()
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RENDER_BROWSER=program)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        for post in blog.posts:
            record = outcome.record(site.url + blog.path(post))
            assert record["title"] == post.title
            assert record["authors"] == [post.author]
            assert record["published"][:10] == f"{post.published:%Y-%m-%d}"
            assert record["content_text"] == post.text
            assert record["provenance"]["rendered"]
        assert starts() == 1
        assert any("shown in a browser" in line for line in outcome.summary)


def test_a_plain_blog_starts_no_browser_and_imports_none(tmp_path, watched):
    program, starts = watched
    blog = Blog(make_posts(10), extra="<script>document.title += '!'</script>")
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program)
        assert outcome.urls == blog.urls(site.url)
        assert starts() == 0
        assert not any("browser" in line for line in outcome.summary)
        assert not any(record["provenance"]["rendered"] for record in outcome.records)
    imported = "import sys, blogcrawler.browser, blogcrawler.spiders.newcrawl; print('playwright' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", imported], capture_output=True, text=True).stdout == "False\n"


def test_pages_whose_posts_are_elsewhere_are_tried_once_and_read_as_they_are(tmp_path, watched):
    """The browser does not show what the feed tells either, so it is not used for more than that."""
    program, starts = watched
    posts = make_posts(8)
    blog = ScriptedBlog(posts, are_posts_scripted=False, are_lists_scripted=False)
    with serve(blog) as site:
        for path in blog.paths():
            site.routes[path] = Reply("<title>x</title><p>Moved.</p><script>1</script>" + "<p>word</p>" * 200)
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RENDER_BROWSER=program)
        assert outcome.code == 0, outcome.stderr
        assert starts() == 1
        assert "  3 pages shown in a browser" in outcome.summary
        assert not outcome.repeated


def test_lists_that_scripts_make_are_rendered_and_plain_posts_are_not(tmp_path):
    blog = ScriptedBlog(make_posts(12), are_posts_scripted=False)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.urls == blog.urls(site.url)
        assert not any(record["provenance"]["rendered"] for record in outcome.records)


def test_a_blog_of_scripts_without_a_feed(tmp_path):
    blog = ScriptedBlog(make_posts(12), names_feed=False, feed_path="/nobody-knows")
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


def test_never(tmp_path, watched):
    program, starts = watched
    with serve(ScriptedBlog()) as site:
        crawl(tmp_path, f"{site.url}/", RENDER="never", RENDER_BROWSER=program)
        assert starts() == 0


def test_always_brings_the_same_records_of_a_plain_blog(tmp_path):
    with serve(Blog(make_posts(10))) as site:
        (tmp_path / "never").mkdir()
        (tmp_path / "always").mkdir()
        never = crawl(tmp_path / "never", f"{site.url}/", RENDER="never")
        always = crawl(tmp_path / "always", f"{site.url}/", RENDER="always")
        assert same(always.records, never.records)
        assert all(record["provenance"]["rendered"] for record in always.records)


def test_without_a_browser_the_crawl_goes_on_and_says_how_to_get_one(tmp_path):
    with serve(Blog(make_posts(10))) as site:
        outcome = crawl(tmp_path, f"{site.url}/", RENDER="always", RENDER_BROWSER="/nowhere/chromium")
        assert outcome.code == 0
        assert len(outcome.records) == 10
        assert len([line for line in outcome.summary if "playwright install --with-deps chromium" in line]) == 1


def test_a_word_that_is_no_mode(tmp_path):
    result = crawl(tmp_path, "http://blog.invalid/", RENDER="perhaps")
    assert result.code == 2
    assert "RENDER" in result.sentences[0]


def test_without_its_browser_a_crawl_that_goes_on_loses_nothing(tmp_path):
    blog = ScriptedBlog(make_posts(12))
    with serve(blog) as site:
        site.default = blog.shell()
        first = crawl(tmp_path, f"{site.url}/", PAGE_LIMIT=8)
        assert 0 < len(first.records) < 12
        second = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER="/nowhere/chromium")
        assert any("could not be shown in a browser" in line for line in second.summary)
        last = crawl(tmp_path, f"{site.url}/")
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)


def test_interrupted_with_all_its_processes_a_crawl_goes_on(tmp_path):
    """As a terminal does it: the browser is told as well."""
    blog = ScriptedBlog(make_posts(14))
    with serve(blog) as site:
        site.default = blog.shell()
        arguments = ["setsid", *command(f"{site.url}/")]
        posts = lambda: len({path for path in site.paths if path.startswith("/data/2")})  # noqa: E731
        code = crawl_until(tmp_path, arguments, lambda: posts() >= 7, lambda run: os.killpg(run.pid, signal.SIGINT))
        assert code == 0
        last = crawl(tmp_path, f"{site.url}/")
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)


@pytest.mark.parametrize(("blow", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 0), (signal.SIGTERM, 0)])
def test_nothing_is_left_running_whatever_ends_the_crawl_and_it_goes_on(tmp_path, monkeypatch, blow, code):
    mark = f"BLOGCRAWLER_TEST={tmp_path}"
    monkeypatch.setenv("BLOGCRAWLER_TEST", str(tmp_path))
    blog = ScriptedBlog(make_posts(14))
    with serve(blog) as site:
        site.default = blog.shell()
        arguments = command(f"{site.url}/")
        posts = lambda: len({path for path in site.paths if path.startswith("/data/2")})  # noqa: E731
        ended = crawl_until(tmp_path, arguments, lambda: posts() >= 7, lambda run: run.send_signal(blow))
        assert ended == code
        assert wait_until(lambda: not left_running(mark)), left_running(mark)
        last = crawl(tmp_path, f"{site.url}/", server=site)
        assert last.code == 0, last.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert all(record["title"] and record["provenance"]["rendered"] for record in last.records)


def test_comments_that_scripts_load_are_in_the_page_beside_the_one_that_was_sent(tmp_path, monkeypatch, watched):
    program, starts = watched
    (tmp_path / "keep.py").write_text(KEEP)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    blog = Blog(make_posts(6))
    path = blog.path(blog.posts[4])

    def comments(request):
        page = int(request.query["page"])
        return Reply(json.dumps({"comments": [f"comment {page}-{n}" for n in range(4)], "more": page < 4}))

    with serve(blog) as site:
        site.routes["/comments.js"] = Reply(COMMENTS, content_type="text/javascript")
        site.routes[f"/comments{path}"] = comments
        thread = "<section id='isso-thread'></section><script src=/comments.js defer></script></article>"
        page = str(site.routes[path].body).replace("</article>", thread)
        site.routes[path] = Reply(page)
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program, ITEM_PIPELINES=json.dumps(STAGES))
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    pages = {told["url"]: told for told in map(json.loads, (tmp_path / "pages.jsonl").read_text().splitlines())}
    shown = pages[site.url + path]
    assert all(f"comment {page}-{n}" in shown["html"] for page in range(5) for n in range(4))
    assert shown["sent"] == page
    assert starts() == 1
    assert outcome.record(site.url + path)["content_text"] == blog.posts[4].text
    rendered = [record["url"] for record in outcome.records if record["provenance"]["rendered"]]
    assert rendered == [site.url + path]


def test_comments_of_a_service_that_is_gone_are_told_as_lost(tmp_path, watched):
    program, starts = watched
    blog = Blog(make_posts(6))
    with serve(blog) as site:
        for path in blog.paths():
            page = str(site.routes[path].body)
            site.routes[path] = Reply(
                page.replace("</main>", "<script src='//zor.livefyre.com/wjs/v3.0/l.js'></script></main>")
            )
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program)
    assert starts() == 0
    assert "  comments of Livefyre are lost, since its owner has closed it: 6 posts" in outcome.summary


def test_a_comment_system_that_does_not_answer_is_not_waited_for_on_every_post(tmp_path, monkeypatch):
    blog = Blog(make_posts(12))
    with serve(blog) as site:
        for path in blog.paths():
            script = "<div id='isso-thread'></div><script data-isso=x src=http://127.0.0.1:1/embed.js></script></main>"
            site.routes[path] = Reply(str(site.routes[path].body).replace("</main>", script))
        outcome = crawl(tmp_path, f"{site.url}/")
    assert outcome.urls == blog.urls(site.url)
    assert "  comments of Isso are lost, since its server does not answer: 12 posts" in outcome.summary
    (told,) = [line for line in outcome.summary if "shown in a browser" in line]
    assert told.split()[0] == "3"


def test_comments_that_their_system_tells_at_once_start_no_browser(tmp_path, monkeypatch, watched):
    program, starts = watched
    (tmp_path / "keep.py").write_text(KEEP)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    blog = Blog(make_posts(6))
    path = blog.path(blog.posts[4])
    reply = {
        "id": 2,
        "parent": 1,
        "author": "Bo",
        "website": None,
        "created": 1590566868.0,
        "text": "<p>An answer, ♥.</p>",
    }
    first = {
        "id": 1,
        "parent": None,
        "author": "Ann",
        "website": "http://ann.example/",
        "created": 1590504931.0,
        "text": "<p>A word.</p>",
    }
    with serve(blog) as site:
        answer = {"total_replies": 2, "replies": [{**first, "replies": [reply]}]}
        site.routes[f"/isso/?uri={path.replace('/', '%2F')}"] = Reply(
            json.dumps(answer), content_type="application/json"
        )
        thread = "<section id='isso-thread'></section><script data-isso='/isso/' src='/isso/js/embed.min.js'></script></body>"
        site.routes[path] = Reply(str(site.routes[path].body).replace("</body>", thread))
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program, ITEM_PIPELINES=json.dumps(STAGES))
    assert outcome.urls == blog.urls(site.url)
    assert starts() == 0
    pages = {told["url"]: told for told in map(json.loads, (tmp_path / "pages.jsonl").read_text().splitlines())}
    shown = pages[site.url + path]["html"]
    assert 'id="isso-1"' in shown
    assert '<article class="comment" id="isso-2" data-parent="isso-1"><cite>Bo</cite>' in shown
    assert '<a rel="nofollow" href="http://ann.example/">Ann</a>' in shown
    assert "An answer, &#9829;." in shown
    assert "2020-05-26T14:55:31+00:00" in shown
    assert not any(record["provenance"]["rendered"] for record in outcome.records)


def test_pictures_of_rendered_posts_are_kept_with_their_records(tmp_path):
    image = "<img src=/wide.svg width=300 height=5000>"
    drawing = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='5000'><rect width='300' height='5000'/></svg>"
    )
    blog = ScriptedBlog(make_posts(6), in_feed=3)
    with serve(blog) as site:
        site.routes["/wide.svg"] = Reply(drawing, content_type="image/svg+xml")
        first = blog.path(blog.posts[0])
        site.routes[f"/data{first}"] = Reply(str(site.routes[f"/data{first}"].body) + image)
        outcome = crawl(tmp_path, f"{site.url}/", server=site, SCREENSHOTS="True")
    assert outcome.urls == blog.urls(site.url)
    assert "/wide.svg" in outcome.requests
    for record in outcome.records:
        (told,) = record["media"]
        content = (tmp_path / "archive" / told["path"]).read_bytes()
        assert told == {
            "url": record["url"], "path": f"sha256/{told['sha256'][:2]}/{told['sha256'][2:]}",
            "sha256": hashlib.sha256(content).hexdigest(), "type": "image/jpeg", "bytes": len(content),
            "role": "screenshot", "error": None,
        }  # fmt: skip
        assert content.startswith(b"\xff\xd8\xff")
        assert height_of(content) >= (5000 if record["url"].endswith(first) else 1000)


def height_of(jpeg: bytes) -> int:
    """Pixels, from the start of its frame."""
    at = 2
    while jpeg[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return int.from_bytes(jpeg[at + 5 : at + 7], "big")


def test_no_picture_is_taken_unless_it_is_asked_for(tmp_path):
    with serve(Blog(make_posts(4))) as site:
        outcome = crawl(tmp_path, f"{site.url}/", RENDER="always")
    assert [record["media"] for record in outcome.records] == [[]] * 4
    assert not (tmp_path / "archive" / "sha256").exists()
