"""What loads more comments or posts is clicked until nothing more comes."""

from __future__ import annotations

import pytest
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.browser import LIST
from blogcrawler.comments import controls
from tests.browser.installed import needs_a_browser
from tests.browser.rendering import show
from tests.site import LocalSite

pytestmark = [needs_a_browser, pytest.mark.slow]

PAGER = """
const total = 10;
const list = ROOT.querySelector('.list');
const more = ROOT.querySelector('.control');
let shown = 0;
const load = () => { for (let n = 0; n < 3 && shown < total; n++) list.insertAdjacentHTML('beforeend', `<p class=c>comment ${++shown}</p>`);
                     if (shown === total) more.remove(); };
load();
more.addEventListener('click', load);
"""


def blog_page(control: str, root: str = "document") -> str:
    body = f"<section><div class=list></div>{control}</section>"
    return f"<!doctype html><body><article>text</article>{body}<script>{PAGER.replace('ROOT', root)}</script>"


def comments(shown, path: str) -> list[str]:
    return [" ".join(text.split()) for text in shown.pages[path].xpath("//p[@class='c']//text()").getall()]


ALL = [f"comment {number}" for number in range(1, 11)]
CONTROLS = {
    "known": "<a href='/elsewhere' class='control load-more__button' onclick='return false'>…</a>",
    "said": "<button class=control>Load more comments (7)</button>",
    "German": "<div role=button class=control>Weitere Kommentare anzeigen</div>",
    "Japanese": "<button class=control>コメントをもっと見る</button>",
    "Russian": "<a class=control href='#'>Показать ещё 5</a>",
    "labelled": "<button class=control aria-label='Show more replies'>+</button>",
    "in a form": "<form><button type=button class=control>Show more</button></form>",
    "sends a form": "<form action=/sent><input type=hidden name=page><button class=control>Show more</button></form>",
    "sends it, too": "<form onsubmit='return false'><input type=submit class=control value='More comments'></form>",
    "reacts": "<div class=control>Load more comments</div>",
    "has an attribute": "<span onclick='0' class=control>Show <b>12</b> more replies</span>",
    "changes its words": "<button class=control onclick='this.textContent = `Show more comments`'>Show comments</button>",
    "in capitals": "<button class=control style='text-transform: uppercase'>По-стари коментари</button>",
    "in an article": "<article><button class=control>Load more comments</button></article>",
    "in an article, a link": "<article><a class=control href=#>Load more comments</a></article>",
}


@deferred_f_from_coro_f
async def test_a_control_is_clicked_until_it_is_gone() -> None:
    routes = {f"/{number}": blog_page(control) for number, control in enumerate(CONTROLS.values())}
    with LocalSite(routes) as site:
        shown = await show(site.url, *routes)
    found = {name: comments(shown, path) for name, path in zip(CONTROLS, routes, strict=True)}
    assert found == dict.fromkeys(CONTROLS, ALL)
    assert not shown.troubles
    assert set(site.paths) == set(routes)


NOT_CLICKED = {
    "a note": "<article><p><a class=control href=#note>Read more comments</a></p><p id=note>Note</p></article>",
    "hidden": "<button class=control hidden>Load more comments</button>",
    "disabled": "<button class=control disabled>Load more comments</button>",
    "submits": "<form action=/sent><input name=q><button class=control>Load more comments</button></form>",
    "something else": "<button class=control>Delete all</button>",
    "does something else": "<button class=control>Log in to show more comments</button>",
    "another word": "<button class=control>Show more: delete</button>",
    "leads on": "<a class=control href=/elsewhere>Load more comments</a>",
    "in a link": "<a href=/elsewhere><span class=control onclick='0'>Load more comments</span></a>",
    "a rating": "<p class=control><button>1</button><button>2</button><button>3</button></p>",
    "long": f"<button class=control>{'To load more, read this. ' * 10}</button>",
}


@deferred_f_from_coro_f
async def test_other_controls_are_left_alone() -> None:
    routes = {f"/{number}": blog_page(control) for number, control in enumerate(NOT_CLICKED.values())}
    with LocalSite(routes) as site:
        shown = await show(site.url, *routes)
    found = {name: comments(shown, path) for name, path in zip(NOT_CLICKED, routes, strict=True)}
    assert found == dict.fromkeys(NOT_CLICKED, ALL[:3])
    assert set(site.paths) == set(routes)


