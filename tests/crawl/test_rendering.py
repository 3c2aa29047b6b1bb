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

from blogcrawler.browser.choices import browsers
from tests.browser.installed import needs_a_browser
from tests.crawl import running
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.commented import CommentedBlog, Said
from tests.crawl.running import crawl_until, kept
from tests.crawl.scripted import GrowingBlog, ScriptedBlog
from tests.site import Reply


def command(url: str, *more: str, **settings: object) -> list[str]:
    return running.command(url, *more, **{"RENDER": "auto", **settings})


def crawl(folder: Path, url: str, *more: str, **given: object) -> running.Outcome:
    return running.crawl(folder, url, *more, **{"RENDER": "auto", **given})


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
    program.write_text(f'#!/bin/sh\necho started >> {starts}\nexec {next(filter(None, browsers("")))} "$@"\n')
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


def test_a_blog_that_exists_by_scripts_alone_is_archived_whole_with_pictures_of_its_posts(tmp_path, watched):
    program, starts = watched
    image = "<img src=/wide.svg width=300 height=5000>"
    drawing = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='5000'><rect width='300' height='5000'/></svg>"
    )
    blog = ScriptedBlog(make_posts(8), in_feed=4)
    first = blog.path(blog.posts[0])
    with serve(blog) as site:
        site.default = blog.shell()
        site.routes["/wide.svg"] = Reply(drawing, content_type="image/svg+xml")
        site.routes[f"/data{first}"] = Reply(str(site.routes[f"/data{first}"].body) + image)
        outcome = crawl(
            tmp_path, f"{site.url}/", server=site, RENDER_BROWSER=program, SCREENSHOTS="True", FILES_STORE="files"
        )
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    for post in blog.posts:
        record = outcome.record(site.url + blog.path(post))
        assert record["title"] == post.title
        assert record["authors"] == [post.author]
        assert record["published"][:10] == f"{post.published:%Y-%m-%d}"
        assert record["content_text"] == post.text
        assert record["provenance"]["rendered"]
        check_picture(tmp_path, record, least=5000 if blog.path(post) == first else 1000)
    assert starts() == 1
    assert "/wide.svg" in outcome.requests
    assert any("shown in a browser" in line for line in outcome.summary)


def check_picture(folder, record, least: int) -> None:
    """A record has the picture of its page, with at least so many pixels from top to bottom."""
    (told,) = record["media"]
    content = (folder / "files" / told["path"]).read_bytes()
    assert told == {
        "url": record["url"], "path": f"sha256/{told['sha256'][:2]}/{told['sha256'][2:]}",
        "sha256": hashlib.sha256(content).hexdigest(), "type": "image/jpeg", "bytes": len(content),
        "role": "screenshot", "error": None,
    }  # fmt: skip
    assert content.startswith(b"\xff\xd8\xff")
    assert height_of(content) >= least


def height_of(jpeg: bytes) -> int:
    """Pixels, from the start of its frame."""
    at = 2
    while jpeg[at + 1] not in (0xC0, 0xC1, 0xC2):
        at += 2 + int.from_bytes(jpeg[at + 2 : at + 4], "big")
    return int.from_bytes(jpeg[at + 5 : at + 7], "big")


def test_a_plain_blog_starts_no_browser_and_is_the_same_in_one(tmp_path, watched):
    program, starts = watched
    blog = Blog(make_posts(6), extra="<script>document.title += '!'</script>")
    with serve(blog) as site:
        (tmp_path / "auto").mkdir()
        (tmp_path / "always").mkdir()
        plain = crawl(tmp_path / "auto", f"{site.url}/", RENDER_BROWSER=program)
        assert starts() == 0
        always = crawl(tmp_path / "always", f"{site.url}/", RENDER="always", RENDER_BROWSER=program)
    assert plain.urls == blog.urls(site.url)
    assert not any("browser" in line for line in plain.summary)
    assert not any(record["provenance"]["rendered"] for record in plain.records)
    assert starts() == 1
    assert same(always.records, plain.records)
    assert all(record["provenance"]["rendered"] for record in always.records)
    assert [record["media"] for record in always.records] == [[]] * 6, "no picture that nobody asked for"
    assert not (tmp_path / "always" / "archive" / "sha256").exists()


def test_nothing_imports_playwright_before_a_page_is_shown():
    imported = "import sys, blogcrawler.browser, blogcrawler.spiders.newcrawl; print('playwright' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", imported], capture_output=True, text=True).stdout == "False\n"


def test_never(tmp_path, watched):
    program, starts = watched
    with serve(ScriptedBlog(make_posts(3))) as site:
        crawl(tmp_path, f"{site.url}/", RENDER="never", RENDER_BROWSER=program)
        assert starts() == 0


