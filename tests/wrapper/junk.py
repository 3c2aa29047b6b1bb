"""Posts whose container holds much that is not the article, in the shapes in which blogs show it.

`CLUTTER` names the shapes. Each is a function from a post to markup; a shape may differ from post to post, and may be
empty. The article itself has all that articles have: lists, captions, quotations, listings, footnotes.
"""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from blogcrawler.dom import fragment, parse, readable_text
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, Wrapper, learn, refine
from tests.wrapper.pages import AUTHORS, Post, layout, post, prose, recent, tag_links

Clutter = Callable[[Post], str]

NEW, OLD = 60, 20
"""Numbers of the newest post, which is the first in the feed, and of the posts that wrappers are tried on."""


def in_feed(count: int) -> list[Post]:
    return [post(NEW - number) for number in range(count)]


BEYOND = [post(OLD - number) for number in range(10)]
"""Posts too old for the feed."""


def is_old(one: Post) -> bool:
    return one.number <= OLD


def picked(one: Post, what: str, count: int) -> list[Post]:
    """Other posts that a page links to."""
    chance = random.Random(f"{what}/{one.number}")
    return [post(number) for number in chance.sample([n for n in range(100) if n != one.number], count)]


def number_of(one: Post, what: str, most: int) -> int:
    return random.Random(f"{what}/{one.number}").randint(1, most)


# ---------------------------------------------------------------------------------------------------- articles


def short(text: str, count: int) -> str:
    return " ".join(text.split()[:count])


def body(one: Post) -> str:
    """An article of several kinds of parts, not the same in all posts."""
    parts = [f"<p>{one.paragraphs[0]}</p>"]
    for at, paragraph in enumerate(one.paragraphs[1:], start=1):
        parts += [_ornament(one, at), f"<p>{paragraph}</p>"]
    if one.number % 3 == 0:
        parts.append(_footnotes(one))
    return "\n".join(parts)


def _ornament(one: Post, at: int) -> str:
    seed = f"ornament {one.number}/{at}"
    text = prose(seed, 9)
    kinds = (
        f'<h2 id="part-{at}">{short(text, 3)}</h2>',
        f"<ul><li>{text}</li><li>{prose(seed + 'b', 6)}</li></ul>",
        f'<figure><img src="/p/{one.number}-{at}.jpg" alt=""><figcaption>{text}</figcaption></figure>',
        f"<blockquote><p>{text}</p></blockquote>",
        f'<aside class="pull"><p>{short(one.paragraphs[at], 8)}</p></aside>',
        f"<pre><code>for {short(text, 1)} in {text.split()[3]}:\n    print({text.split()[4]})</code></pre>",
        f'<p>See <a href="/x/{one.number}">{text}</a>.</p>',
    )
    return kinds[(one.number + at) % len(kinds)]


def _footnotes(one: Post) -> str:
    notes = "".join(
        f'<li id="fn{n}"><p>{prose(f"note {one.number}/{n}", 12)} <a href="#r{n}">↩</a></p></li>' for n in (1, 2)
    )
    return f'<div class="footnotes"><hr><ol>{notes}</ol></div>'


def sentence(one: Post) -> str:
    return f"<p>{short(one.paragraphs[0], 9)}.</p>"


def picture(one: Post) -> str:
    return f'<p><a href="/p/{one.number}.jpg"><img src="/p/{one.number}-small.jpg" alt=""></a></p>'


def film(one: Post) -> str:
    return f'<p><iframe src="https://films.test/embed/{one.number}"></iframe></p><p>{short(one.paragraphs[0], 6)}</p>'


def link(one: Post) -> str:
    return f'<p><a href="https://else.test/{one.number}">{short(one.paragraphs[0], 7)}</a></p>'


def mixed(one: Post) -> str:
    """Long and short articles in one blog."""
    return (body, body, sentence, body, picture, film, body, link)[one.number % 8](one)


# ---------------------------------------------------------------------------------------------------- clutter


