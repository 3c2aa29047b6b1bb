"""The blog of `tests.crawl.blog`, made of nothing but scripts: each address gives the same empty page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.crawl.blog import Blog
from tests.site import Reply

APP = """
const show = (path) => fetch('/data' + path).then((reply) => reply.ok ? reply.text() : '<h1>Not found</h1>');
const app = document.getElementById('app');
show(location.pathname).then((html) => {
  app.innerHTML = html;
  const older = app.querySelector('a[rel=next]');
  if (!older || !app.querySelector('ul.list')) return;
  let next = older.getAttribute('href');
  const button = document.createElement('button');
  button.textContent = 'Older posts';
  button.onclick = () => show(next).then((more) => {
    const page = document.createElement('div');
    page.innerHTML = more;
    app.querySelector('ul.list').append(...page.querySelectorAll('ul.list > li'));
    next = page.querySelector('a[rel=next]')?.getAttribute('href');
    if (!next) button.remove();
  });
  older.replaceWith(button);
});
"""

CLICKED_APP = """
const go = () => fetch('/data' + location.pathname).then((reply) => reply.text()).then((html) => {
  const app = document.getElementById('app');
  app.innerHTML = html;
  for (const link of app.querySelectorAll('ul.list a')) {
    const to = link.getAttribute('href');
    const item = document.createElement('b');
    item.textContent = link.textContent;
    item.onclick = () => { history.pushState({}, '', to); go(); };
    link.replaceWith(item);
  }
});
addEventListener('popstate', go);
go();
"""


GROW = """
const button = document.querySelector('button.grow');
let next = 2;
button.onclick = () => fetch('/pages/' + next++).then((reply) => reply.text()).then((html) => {
  document.querySelector('ul.list').insertAdjacentHTML('beforeend', html);
  if (!html.includes('more to come')) button.remove();
});
"""


GROW_BY_SCROLLING = """
let next = 2, isBusy = false;
addEventListener('scroll', () => {
  if (isBusy || scrollY + innerHeight < document.documentElement.scrollHeight - 300) return;
  isBusy = true;
  fetch('/pages/' + next++).then((reply) => reply.text()).then((html) => {
    document.querySelector('ul.list').insertAdjacentHTML('beforeend', html);
    isBusy = !html.includes('more to come');
  });
});
"""


@dataclass
class GrowingBlog(Blog):
    """A blog of plain pages, but that its list grows, and has no further pages with addresses.

    It grows by a button, or by a script in a file of its own: as one goes down, or by what is no button.
    """

    says: str = "Load more"
    by_scrolling: bool = False
    by_label: bool = False

    def routes(self, base: str) -> dict[str, Reply]:
        routes = {path: reply for path, reply in super().routes(base).items() if "/page/" not in path}
        for number in range(2, -(-len(self.posts) // self.per_page) + 1):
            body = str(self._list(number))
            items = re.search('<ul class="list">(.*)</ul>', body, re.DOTALL)
            assert items is not None
            is_last = number * self.per_page >= len(self.posts)
            routes[f"/pages/{number}"] = Reply(items[1] + ("" if is_last else "<!-- more to come -->"))
        home = str(routes[f"{self.folder}/"].body)
        if self.by_label:
            routes["/grow.js"] = Reply(GROW.replace("button.grow", "#grow"), content_type="text/javascript")
            grown = re.sub('<a rel="next".*?</a>', f'<p><span id="grow">{self.says}</span></p>', home)
            routes[f"{self.folder}/"] = Reply(grown.replace("</body>", '<script src="/grow.js"></script></body>'))
            return routes
        if self.by_scrolling:
            routes["/grow.js"] = Reply(GROW_BY_SCROLLING, content_type="text/javascript")
            tall = re.sub('<a rel="next".*?</a>', '<div style="height:4000px"></div>', home)
            routes[f"{self.folder}/"] = Reply(tall.replace("</body>", '<script src="/grow.js"></script></body>'))
            return routes
        grown = re.sub('<a rel="next".*?</a>', f'<button class="grow">{self.says}</button>', home)
        routes[f"{self.folder}/"] = Reply(grown.replace("</body>", f"<script>{GROW}</script></body>"))
        return routes


@dataclass
class ScriptedBlog(Blog):
    """A blog of which no page holds anything before its script has run.

    Its list grows by a button, and further pages of it have no addresses that anybody is told.
    """

    #: text of a post's page as it is sent
    sent: str = ""
    #: which pages are made by script
    are_lists_scripted: bool = True
    #: have their lists links, or items that a click leads on from?
    are_items_linked: bool = True
    are_posts_scripted: bool = True

    def routes(self, base: str) -> dict[str, Reply]:
        pages = super().routes(base)
        posts = set(self.paths())
        routes = {"/app.js": Reply(APP if self.are_items_linked else CLICKED_APP, content_type="text/javascript")}
        for path, reply in pages.items():
            is_scripted = self.are_posts_scripted if path in posts else self.are_lists_scripted
            if path.endswith(self.feed_path) or not is_scripted:
                routes[path] = reply
                continue
            body = re.search("<body>(.*)</body>", str(reply.body), re.DOTALL)
            assert body is not None
            routes[path] = self.shell()
            routes[f"/data{path}"] = Reply(body[1])
        return routes

    def shell(self) -> Reply:
        feed = f'<link rel="alternate" type="application/rss+xml" href="{self.folder}{self.feed_path}">'
        return Reply(
            f'<!DOCTYPE html><html lang="{self.language}"><head><meta charset="utf-8"><title>{self.name}</title>'
            f'{feed if self.names_feed else ""}</head><body><div id="app">{self.sent}</div>'
            '<script src="/app.js"></script></body></html>'
        )