def test_pages_whose_posts_are_elsewhere_are_tried_once_and_read_as_they_are(tmp_path, watched):
    """The browser does not show what the feed tells either, so it is not used for more than that."""
    program, starts = watched
    posts = make_posts(8)
    blog = ScriptedBlog(posts, are_posts_scripted=False, are_lists_scripted=False)
    with serve(blog) as site:
        for path in blog.paths():
            word = "".join(filter(str.isalpha, path)) or "home"  # one page for all would be a site that blocks
            site.routes[path] = Reply("<title>x</title><p>Moved.</p><script>1</script>" + f"<p>{word}</p>" * 200)
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RENDER_BROWSER=program)
        assert outcome.code == 0, outcome.stderr
        assert starts() == 1
        assert "  3 pages shown in a browser" in outcome.summary
        assert not outcome.repeated


def test_lists_that_scripts_make_are_rendered_and_plain_posts_are_not(tmp_path):
    blog = ScriptedBlog(make_posts(8), are_posts_scripted=False)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.urls == blog.urls(site.url)
        assert not any(record["provenance"]["rendered"] for record in outcome.records)


@pytest.mark.parametrize("way", [{}, {"by_scrolling": True}, {"by_label": True, "says": "Next page"}], ids=str)
def test_a_list_that_grows_is_shown_to_its_end(tmp_path, way):
    """By a button, by what is none, or as its script has it when one goes down."""
    folder = "" if way else "/blog"
    blog = GrowingBlog(make_posts(24), in_feed=5, per_page=6, folder=folder, **way)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}{folder}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert set(outcome.repeated) <= {"/grow.js"}  # it is read, and then run
        assert "  1 page shown in a browser" in outcome.summary


def test_a_pager_that_leads_nowhere_starts_no_browser(tmp_path, watched):
    """As on the last page of a list, or the only one; the site's scripts do something else."""
    program, starts = watched
    dead = '<p><span class="older">Older</span> <span class="next">Next page</span></p><script src="/own.js"></script>'
    blog = Blog(make_posts(6), in_feed=5)
    with serve(blog) as site:
        site.routes["/own.js"] = Reply("document.querySelector('.menu').next = 1", content_type="text/javascript")
        site.routes["/"] = Reply(str(site.routes["/"].body).replace("</main>", f"{dead}</main>"))
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program)
        assert outcome.urls == blog.urls(site.url)
    assert starts() == 0


def test_lists_that_seem_to_grow_in_vain_are_shown_a_few_times(tmp_path):
    """The button loads nothing, on none of the pages of the list."""
    blog = Blog(make_posts(30), in_feed=5, per_page=5)
    blog.extra = ""
    with serve(blog) as site:
        for path, reply in list(site.routes.items()):
            if path == "/" or "/page/" in path:
                site.routes[path] = Reply(str(reply.body).replace("</main>", "<button>Show more</button></main>"))
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.urls == blog.urls(site.url)
        shown = next(line for line in outcome.summary if "shown in a browser" in line)
        assert int(shown.split()[0]) <= 6


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_lists_whose_items_are_no_links_lead_to_their_posts(tmp_path, mode):
    blog = ScriptedBlog(make_posts(8), in_feed=3, per_page=8, are_items_linked=False)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RENDER=mode)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


def test_a_blog_of_scripts_without_a_feed(tmp_path):
    blog = ScriptedBlog(make_posts(10), names_feed=False, feed_path="/nobody-knows")
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


def test_a_crawl_that_was_killed_leaves_nothing_running_and_loses_nothing_without_its_browser(
    tmp_path, temporary, monkeypatch
):
    mark = f"TEST_OF_BLOGCRAWLER={tmp_path}"
    monkeypatch.setenv("TEST_OF_BLOGCRAWLER", str(tmp_path))
    blog = ScriptedBlog(make_posts(10), in_feed=4)
    with serve(blog) as site:
        site.default = blog.shell()
        arguments = command(f"{site.url}/")
        code = crawl_until(tmp_path, arguments, lambda: shown_posts(site) >= 6, lambda run: run.kill(), anew=True)
        assert code == -signal.SIGKILL
        assert wait_until(lambda: not left_running(mark)), left_running(mark)
        assert not list(temporary.iterdir())
        without = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER="/bin/false")
        assert without.code == 0, without.stderr
        assert any("could not be shown in a browser" in line for line in without.summary)
        assert len([line for line in without.summary if "playwright install --with-deps chromium" in line]) == 1
        check_last(tmp_path, blog, site)