LABELS = {
    "says one phrase": "<span class=control>Next page</span>",
    "with a sign": "<div class=control>← Older <i></i></div>",
    "German": "<p class=control><b>Ältere Einträge</b></p>",
}
OTHER_LABELS = {
    "more words": "<p class=control>See the next page</p>",
    "a title": "<h2 class=control>Older posts</h2>",
    "in an article": "<article><p class=control>Next page</p></article>",
    "a link": "<a class=control href=/elsewhere>Next page</a>",
    "in a link": "<a href=/elsewhere><span class=control>Next page</span></a>",
}


@pytest.mark.parametrize("of", ["itself", "all"])
@deferred_f_from_coro_f
async def test_what_is_no_button_is_clicked_on_lists_where_it_says_nothing_else(of: str) -> None:
    """Where it listens to clicks, or the document does for all that is in it."""
    listens = "document.addEventListener('click', (event) => event.target.closest('.control') && load())"
    labels = {**LABELS, **(OTHER_LABELS if of == "all" else {})}
    pages = {f"/{number}": blog_page(label) for number, label in enumerate(labels.values())}
    if of == "all":
        pages = {path: page.replace("more.addEventListener('click', load)", listens) for path, page in pages.items()}
    with LocalSite(pages) as site:
        lists = await show(site.url, *pages, wish=LIST)
        others = await show(site.url, *pages)
    found = {name: comments(lists, path) for name, path in zip(labels, pages, strict=True)}
    assert found == {**dict.fromkeys(labels, ALL[:3]), **dict.fromkeys(LABELS, ALL)}
    assert all(comments(others, path) == ALL[:3] for path in pages)
    assert set(site.paths) == set(pages)


@deferred_f_from_coro_f
async def test_controls_in_shadow_roots_and_in_frames():
    shadow = """<x-thread></x-thread><script>
      const root = document.querySelector('x-thread').attachShadow({mode: 'closed'});
      root.innerHTML = '<div class=list></div><button class=control>Show more</button>';
      PAGER</script>""".replace("PAGER", PAGER.replace("ROOT", "root"))
    frame = blog_page("<button class=control>Load more</button>")
    with LocalSite({"/shadow": shadow, "/framed": "<iframe loading=lazy src=/in></iframe>", "/in": frame}) as site:
        shown = await show(site.url, "/shadow", "/framed")
    assert comments(shown, "/shadow") == ALL
    assert comments(shown, "/framed") == ALL


@deferred_f_from_coro_f
async def test_a_list_that_grows_as_one_goes_down():
    script = """
      let page = 0;
      const end = document.getElementById('end');
      new IntersectionObserver(async ([seen]) => {
        if (!seen.isIntersecting || page >= 6) return;
        const got = await (await fetch('/part?' + page++)).text();
        end.insertAdjacentHTML('beforebegin', got);
      }).observe(end);
    """
    part = "".join(f"<p class=c style='height:400px'>post {n}</p>" for n in range(6))
    routes = {"/a": f"<!doctype html><body>{part}<div id=end>end</div><script>{script}</script>", "/part": part}
    short = """
      let page = 0;
      addEventListener('scroll', () => {
        if (page < 3 && scrollY + innerHeight > document.documentElement.scrollHeight - 300)
          document.body.insertAdjacentHTML('beforeend', `<p class=c>post ${++page}</p>`);
      });
    """
    routes["/short"] = f"<!doctype html><body><p>one</p><script>{short}</script>"
    say = "document.body.insertAdjacentHTML('beforeend', '<p class=c>More choices</p>')"
    routes["/same"] = f'<!doctype html><body><p>one</p><button onclick="{say}">Show more options</button>'
    with LocalSite(routes) as site:
        shown = await show(site.url, "/a", "/short", "/same")
    assert len(comments(shown, "/same")) <= 6  # what says the same again and again is no news
    assert len(comments(shown, "/a")) == 7 * 6
    assert comments(shown, "/short") == ["post 1", "post 2", "post 3"]