def share_bar(one: Post) -> str:
    return f"""<div class="share"><a href="https://t.test/?u={one.url}">Tweet</a> <a href="#f">Share on Faces</a>
<span>{number_of(one, "shares", 400)}</span></div>"""


def share_list(one: Post) -> str:
    return f'<h4>Share this:</h4><ul><li><a href="#t?{one.slug}">Click to tweet it</a></li><li><a href="#m">Click to mail it to a friend</a></li></ul>'


def share_plain(one: Post) -> str:
    """Nothing with a name."""
    return f'<div><p><a href="#t?{one.slug}">Tweet</a> | <a href="#m">Mail</a> | {number_of(one, "shares", 400)} shares</p></div>'


def related_links(one: Post) -> str:
    items = "".join(f'<li><a href="{other.path}">{other.title}</a></li>' for other in picked(one, "related", 4))
    return f'<h3>You may also like</h3><ul class="related">{items}</ul>'


def related_cards(one: Post) -> str:
    cards = "".join(
        f"""<div class="card"><a href="{other.path}"><img src="/t/{other.number}.jpg" alt=""></a>
<h4><a href="{other.path}">{other.title}</a></h4><p>{other.summary}</p></div>"""
        for other in picked(one, "cards", 3)
    )
    return f'<section class="more"><h3>More from this blog</h3><div class="cards">{cards}</div></section>'


def related_plain(one: Post) -> str:
    items = "<br>".join(f'<a href="{other.path}">{other.title}</a>' for other in picked(one, "plain", 3))
    return f"<p><strong>Related:</strong><br>{items}</p>"


def related_inline(one: Post) -> str:
    other = picked(one, "inline", 1)[0]
    return f'<p class="readalso">Read also: <a href="{other.path}">{other.title}</a></p>'


def author_box(one: Post) -> str:
    return """<div class="author-box"><img src="/ann.jpg" alt=""><h4>About the author</h4>
<p>Somebody who binds books in a small town by the sea, and writes on paper, glue and thread.</p></div>"""


def author_boxes(one: Post) -> str:
    number = AUTHORS.index(one.author)
    return f"""<div class="bio"><img src="/{number}.jpg" alt=""><h4>{one.author}</h4><p>{prose(f"bio {number}", 22)}</p>
<a href="/a/{number}/">All notes by {one.author}</a></div>"""


def neighbours(one: Post) -> str:
    before, after = post(one.number - 1 if one.number else 99), post(one.number + 1)
    return f'<div class="nav"><a href="{before.path}" rel="prev">← {before.title}</a> <a href="{after.path}" rel="next">{after.title} →</a></div>'


def neighbours_plain(one: Post) -> str:
    before, after = post(one.number - 1 if one.number else 99), post(one.number + 1)
    return f'<div>Previous: <a href="{before.path}">{before.title}</a><br>Next: <a href="{after.path}">{after.title}</a></div>'


def comment_form(one: Post) -> str:
    return f"""<div id="respond"><h3>Leave a reply</h3><form action="/comment" method="post"><p>Your address will not be
published.</p><p><label>Comment</label><textarea></textarea></p><p><label>Name</label><input name="n"></p>
<input type="hidden" value="{one.number}"><button>Post comment</button></form></div>"""


def comments_of(one: Post, count: int) -> str:
    if not count:
        return ""
    items = "".join(
        f"""<li id="comment-{one.number}{n}" class="comment"><div class="who"><cite>{prose(f"reader {one.number}/{n}", 1)[:-1]}</cite>
<time>{one.published + dt.timedelta(days=n + 1, hours=n):%d %B %Y at %H:%M}</time></div>
<p>{prose(f"said {one.number}/{n}", 12 + number_of(one, f"length {n}", 40))}</p><a href="#reply">Reply</a></li>"""
        for n in range(count)
    )
    return f'<div id="comments"><h3>{count} thoughts</h3><ol class="list">{items}</ol></div>'