def test_interrupted_with_all_its_processes_a_crawl_goes_on(tmp_path, monkeypatch):
    """As a terminal does it: the browser is told as well."""
    mark = f"TEST_OF_BLOGCRAWLER={tmp_path}"
    monkeypatch.setenv("TEST_OF_BLOGCRAWLER", str(tmp_path))
    blog = ScriptedBlog(make_posts(8), in_feed=4)
    with serve(blog) as site:
        site.default = blog.shell()
        arguments = ["setsid", *command(f"{site.url}/")]
        interrupt = lambda run: os.killpg(run.pid, signal.SIGINT)  # noqa: E731
        code = crawl_until(tmp_path, arguments, lambda: shown_posts(site) >= 5, interrupt)
        assert code == 130
        assert wait_until(lambda: not left_running(mark)), left_running(mark)
        check_last(tmp_path, blog, site)


def shown_posts(site) -> int:
    """How many posts' scripts have asked for what they show."""
    return len({path for path in site.paths if path.startswith("/data/2")})


def check_last(folder, blog, site) -> None:
    """The same command goes on with a crawl, and archives the blog whole."""
    last = crawl(folder, f"{site.url}/")
    assert last.code == 0, last.stderr
    assert sorted(kept(folder)) == blog.urls(site.url)
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


def test_a_comment_system_that_does_not_answer_is_not_waited_for_on_every_post(tmp_path, monkeypatch):
    blog = Blog(make_posts(6))
    with serve(blog) as site:
        for path in blog.paths():
            script = "<div id='isso-thread'></div><script data-isso=x src=http://127.0.0.1:1/embed.js></script></main>"
            site.routes[path] = Reply(str(site.routes[path].body).replace("</main>", script))
        outcome = crawl(tmp_path, f"{site.url}/")
    assert outcome.urls == blog.urls(site.url)
    assert "  comments of Isso are missing: its server does not answer (6 posts)" in outcome.summary
    (told,) = [line for line in outcome.summary if "shown in a browser" in line]
    assert told.split()[0] == "3"


def test_a_comment_system_that_cannot_be_reached_starts_no_browser(tmp_path, watched):
    program, starts = watched
    blog = Blog(make_posts(6))
    with serve(blog) as site:
        for path in blog.paths():
            script = "<div id='isso-thread'></div><script data-isso=http://127.0.0.1:1/></script></main>"
            site.routes[path] = Reply(str(site.routes[path].body).replace("</main>", script))
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program)
    assert outcome.urls == blog.urls(site.url)
    assert "  comments of Isso are missing: its server does not answer (6 posts)" in outcome.summary
    assert starts() == 0


def test_comments_that_their_system_tells_at_once_or_that_are_gone_start_no_browser(tmp_path, watched):
    program, starts = watched
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
        gone = "<script src='//zor.livefyre.com/wjs/v3.0/l.js'></script></main>"
        for other in set(blog.paths()) - {path}:
            site.routes[other] = Reply(str(site.routes[other].body).replace("</main>", gone))
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program)
    assert outcome.urls == blog.urls(site.url)
    assert starts() == 0
    assert "  comments of Livefyre are missing: its owner has closed it (5 posts)" in outcome.summary
    ann, bo = outcome.record(site.url + path)["comments"]
    assert (ann["id"], ann["author"], ann["author_url"]) == ("isso-1", "Ann", "http://ann.example/")
    assert (bo["id"], bo["parent"], bo["author"], bo["content_text"]) == ("isso-2", "isso-1", "Bo", "An answer, ♥.")
    assert ann["published"] == "2020-05-26T14:55:31+00:00"
    assert not any(record["provenance"]["rendered"] for record in outcome.records)


TALK = """
new IntersectionObserver(([seen], watching) => {
  if (!seen.isIntersecting) return;
  watching.disconnect();
  talk.innerHTML = `<iframe src="${talk.dataset.from}"></iframe>`;
}).observe(document.getElementById('talk'));
"""


UNFOLD = """
document.querySelector('button.rest').onclick = (event) => fetch('/rest' + location.pathname)
  .then((reply) => reply.text()).then((html) => event.target.outerHTML = html);
"""


@pytest.mark.parametrize("is_summary", [False, True])
def test_articles_that_a_button_unfolds_are_read_whole(tmp_path, is_summary):
    """The beginning alone is in the page; the feed has it all, though some call that a description."""
    blog = Blog(posts=make_posts(8), in_feed=5)
    with serve(blog) as site:
        for post in blog.posts:
            begin, rest = post.html.split("\n", 1)
            site.routes[f"/rest{blog.path(post)}"] = Reply(rest)
            whole = str(site.routes[blog.path(post)].body)
            button = f"{begin}<button class=rest>Continue reading</button>"
            folded = whole.replace(post.html, button).replace("</body>", f"<script>{UNFOLD}</script></body>")
            site.routes[blog.path(post)] = Reply(folded)
        if is_summary:
            feed = site.routes["/feed.xml"]
            text = str(feed.body).replace("content:encoded>", "description>")
            site.routes["/feed.xml"] = Reply(text, content_type=feed.content_type)
        outcome = crawl(tmp_path, f"{site.url}/")
        for post in blog.posts:
            assert outcome.record(site.url + blog.path(post))["content_text"] == post.text