PAGES_OF_COMMENTS = """
const host = document.getElementById('host'), root = IN_SHADOW ? host.attachShadow({mode: 'closed'}) : host;
root.innerHTML = '<h2>Comments</h2><div class=list></div><button class=newer>Newer comments</button><button class=older>Older comments</button><p>Footer</p>';
const list = root.querySelector('.list'), newer = root.querySelector('.newer'), older = root.querySelector('.older');
let page = 0;
const texts = () => [0, 1, 2, 3].map(n => 1 + 4 * page + n).filter(n => n <= 10).map(n => 'comment ' + n);
const markup = () => texts().map(text => `<p class=c>${text}</p>`).join('');
const swap = () => { list.innerHTML = markup(); };
const patch = () => { if (!page) swap(); else list.querySelectorAll('p').forEach((p, n) => { if (texts()[n]) p.firstChild.data = texts()[n]; else p.remove() }) };
const again = () => { const old = root.querySelector('.list'), anew = old.cloneNode(); anew.innerHTML = markup(); old.replaceWith(anew); };
const show = () => { WAY(); newer.hidden = page === 0; older.hidden = page === 2; };
newer.onclick = () => { page--; show() }; older.onclick = () => { page++; show() };
show();
"""
NUMBERED = """<section><div class=list></div><nav id=pager></nav></section><script>
const show = (page) => {
  const list = document.querySelector('.list');
  list.innerHTML = Array.from({length: 5}, (_, n) => `<p class=c>comment ${5 * page - 4 + n}</p>`).join('');
  pager.innerHTML = '';
  for (const n of [1, 2]) {
    const button = pager.appendChild(document.createElement('CONTROL'));
    button.textContent = n;
    button.onclick = () => show(n);
    if (n === page) button.className = 'current';
  }
};
show(1);</script>"""
TOGGLES = {
    "/closes": """<div id=box><p class=c>one</p><p class=c>two</p></div><button id=b>View all</button><script>
        let is_open = true;
        b.onclick = () => { is_open = !is_open; box.innerHTML = is_open ? '<p class=c>one</p><p class=c>two</p>' : ''; }</script>""",
    "/opens-and-closes": """<div id=box></div><button id=b>Show comments</button><script>
        let is_open = false;
        b.onclick = () => { is_open = !is_open; box.innerHTML = is_open ? '<p class=c>one</p><p class=c>two</p>' : ''; }</script>""",
    "/holds-another": """<div id=box></div><button id=b>Show comments</button><script>
        let is_open = false;
        b.onclick = () => {
          is_open = !is_open;
          box.innerHTML = is_open ? '<p class=c>one</p><button id=m>Load more</button>' : '';
          if (is_open) m.onclick = () => { m.outerHTML = '<p class=c>two</p>' };
        }</script>""",
    "/takes-away": """<p class=c>one</p><p class=c>two</p><button onclick="document.querySelector('p').remove()">View all</button>""",
}


@deferred_f_from_coro_f
async def test_what_was_shown_at_any_time_is_there_once_and_in_order():
    pager = f"<!doctype html><body><article>text</article><div id=host></div><script>{{{PAGES_OF_COMMENTS}}}</script>"
    routes = {f"/{way}": pager.replace("WAY", way).replace("IN_SHADOW", "false") for way in ("swap", "patch", "again")}
    routes["/shadow"] = pager.replace("WAY", "swap").replace("IN_SHADOW", "true")
    routes["/framed"] = "<iframe src=/swap></iframe>"
    for control in ("button", "span"):
        routes[f"/numbered-{control}"] = f"<!doctype html><body>{NUMBERED.replace('CONTROL', control)}"
    toggles = {path: f"<!doctype html><body>{body}" for path, body in TOGGLES.items()}
    with LocalSite({**routes, **toggles}) as site:
        shown = await show(site.url, *routes, *toggles)
    assert {path: comments(shown, path) for path in routes} == dict.fromkeys(routes, ALL)
    assert shown.text("/swap") == f"text Comments {' '.join(ALL)} Newer comments Older comments Footer"
    assert all(comments(shown, path) == ["one", "two"] for path in toggles)
    assert not shown.troubles


@deferred_f_from_coro_f
async def test_clicks_are_bounded(monkeypatch):
    monkeypatch.setattr("blogcrawler.browser.showing.MOST_CLICKS", 4)
    said = "'<p class=c>x' + document.querySelectorAll('p').length + '</p>'"
    script = f"document.querySelector('button').onclick = () => document.body.insertAdjacentHTML('beforeend', {said})"
    with LocalSite({"/a": f"<!doctype html><body><button>Load more</button><script>{script}</script>"}) as site:
        some = await show(site.url, "/a")
    assert len(comments(some, "/a")) == 4
    assert some.troubles == {"has more content than was loaded": 1}


@deferred_f_from_coro_f
async def test_a_click_does_not_lead_away_from_the_page():
    page = "<!doctype html><body>text<button onclick=\"location='/away'\">Show more</button>"
    with LocalSite({"/a": page, "/away": "elsewhere"}) as site:
        shown = await show(site.url, "/a")
    assert shown.pages["/a"].url.endswith("/a")
    assert "text" in shown.text("/a")
    assert "/away" not in site.paths


@deferred_f_from_coro_f
async def test_the_browser_reads_the_selectors():
    script = f"document.querySelectorAll({controls()!r}); document.body.append('read')"
    with LocalSite({"/a": f"<!doctype html><body><script>{script}</script>"}) as site:
        shown = await show(site.url, "/a")
    assert shown.text("/a") == "read"