def comments(one: Post) -> str:
    """Old posts have been discussed, the newest not yet."""
    return comments_of(one, number_of(one, "comments", 9) + 3 if is_old(one) else max(0, one.number % 5 - 2))


def comments_of_old_posts(one: Post) -> str:
    return comments_of(one, number_of(one, "comments", 9) + 3) if is_old(one) else ""


def comments_plain(one: Post) -> str:
    count = number_of(one, "comments", 6) if is_old(one) else one.number % 4
    return "".join(
        f"<div><b>{prose(f'reader {one.number}/{n}', 1)[:-1]}</b> {one.published + dt.timedelta(days=n + 1):%d.%m.%Y %H:%M}<p>{prose(f'said {one.number}/{n}', 25)}</p></div>"
        for n in range(count)
    )


def newsletter(one: Post) -> str:
    return """<div class="letter"><h3>Get the letter</h3><p>One letter a month with all that is new here. No noise.</p>
<form><input type="email"><button>Subscribe</button></form></div>"""


def newsletter_plain(one: Post) -> str:
    return "<p>If you liked this note, <a href='/letter/'>get the monthly letter</a> and never miss one again.</p>"


def series(one: Post) -> str:
    """A box on some posts, with different links in it."""
    if one.number % 3:
        return ""
    items = "".join(f'<li><a href="{other.path}">{other.title}</a></li>' for other in picked(one, "series", 5))
    return f'<div class="series"><p>This note is part of a series:</p><ol>{items}</ol></div>'


def contents(one: Post) -> str:
    """The headings of the article once more."""
    headings = list(fragment(body(one)).iter("h2"))
    items = "".join(f'<li><a href="#{heading.get("id")}">{heading.text}</a></li>' for heading in headings)
    return f'<div class="toc"><p>Contents</p><ul>{items}</ul></div>' if headings else ""


def advertisement(one: Post) -> str:
    chance = number_of(one, "ad", 3)
    return f'<div class="ad-{chance}"><small>Advertisement</small><a href="https://shop.test/{chance}">{prose(f"ad {chance}", 6)}</a></div>'


def advertisement_plain(one: Post) -> str:
    return '<p><a href="https://shop.test/">Buy good glue at the shop of glues</a></p>'


def updated(one: Post) -> str:
    day = one.published + dt.timedelta(days=number_of(one, "updated", 300))
    return f'<p class="updated">Last updated: {day:%d %B %Y}</p>'


def updated_plain(one: Post) -> str:
    day = one.published + dt.timedelta(days=number_of(one, "updated", 300))
    return f"<p><em>Last updated on {day:%B %d, %Y}</em></p>"


def licence(one: Post) -> str:
    return f"""<div class="copyright"><p><strong>Author: </strong>{one.author}</p><p><strong>Permalink: </strong><a href="{one.url}">{one.url}</a></p>
<p><strong>Title: </strong>{one.title}</p><p><strong>Licence: </strong>All notes are under <a href="/by">BY 4.0</a>. Reprint please credit the source.</p></div>"""


def licence_plain(one: Post) -> str:
    return f'<blockquote><p>Permalink of this note: <a href="{one.url}">{one.title}</a>, please name it when you copy it: {one.url}</p></blockquote>'


def reading_time(one: Post) -> str:
    return f'<p class="time">{number_of(one, "time", 12)} min read</p>'


def reading_time_plain(one: Post) -> str:
    return f"<p>Reading time: {number_of(one, 'time', 12)} minutes, {number_of(one, 'words', 2000)} words</p>"


def views(one: Post) -> str:
    return f'<span class="views">{number_of(one, "views", 99999):,} views</span>'


def tags(one: Post) -> str:
    return f'<p class="tags">Tags: {tag_links(one)}</p>'


def tags_plain(one: Post) -> str:
    return f"<p>Filed under: {tag_links(one)}</p>"


def donate(one: Post) -> str:
    return "<div class='give'><p>Did this help you? It is free, but paper is not.</p><a href='/give'>Buy me a coffee</a></div>"


