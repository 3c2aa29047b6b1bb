"""Lists whose items have no address in the markup: clicks tell where they lead."""

from __future__ import annotations

import pytest
from scrapy import Selector
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.items import Page
from tests.browser.installed import needs_a_browser
from tests.browser.rendering import show
from tests.site import LocalSite

pytestmark = [needs_a_browser, pytest.mark.slow]

TITLES = [f"Post number {number}" for number in range(1, 8)]
LIST = """<!doctype html><body><h1>Post number 0</h1><div id=app></div><script>
const go = async () => {
  const path = location.pathname + location.hash;
  if (path.includes('/p/')) { app.innerHTML = '<p>' + await (await fetch('/data' + path)).text() + '</p>'; return; }
  const count = Number(await (await fetch('/count')).text());
  app.innerHTML = Array.from({length: count}, (_, n) => `ITEM`.replaceAll('N#', n + 1)).join('');
  app.querySelectorAll('.item').forEach((item, n) => item.addEventListener('click', () => { CLICK }));
};
addEventListener('popstate', go);
go();
</script>"""
WAYS = {
    "pushes": ("<div class=item>Post number N#</div>", "history.pushState({}, '', '/p/' + (n + 1)); go()"),
    "pushes in steps": (
        "<li class=item><b>Post number N#</b><p>It begins so.</p></li>",
        "history.pushState({}, '', '/p/'); history.pushState({}, '', '/p/' + (n + 1)); go()",
    ),
    "goes there": ("<div class='item card-N#'><h2>Post number N#</h2></div>", "location.href = '/p/' + (n + 1)"),
    "goes to a fragment": ("<section class=item><h3>Post number N#</h3></section>", "location.hash = '/p/' + (n + 1)"),
}
OTHERS = {
    "leads nowhere": ("<div class=item>Post number N#</div>", "window.clicked = (window.clicked || 0) + 1"),
    "is a link": ("<a href='/p/N#' class=item>Post number N#</a>", "history.pushState({}, '', '/wrong')"),
    "holds one": ("<div class=item>Post number N# <a href='/p/N#'>x</a></div>", "history.pushState({}, '', '/wrong')"),
}


def page_of(way: tuple[str, str]) -> str:
    item, click = way
    return LIST.replace("ITEM", item).replace("CLICK", click)


async def shown_links(site: LocalSite, paths: list[str], titles: list[str], **settings: object) -> dict[str, list]:
    """The links of pages as the browser shows them, each with its text."""
    found = {}

    async def look(renderer):
        for path in paths:
            body = str(site.routes[path]).encode()
            rendition = await renderer.show(Page(site.url + path, body), is_list=True, titles=tuple(titles))
            assert rendition is not None
            tree = Selector(text=rendition.page.body.decode())
            found[path] = [("".join(a.xpath(".//text()").getall()), a.attrib["href"]) for a in tree.css("a[href]")]

    await show(site.url, "/empty", during=look, **settings)
    return found


@deferred_f_from_coro_f
async def test_items_become_links_to_where_clicks_lead():
    pages = {f"/{number}": page_of(way) for number, way in enumerate(WAYS.values())}
    with LocalSite({**pages, "/empty": "<p>x", "/count": "7"}) as site:
        found = await shown_links(site, list(pages), TITLES[2:4])
        for name, path in zip(WAYS, pages, strict=True):
            begin = f"{site.url}{path}#" if "fragment" in name else site.url
            told = [address.removeprefix(begin) if begin in address else address for _, address in found[path]]
            assert told == [f"/p/{number}" for number in range(1, 8)], name
            assert [text.startswith(title) for (text, _), title in zip(found[path], TITLES, strict=True)] == [True] * 7
        assert set(site.paths) == {"/empty", "/count"}  # clicks ask for nothing


@deferred_f_from_coro_f
async def test_other_items_stay_as_they_are():
    pages = {f"/{number}": page_of(way) for number, way in enumerate(OTHERS.values())}
    with LocalSite({**pages, "/empty": "<p>x", "/count": "7"}) as site:
        found = await shown_links(site, list(pages), TITLES)
        unknown = await shown_links(site, ["/0"], ["Another post"])
    assert [len(found[path]) for path in pages] == [0, 7, 7]
    assert not any("wrong" in address for told in found.values() for _, address in told)
    assert unknown == {"/0": []}


@deferred_f_from_coro_f
async def test_clicks_are_bounded(monkeypatch):
    monkeypatch.setattr("blogcrawler.browser.showing.MOST_CLICKS", 4)
    pages = {"/0": page_of(WAYS["pushes"])}
    with LocalSite({**pages, "/empty": "<p>x", "/count": "7"}) as site:
        found = await shown_links(site, ["/0"], TITLES)
    assert [address for _, address in found["/0"]] == [f"{site.url}/p/{number}" for number in range(1, 5)]
