"""Pages are shown in a real browser, by nothing but the crawl's own requests."""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import web
from scrapy.utils.defer import deferred_f_from_coro_f

from tests.browser.installed import needs_a_browser
from tests.browser.rendering import show
from tests.site import LocalSite, Reply

pytestmark = [needs_a_browser, pytest.mark.slow]

SCRIPT = Reply("document.body.append('drawn by ' + navigator.userAgent)", content_type="text/javascript")


def page(script: str, body: str = "<p>as sent</p>", head: str = "") -> str:
    return f"<!doctype html><title>a page</title>{head}<body>{body}<script>{script}</script>"


def browsers() -> set[int]:
    """The processes of browsers and their drivers that this process has started."""
    found = subprocess.run(["ps", "-eo", "pid,ppid,stat,comm"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in found.splitlines()[1:]]
    children: dict[int, list[int]] = {}
    for pid, parent, state, name in rows:
        if "Z" not in state and name != "ps":
            children.setdefault(int(parent), []).append(int(pid))
    left, seen = [os.getpid()], set()
    while left:
        for child in children.get(left.pop(), []):
            seen.add(child)
            left.append(child)
    return seen


@deferred_f_from_coro_f
async def test_a_page_is_what_its_scripts_make_of_it():
    routes = {"/a": page("", head="<script defer src=/x.js></script>"), "/x.js": SCRIPT}
    with LocalSite(routes) as site:
        shown = await show(site.url, "/a", USER_AGENT="archivist/1.0")
    assert shown.text("/a") == "as sent drawn by archivist/1.0"
    assert shown.pages["/a"].flags == ["rendered"]
    assert site.paths == ["/a", "/x.js"]  # the page itself is fetched once
    assert {visit.headers["User-Agent"] for visit in site.log} == {"archivist/1.0"}
    assert shown.stats["blogcrawler/rendering/pages"] == 1


@deferred_f_from_coro_f
async def test_a_page_is_given_the_time_that_its_requests_take():
    async def late(request):
        import asyncio

        await asyncio.sleep(2)
        return Reply('"and more"', content_type="application/json")

    script = "fetch('/data').then(r => r.json()).then(text => document.body.append(text))"
    with LocalSite({"/a": page(script), "/data": late}) as site:
        shown = await show(site.url, "/a")
    assert shown.text("/a") == "as sent and more"
    assert not shown.troubles


LATE = {
    "/timer": "setTimeout(() => document.body.append(' and more'), 2500)",
    "/timer-of-a-timer": "setTimeout(() => setTimeout(() => document.body.append(' and more'), 50), 900)",
    "/after-a-click": """
        const more = document.createElement('button'); more.append('Load more'); document.body.append(more);
        more.onclick = () => { more.disabled = true; setTimeout(() => more.replaceWith(' and more'), 900) }""",
    "/after-going-down": """
        document.body.style.height = '5000px';
        let waits; onscroll = () => { clearTimeout(waits); waits = setTimeout(() => { onscroll = null; document.body.append(' and more') }, 600) }""",
    "/in-a-box": """
        const box = document.createElement('div'); document.body.append(box);
        box.style = 'height: 300px; overflow: auto';
        box.innerHTML = '<div style="height: 900px">';
        box.onscroll = () => { if (box.scrollTop > 500) { box.onscroll = null; document.body.append(' and more') } }""",
    "/stopped": "const id = setTimeout(() => document.body.append(' and this'), 900); document.body.append(' and more'); clearTimeout(id)",
}


@deferred_f_from_coro_f
async def test_what_comes_late_is_shown_without_being_waited_for():
    routes = {path: page(script) for path, script in LATE.items()}
    with LocalSite(routes) as site:
        shown = await show(site.url, *routes)
    assert {path: shown.text(path) for path in routes} == dict.fromkeys(routes, "as sent and more")
    assert not shown.troubles


@deferred_f_from_coro_f
async def test_what_a_page_asks_for_is_not_tried_again_when_it_has_been_read():
    async def never(request):
        import asyncio

        await asyncio.sleep(30)

    with LocalSite({"/a": page("fetch('/poll')"), "/poll": never}) as site:
        shown = await show(site.url, "/a", RENDER_TIMEOUT=4)
    assert shown.text("/a") == "as sent"
    assert site.paths.count("/poll") == 1


@deferred_f_from_coro_f
async def test_a_host_that_does_not_answer_is_left_but_not_by_the_pages_that_it_has_sent():
    async def cut(request):
        request.transport.abort()

    with LocalSite({}, default=cut) as other:
        script = f"""(async () => {{
          for (const host of ['{other.url}', '']) {{
            for (let n = 0; n < 5; n++) await fetch(host + '/cut/' + n).catch(() => 0);
          }}
          document.body.append(await (await fetch('/data')).text());
        }})()"""
        with LocalSite({"/a": page(script), "/data": " and more"}, default=cut) as site:
            hosts = [one.url.removeprefix("http://") for one in (site, other)]
            shown = await show(site.url, "/a", ROBOTSTXT_OBEY=False, ALLOWED_PRIVATE_HOSTS=hosts)
        assert shown.text("/a") == "as sent and more"
        assert set(site.paths) == {"/a", "/data", *(f"/cut/{number}" for number in range(5))}
        assert set(other.paths) == {f"/cut/{number}" for number in range(3)}


@pytest.mark.parametrize("is_kept", [False, True])
@deferred_f_from_coro_f
async def test_cookies_hold_while_a_page_is_shown(is_kept: bool) -> None:
    def told(request: web.Request) -> Reply:
        return Reply(f" {sorted(request.cookies)}")

    script = """
      document.cookie = 'script=1; path=/';
      fetch('/set').then(() => fetch('/told')).then(r => r.text()).then(text => document.body.append(text))
    """
    other = "fetch('/told').then(r => r.text()).then(text => document.body.append(text))"
    answer = Reply("", headers={"Set-Cookie": "server=2; path=/"})
    with LocalSite({"/a": page(script), "/b": page(other), "/set": answer, "/told": told}) as site:
        first = await show(site.url, "/a", "/b", RENDER_CONCURRENCY=1, COOKIES_ENABLED=is_kept)
    assert first.text("/a") == "as sent ['script', 'server']"
    assert first.text("/b") == f"as sent {['script', 'server'] if is_kept else []}"


@deferred_f_from_coro_f
async def test_requests_that_wait_for_their_turn_are_waited_for():
    """They take longer, all together, than a page may take that does nothing."""
    script = """
      (async () => { for (let n = 0; n < 4; n++) document.body.append(' ' + await (await fetch('/part?' + n)).text()) })()
    """
    with LocalSite({"/a": page(script), "/part": "part"}) as site:
        shown = await show(site.url, "/a", RENDER_TIMEOUT=12, DOWNLOAD_DELAY=2, DOWNLOAD_DELAY_JITTER=0)
    assert shown.text("/a") == "as sent part part part part"
    assert not shown.troubles


@deferred_f_from_coro_f
async def test_the_time_that_a_page_may_take_does_not_count_the_wait_of_its_requests():
    names = [f"/{number}.js" for number in range(6)]
    head = "".join(f"<script defer src={name}></script>" for name in names)
    routes = {name: Reply(f"document.body.append(' {name}')", content_type="text/javascript") for name in names}
    with LocalSite({"/a": page("", head=head), **routes}) as site:
        shown = await show(site.url, "/a", RENDER_TIMEOUT=7, DOWNLOAD_DELAY=1.5, DOWNLOAD_DELAY_JITTER=0)
    assert shown.text("/a").split() == ["as", "sent", *names]
    assert not shown.troubles


@deferred_f_from_coro_f
async def test_scripts_are_fetched_once_for_all_pages():
    routes = {f"/{name}": page("", head="<script defer src=/x.js></script>") for name in "abc"}
    routes["/robots.txt"] = Reply("User-agent: *\nDisallow: /", content_type="text/plain")
    with LocalSite({**routes, "/x.js": SCRIPT}) as site:
        shown = await show(site.url, "/a", "/b", "/c", ROBOTSTXT_OBEY=False)
    assert all("drawn by" in shown.text(f"/{name}") for name in "abc")
    assert site.paths.count("/x.js") == 1


@deferred_f_from_coro_f
async def test_shadow_roots_frames_and_what_is_said_without_scripts_are_part_of_the_page():
    script = """
      const host = document.createElement('x-comments');
      host.attachShadow({mode: 'closed'}).innerHTML = '<style>p{}</style><p id=s>in the <b>shadow</b></p>';
      document.body.append(host);
      const blank = document.createElement('iframe'); document.body.append(blank);
      blank.contentDocument.body.innerHTML = '<p id=b>in a blank frame</p>';
    """
    frame = "<p>in a frame</p><a href=deep.html>link</a><iframe src=/inner></iframe>"
    told = "<div><template shadowrootmode=closed><p id=t>in a root of markup</p></template></div>"
    lazy = "<img class=lazy data-src=/i.jpg><noscript><img src=/i.jpg alt='a &amp; b'></noscript>"
    routes = {
        "/a": page(script, f"<iframe src=/f/frame></iframe>{told}{lazy}"),
        "/f/frame": frame,
        "/inner": "<p>in its frame</p>",
    }
    with LocalSite(routes) as site:
        shown = await show(site.url, "/a")
    tree = shown.pages["/a"]
    assert tree.xpath("string(//x-comments//p[@id='s'])").get() == "in the shadow"
    assert tree.xpath("//x-comments//style").get() is None
    assert tree.xpath("string(//p[@id='b'])").get() == "in a blank frame"
    assert tree.xpath("string(//p[@id='t'])").get() == "in a root of markup"
    assert '<noscript><img src="/i.jpg" alt="a &amp; b"></noscript>' in tree.text
    assert tree.xpath("//iframe/following-sibling::div[@data-frame]//a/@href").get() == f"{site.url}/f/deep.html"
    assert "in its frame" in shown.text("/a")


BUSY = "setInterval(() => { const end = performance.now() + 1500; while (performance.now() < end); }, 1)"


@pytest.mark.parametrize(("script", "says"), [(BUSY, "as sent in a frame"), ("for (;;);", "as sent")])
@deferred_f_from_coro_f
async def test_a_slow_frame_is_read_and_one_that_never_answers_is_told(script: str, says: str) -> None:
    """It is another site's, whose documents have a process of their own."""
    with LocalSite({"/frame": page(f"setTimeout(() => {{ {script} }}, 50)", "<p>in a frame</p>")}) as site:
        other = site.url.replace("127.0.0.1", "localhost")
        hosts = [one.removeprefix("http://") for one in (site.url, other)]
        site.routes["/a"] = page("", f"<p>as sent</p><iframe src={other}/frame></iframe>")
        shown = await show(site.url, "/a", RENDER_BLOCKED=["image"], ALLOWED_PRIVATE_HOSTS=hosts)
    assert shown.text("/a") == says
    assert bool(shown.troubles) == (says == "as sent")


@deferred_f_from_coro_f
async def test_images_fonts_and_trackers_are_not_fetched():
    body = "<img src=/i.png><style>@font-face{font-family:f;src:url(/f.woff)} p{font-family:f}</style><p>text</p><video src=/v.mp4></video>"
    script = "navigator.sendBeacon('/beacon', 'x')"
    with LocalSite({"/a": page(script, body)}) as site:
        await show(site.url, "/a")
        assert site.paths == ["/a"]
        await show(site.url, "/a", RENDER_BLOCKED=[])
        assert {"/i.png", "/f.woff", "/v.mp4"} <= set(site.paths)


# --------------------------------------------------------------------------------------------------------------- safety


@deferred_f_from_coro_f
async def test_the_browser_is_no_way_around_the_guard():
    with LocalSite({}, default=Reply("secret", headers={"Access-Control-Allow-Origin": "*"})) as intranet:
        there = intranet.url
        script = f"""
          const show = text => document.body.append(text);
          show('RTC is ' + typeof RTCPeerConnection);
          for (const url of ['{there}/fetch', '/redirect', '{there.replace("127.0.0.1", "2130706433")}/number',
                             '{there.replace("127.0.0.1", "localhost")}/name'])
            fetch(url).then(r => r.text()).then(show, () => 0);
          fetch('{there}/post', {{method: 'POST', body: 'x', mode: 'no-cors'}}).catch(() => 0);
          new WebSocket('{there.replace("http", "ws")}/socket'); new EventSource('{there}/events');
          navigator.sendBeacon('{there}/beacon');
          new Worker(URL.createObjectURL(new Blob(["fetch('{there}/worker').then(r => r.text()).then(postMessage)"]))).onmessage = e => show(e.data);
          navigator.serviceWorker.register('/service.js').catch(() => 0);
          const popup = window.open('{there}/popup');
          const form = document.createElement('form'); form.action = '{there}/form'; form.target = '_blank'; document.body.append(form); form.submit();
        """
        body = "".join(
            f"<{tag}>"
            for tag in (
                f"iframe src={there}/frame></iframe", "iframe src=/redirect></iframe", f"img src={there}/image",
                f"link rel=preconnect href={there}", f"link rel=prefetch href={there}/prefetch", f"link rel=dns-prefetch href={there}",
                f"object data={there}/object></object", f"embed src={there}/embed", f"script src={there}/script></script",
                "iframe src=file:///etc/passwd></iframe", "iframe src=view-source:file:///etc/passwd></iframe",
            )
        )  # fmt: skip
        routes = {
            "/a": page(script, body),
            "/redirect": Reply("", 302, {"Location": f"{there}/redirected"}),
            "/service.js": Reply(f"fetch('{there}/service')", content_type="text/javascript"),
        }
        with LocalSite(routes) as site:
            shown = await show(site.url, "/a", RENDER_BLOCKED=[])
        assert intranet.paths == []
        assert "RTC is undefined" in shown.text("/a")
        assert "secret" not in shown.text("/a")
        assert "root:" not in shown.pages["/a"].text


@deferred_f_from_coro_f
async def test_robots_txt_holds_for_what_a_page_asks_for():
    script = "for (const url of ['/open', '/closed/x']) fetch(url).then(r => r.text()).then(t => document.body.append(t), () => 0)"
    robots = Reply("User-agent: *\nDisallow: /closed/", content_type="text/plain")
    routes = {"/a": page(script), "/open": " open", "/closed/x": " closed", "/robots.txt": robots}
    with LocalSite(routes) as site:
        shown = await show(site.url, "/a", ROBOTSTXT_OBEY=True)
    assert shown.text("/a") == "as sent open"
    assert "/closed/x" not in site.paths
    assert shown.troubles == {f"lacks files that robots.txt of {site.url.removeprefix('http://')} forbids": 1}


@deferred_f_from_coro_f
async def test_requests_of_pages_go_through_the_proxy_of_the_crawl():
    def proxied(request: web.Request):
        return Reply("document.body.append('by proxy')", content_type="text/javascript")

    with (
        LocalSite({}, default=proxied) as proxy,
        LocalSite({"/a": page("", head="<script src=/x.js defer></script>")}) as site,
    ):
        proxy.routes[f"{site.url}/a"] = site.routes["/a"]
        before = dict(os.environ)
        os.environ["http_proxy"] = proxy.url
        try:
            shown = await show(site.url, "/a", HTTPPROXY_ENABLED=True)
        finally:
            os.environ.clear()
            os.environ.update(before)
    assert "by proxy" in shown.text("/a")
    assert proxy.paths == [f"{site.url}/a", f"{site.url}/x.js"]
    assert site.paths == []


# ------------------------------------------------------------------------------------------------------- odd pages end


ODD = {
    "dialogs": ("for (let i = 0; i < 50; i++) alert(i); setInterval(() => confirm('?'), 50); onbeforeunload = () => 'Stay!'", "opened dialogs"),
    "popups": ("setInterval(() => open('/p'), 50); open('/q')", "opened other windows"),
    "downloads": ("location = '/file.bin'; setInterval(() => { const a = document.createElement('a'); a.href = '/file.bin'; a.download = 'x'; a.click() }, 100)", "tried to download files"),
    "timers": ("let n = ''; (function f() { document.querySelector('p').append(n += 'x'); setTimeout(f, 20) })()", "kept changing"),
    "circle": ("setTimeout(() => location.replace('/circle?' + Math.random()), 10)", "redirected again and again by script"),
    "reload": ("setTimeout(() => location.reload(), 20)", "redirected again and again by script"),
    "busy": ("for (;;) {}", "took too long"),
    "busy-later": ("setTimeout(() => { document.body.append(' more'); for (;;) {} }, 50)", "took too long"),
    "polling": ("setInterval(() => fetch('/ping?' + Math.random()), 120)", "kept changing"),
    "asking": ("setInterval(() => fetch('/ping?' + Math.random()), 20)", "asked for too many files"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
@deferred_f_from_coro_f
async def test_an_odd_page_ends_in_time_with_what_was_there(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blogcrawler.browser.traffic.MOST_REQUESTS", 20)
    script, trouble = ODD[name]
    binary = Reply(b"\0" * 100, content_type="application/octet-stream")
    routes = {f"/{name}": page(script), "/plain": page("document.body.append(' and drawn')"), "/file.bin": binary}
    with LocalSite(routes, default=Reply("{}", content_type="application/json")) as site:
        begin = time.monotonic()
        shown = await show(site.url, f"/{name}", "/plain", RENDER_TIMEOUT=6, RENDER_CONCURRENCY=1)
        assert time.monotonic() - begin < 20
    assert shown.text(f"/{name}").startswith("as sent")
    assert trouble in shown.troubles
    assert shown.text("/plain") == "as sent and drawn"  # it does not spoil the page after it


@deferred_f_from_coro_f
async def test_a_page_that_takes_memory_without_end_is_ended(monkeypatch):
    monkeypatch.setattr("blogcrawler.browser.pool.MOST_MIB", 300)
    script = "hog = []; setInterval(() => { const a = new Float64Array(4e6); a.fill(Math.random()); hog.push(a); document.body.append('.') }, 5)"
    with LocalSite({"/hog": page(script), "/plain": page("document.body.append(' and drawn')")}) as site:
        begin = time.monotonic()
        shown = await show(site.url, "/hog", "/plain", RENDER_CONCURRENCY=1)
        assert time.monotonic() - begin < 30
    assert shown.troubles == {"took too much memory": 1}
    assert shown.text("/hog") == "as sent"  # as it was sent
    assert shown.text("/plain") == "as sent and drawn"


@deferred_f_from_coro_f
async def test_a_script_may_lead_on_to_another_page_but_not_where_the_spider_does_not_go():
    routes = {
        "/old": page("location.replace('/new')"),
        "/hop": page("location.replace('/301')"),
        "/301": Reply("", 301, {"Location": "/new"}),
        "/new": page("document.body.append(' anew')"),
        "/away": page("location.replace('/elsewhere')"),
    }
    with LocalSite(routes) as site:
        shown = await show(
            site.url, "/old", "/hop", "/away", check=lambda url: "leads away" if "elsewhere" in url else None
        )
        assert {path: response.url for path, response in shown.pages.items()} == {
            "/old": f"{site.url}/new",
            "/hop": f"{site.url}/new",
            "/away": f"{site.url}/away",
        }
        assert shown.text("/old") == shown.text("/hop") == "as sent anew"
        assert "/elsewhere" not in site.paths


# ------------------------------------------------------------------------------------------------------------ processes


@deferred_f_from_coro_f
async def test_a_browser_that_stands_still_is_left(monkeypatch):
    monkeypatch.setattr("blogcrawler.browser.pool.START_S", 5)
    monkeypatch.setattr("blogcrawler.browser.pool.END_S", 2)
    monkeypatch.setattr("blogcrawler.browser.showing.SNAPSHOT_S", 2)
    stopped: list[int] = []

    async def stop(_):
        if not stopped:
            for process in browsers():
                if b"--remote-debugging-pipe" in Path(f"/proc/{process}/cmdline").read_bytes():
                    stopped.append(process)
                    os.kill(process, signal.SIGSTOP)

    routes = {f"/{number}": page(f"document.body.append(' drawn {number}')") for number in range(4)}
    try:
        with LocalSite(routes) as site:
            shown = await show(site.url, *routes, during=stop, RENDER_TIMEOUT=4, RENDER_CONCURRENCY=1)
    finally:
        for process in stopped:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
    assert [shown.text(path) for path in routes] == [f"as sent drawn {number}" for number in range(4)]


@deferred_f_from_coro_f
async def test_tabs_and_browsers_are_renewed_while_pages_are_shown(monkeypatch, caplog):
    monkeypatch.setattr("blogcrawler.browser.pool.BROWSER_USES", 4)
    monkeypatch.setattr("blogcrawler.browser.pool.TAB_USES", 2)
    found: set[int] = set()

    async def look(_):
        found.update(process for process in browsers() if is_browser(process))

    routes = {f"/{number}": page(f"document.body.append(' drawn {number}')") for number in range(10)}
    with LocalSite(routes) as site:
        shown = await show(site.url, *routes, during=look, RENDER_CONCURRENCY=2)
    assert [shown.text(f"/{number}") for number in range(10)] == [f"as sent drawn {number}" for number in range(10)]
    assert len(found) >= 2
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def is_browser(process: int) -> bool:
    return b"--remote-debugging-pipe" in command_of(process)


def is_driver(process: int) -> bool:
    return b"run-driver" in command_of(process)


def command_of(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


@pytest.mark.parametrize("is_killed", [is_browser, is_driver])
@deferred_f_from_coro_f
async def test_a_browser_that_crashes_is_started_again_and_its_pages_are_shown(is_killed, caplog):
    """Also where Playwright's own process does, which speaks with it."""
    left = 2

    async def kill(renderer):
        nonlocal left
        found = [process for process in browsers() if is_killed(process)] if left else []
        left -= bool(found)
        for process in found:
            os.kill(process, 9)

    routes = {f"/{number}": page(f"document.body.append(' drawn {number}')") for number in range(8)}
    with LocalSite(routes) as site:
        shown = await show(site.url, *routes, during=kill)
    gc.collect()  # what nobody has looked at is logged then
    assert [shown.text(f"/{number}") for number in range(8)] == [f"as sent drawn {number}" for number in range(8)]
    assert left == 0
    told = {record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING}
    told = {
        message for message in told if "RequestHandler" not in message
    }  # of the site, whenever its loop is collected
    assert told == {"The browser has ended or hangs; it is restarted."}


@pytest.mark.parametrize(
    ("error", "is_told"),
    [(BrokenPipeError(32, "Broken pipe"), False), (ConnectionResetError(), False), (ValueError("of ours"), True)],
)
@deferred_f_from_coro_f
async def test_of_errors_that_nobody_has_looked_at_those_of_a_pipe_that_broke_are_not_told(error, is_told, caplog):
    """Playwright writes to its process without looking what becomes of it."""
    import asyncio

    with LocalSite({"/a": page("")}) as site:
        await show(site.url, "/a")
    asyncio.get_running_loop().create_future().set_exception(error)
    gc.collect()
    assert any("was never retrieved" in record.getMessage() for record in caplog.records) == is_told


@deferred_f_from_coro_f
async def test_nothing_is_left_running_or_lying_about(temporary):
    before = browsers()
    with LocalSite({"/a": page("document.body.append(' drawn')")}) as site:
        await show(site.url, "/a")
    assert browsers() <= before
    assert not list(temporary.iterdir())


@deferred_f_from_coro_f
async def test_without_a_browser_pages_stay_as_they_are_and_it_is_said_once(caplog):
    routes = {"/a": page("document.body.append(' drawn')"), "/b": page("document.body.append(' drawn')")}
    with LocalSite(routes) as site:
        shown = await show(site.url, "/a", "/b", RENDER_BROWSER="/nowhere/chromium")
    assert shown.text("/a") == shown.text("/b") == "as sent"
    told = [record.getMessage() for record in caplog.records if "No browser can be started" in record.getMessage()]
    assert len(told) == 1
    assert "playwright install --with-deps chromium" in told[0]
    assert shown.stats["blogcrawler/rendering/no_browser"] == told[0]