@pytest.mark.parametrize("is_whole", [False, True])
def test_articles_that_a_button_unfolds_are_read_whole_where_the_feed_has_summaries(tmp_path, watched, is_whole):
    """A button for comments, or one that shows nothing, lets posts be read as they are."""
    program, starts = watched
    blog = Blog(posts=make_posts(8), in_feed=5)
    with serve(blog) as site:
        for post in blog.posts:
            begin, rest = post.html.split("\n", 1)
            says = "Load more comments" if is_whole else "Continue reading"
            folded = f"{post.html if is_whole else begin}<button class=rest>{says}</button>"
            whole = str(site.routes[blog.path(post)].body)
            page = whole.replace(post.html, folded).replace("</body>", f"<script>{UNFOLD}</script></body>")
            site.routes[blog.path(post)] = Reply(page)
            site.routes[f"/rest{blog.path(post)}"] = Reply(rest)
            site.routes["/feed.xml"] = summarised(site.routes["/feed.xml"], post.html, begin)
        outcome = crawl(tmp_path, f"{site.url}/", RENDER_BROWSER=program)
        for post in blog.posts:
            assert outcome.record(site.url + blog.path(post))["content_text"].startswith(post.text)
    assert starts() == (0 if is_whole else 1)


def summarised(feed: Reply, article: str, summary: str) -> Reply:
    text = str(feed.body).replace(article, summary).replace("content:encoded>", "description>")
    return Reply(text, content_type=feed.content_type)


@pytest.mark.parametrize("says", ["entry", "page"])
def test_comments_that_are_announced_and_that_only_a_script_of_the_blogs_own_shows(tmp_path, says):
    """It shows them in another site's frame; also on posts that the feed has no longer, of which nobody announces any."""
    posts = make_posts(12)

    def comments(at):
        words = posts[at].paragraphs[0].split()
        return [
            Said(100 * at + n, words[n].title(), f"{' '.join(words[n : n + 6])}, {n}.") for n in range(1, at % 4 + 1)
        ]

    blog = CommentedBlog(
        posts=posts, in_feed=6, comments=comments, entry_names_feed=False, entry_counts=says == "entry"
    )
    with serve(blog) as site:
        other = site.url.replace("127.0.0.1", "localhost")
        for at, post in enumerate(blog.posts):
            whole = str(site.routes[blog.path(post)].body)
            site.routes[f"/talk{blog.path(post)}"] = Reply(f"<!DOCTYPE html><body>{blog._talk(post, 1)}")
            count = f"<h3>{at % 4} Comments</h3>" if says == "page" else ""
            place = f"{count}<aside id=talk data-from='{other}/talk{blog.path(post)}'>…</aside><script>{TALK}</script></main>"
            site.routes[blog.path(post)] = Reply(whole.replace("</main>", place))
        hosts = ",".join(address.partition("://")[2] for address in (site.url, other))
        outcome = crawl(tmp_path, f"{site.url}/", ALLOWED_PRIVATE_HOSTS=hosts)
        told = {url: [one["content_text"] for one in outcome.record(url)["comments"]] for url in blog.urls(site.url)}
        for at, post in enumerate(blog.posts):
            assert told[site.url + blog.path(post)] == [said.text for said in blog.comments(at)]
            assert outcome.record(site.url + blog.path(post))["content_text"] == post.text
    assert not any("lost" in line for line in outcome.summary)


def test_comments_that_are_announced_and_nowhere_are_told_as_lost(tmp_path):
    blog = CommentedBlog(posts=make_posts(8), in_feed=8, entry_names_feed=False, extra="")
    with serve(blog) as site:
        for path in blog.paths():
            site.routes[path] = Reply(str(site.routes[path].body).replace("</main>", "<script>1</script></main>"))
        outcome = crawl(tmp_path, f"{site.url}/")
    assert outcome.urls == blog.urls(site.url)
    lost = "  comments of posts that announce comments are missing: they are found neither in the pages nor in a browser (6 posts)"
    assert lost in outcome.summary
    (told,) = [line for line in outcome.summary if "shown in a browser" in line]
    assert told.split()[0] == "3"