def byline(one: Post) -> str:
    return f'<div class="meta">Posted on {one.published:%d %B %Y} by <a href="/a/">{one.author}</a> | <a href="#c">{number_of(one, "c", 12)} comments</a></div>'


def heading(one: Post) -> str:
    return f"<h1>{one.title}</h1><p>{one.published:%A, %d %B %Y} · {one.author}</p>"


CLUTTER: dict[str, Clutter] = {
    function.__name__: function
    for function in (
        share_bar, share_list, share_plain, related_links, related_cards, related_plain, related_inline, author_box,
        author_boxes, neighbours, neighbours_plain, comment_form, comments, comments_of_old_posts, comments_plain,
        newsletter, newsletter_plain, series, contents, advertisement, advertisement_plain, updated, updated_plain,
        licence, licence_plain, reading_time, reading_time_plain, views, tags, tags_plain, donate, byline, heading,
    )
}  # fmt: skip
ONLY_FIRST = frozenset({"heading", "byline"})
ONLY_LAST = frozenset({"comments", "comments_of_old_posts", "comments_plain", "comment_form"})


def on_some(clutter: Clutter) -> Clutter:
    """On two of three pages."""
    return lambda one: clutter(one) if one.number % 3 else ""


def on_old(clutter: Clutter) -> Clutter:
    """Not on the pages of the newest posts."""
    return lambda one: clutter(one) if is_old(one) else ""


# ---------------------------------------------------------------------------------------------------- blogs


@dataclass(frozen=True)
class Blog:
    """A made-up blog: clutter in its container before, within and behind its articles."""

    first: Sequence[Clutter] = ()
    middle: Sequence[Clutter] = ()
    last: Sequence[Clutter] = ()
    text: Clutter = body
    #: full, summary, title
    feed: str = "full"
    #: entries of the feed
    count: int = 10

    def page(self, one: Post) -> str:
        before, behind = ("\n".join(part(one) for part in parts) for parts in (self.first, self.last))
        inside = "".join(part(one) for part in self.middle)
        text = self.text(one)
        if inside:
            head, end, rest = text.partition("</p>")
            text = head + end + inside + rest
        main = f"""<article class="post"><h1 class="title">{escape(one.title)}</h1><p class="when">{one.published:%d %B %Y} by
<span class="by">{one.author}</span></p><div class="entry">{before}\n{text}\n{behind}</div></article>"""
        return layout(main, title=one.title, side=recent(in_feed(5)))

    def entry(self, one: Post) -> Entry:
        if self.feed == "full":
            return one.entry(content_html=self.text(one))
        if self.feed == "title":
            return one.entry(content_html=None)
        summary = " ".join(readable_text(fragment(self.text(one))).split()[:40])
        return one.entry(content_html=f"<p>{summary} […]</p>", is_summary=True)

    def learn(self, sample: Sequence[Post] = ()) -> Wrapper:
        """Rules learned from the feed, then from some posts that are not in it."""
        examples = [Example(parse(self.page(one)), self.entry(one), one.url) for one in in_feed(self.count)]
        wrapper = learn(examples)
        return refine(wrapper, examples, [(parse(self.page(one)), one.url) for one in sample]) if sample else wrapper

    def scores(self, posts: Sequence[Post], sample: Sequence[Post] = ()) -> list[float]:
        """F1 of the words of what is extracted, for each of some posts."""
        wrapper = self.learn(sample)
        found = []
        for one in posts:
            article = wrapper.extract(parse(self.page(one)), one.url).article
            text = readable_text(article) if article is not None else ""
            found.append(likeness(readable_text(fragment(self.text(one))), text))
        return found


def likeness(want: str, got: str) -> float:
    """F1 of two bags of words; 1 where both are empty."""
    expected, given = Counter(want.split()), Counter(got.split())
    both = expected.total() + given.total()
    return 2 * (expected & given).total() / both if both else 1.0
