"""Later crawls of a blog in the archive: what is new and changed, and nothing else, for few requests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from blogcrawler.backend import Archive
from tests.crawl.blog import Blog, links, make_posts, serve
from tests.crawl.commented import CommentedBlog, Said, talk
from tests.crawl.running import crawl, has_traceback
from tests.crawl.talking import TalkingBlog
from tests.site import Reply, Validators

pytestmark = pytest.mark.slow

POSTS = make_posts(30)
READERS = ("Bo Okafor", "Cy Young", "Dana Ito")


def put(site, blog):
    validators = Validators(etags=True, modified=None)
    site.routes = {path: validators.of(reply) for path, reply in blog.routes(site.url).items()}


def update(folder, site, *more, **settings):
    done = crawl(folder, f"{site.url}/", *more, server=site, spider="updatecrawl", **settings)
    assert not has_traceback(done)
    return done


def archive(folder):
    return Archive.open(f"sqlite:///{folder}/archive.db", make=False)


def without_robots(requests):
    return [path for path in requests if path != "/robots.txt"]


def test_new_posts_are_told_for_a_request_each(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[6:], in_feed=8))
        assert len(crawl(tmp_path, f"{site.url}/").records) == 24
        for first in (4, 0):
            put(site, Blog(POSTS[first:], in_feed=8))
            done = update(tmp_path, site)
            new = POSTS[first : {4: 6, 0: 4}[first]]
            assert done.code == 0
            assert done.urls == sorted(site.url + post.path for post in new)
            assert {record["content_text"] for record in done.records} == {post.text for post in new}
            assert len(done.requests) <= 3 + len(new)
        done = update(tmp_path, site)
        assert (done.code, done.records, without_robots(done.requests)) == (0, [], ["/feed.xml"])


def test_changed_posts_are_told_and_what_they_said_is_kept(tmp_path):
    changed = replace(POSTS[3], paragraphs=(*POSTS[3].paragraphs[:-1], "It ends in another way."))
    with serve() as site:
        put(site, Blog(POSTS, in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog([*POSTS[:3], changed, *POSTS[4:]], in_feed=8))
        done = update(tmp_path, site)
        url = site.url + changed.path
        assert done.urls == [url]
        assert done.record(url)["content_text"] == changed.text
        assert len(done.requests) <= 4
        with archive(tmp_path) as kept:
            (before,) = kept.versions(f"{site.url}/", url)
        assert before.record.content_text == POSTS[3].text


def test_a_post_whose_entry_alone_has_changed_is_not_told(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS, in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog([replace(POSTS[0], title=f"{POSTS[0].title} "), *POSTS[1:]], in_feed=8, name="Another name"))
        assert update(tmp_path, site).records == []


@pytest.mark.parametrize("way", ["sitemap", "lists"])
def test_where_the_feed_has_rolled_over_nothing_is_missed(tmp_path, way):
    with serve() as site:
        put(site, Blog(POSTS[20:], in_feed=5))
        crawl(tmp_path, f"{site.url}/")
        blog = Blog(POSTS, in_feed=5)
        put(site, blog)
        if way == "sitemap":
            lines = "".join(f"<url><loc>{url}</loc></url>" for url in blog.urls(site.url))
            site.routes["/sitemap.xml"] = Reply(f"<urlset>{lines}</urlset>", content_type="application/xml")
        done = update(tmp_path, site)
        assert done.code == 0
        assert done.urls == sorted(site.url + post.path for post in POSTS[:20])
        assert not {post.path for post in POSTS[20:]} & set(done.requests)


class Holed(Blog):
    """A blog whose feed has each third post, and the oldest that was known."""

    def feed(self, base):
        listed = [*self.posts[: self.in_feed : 3], POSTS[25]]
        return Blog.feed(replace(self, posts=listed, in_feed=len(listed)), base)


def test_new_posts_that_a_feed_with_holes_lacks_are_found(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[18:], in_feed=12))
        crawl(tmp_path, f"{site.url}/")
        for first, shown in ((12, 6), (9, 30), (8, 30)):
            put(site, Holed(POSTS[first:], in_feed=shown))
            done = update(tmp_path, site)
            new = POSTS[first : {12: 18, 9: 12, 8: 9}[first]]
            assert done.urls == sorted(site.url + post.path for post in new)
            assert len(done.requests) <= 3 + len(new) + 2


class Chained(Blog):
    """A blog whose posts lead to their neighbours, and whose lists lack one of them."""

    unlisted = POSTS[9]

    def page(self, post):
        at = self.posts.index(post)
        near = [self.posts[other] for other in (at - 1, at + 1) if 0 <= other < len(self.posts)]
        links = "".join(f'<a href="{self.path(one)}">{one.title}</a> ' for one in near)
        return super().page(post).replace("<footer>", f'<p class="nav">{links}</p><footer>')

    def _list(self, number):
        listed = [post for post in self.posts if post != self.unlisted]
        return Blog._list(replace(self, posts=listed), number)


def test_where_lists_lack_a_post_its_neighbours_lead_to_it(tmp_path):
    with serve() as site:
        put(site, Chained(POSTS[20:], in_feed=5))
        crawl(tmp_path, f"{site.url}/")
        put(site, Chained(POSTS, in_feed=5))
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[:20])
        assert not {post.path for post in POSTS[20:]} & set(done.requests)


def test_what_the_first_crawl_has_found_dead_is_not_asked_for_again(tmp_path):
    """But for what may be there another time."""
    gone, away = make_posts(2, seed=2)
    with serve() as site:
        put(site, Blog(POSTS[20:], in_feed=5, extra=links([gone.path, away.path])))
        site.routes[away.path] = Reply("not now", status=503)
        for _ in range(2):  # what could not be had is tried once more
            done = crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=0)
            assert {gone.path, away.path} & set(done.requests)
        put(site, Blog([*POSTS, away], in_feed=5, extra=links([gone.path, away.path])))
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in (*POSTS[:20], away))
        assert gone.path not in done.requests


def test_a_redesign_is_noticed_told_and_learned(tmp_path):
    class Redesigned(Blog):
        def page(self, post):
            html = super().page(post)
            for name, other in (("headline", "t7"), ("byline", "meta"), ("text", "b3"), ("who", "w")):
                html = html.replace(f'class="{name}"', f'class="{other}"')
            html = html.replace("<article", "<div><table><tr><td>Menu</td><td><section").replace(
                "</article>", "</section></td></tr></table></div>"
            )
            return html.replace("<h1", "<h3").replace("</h1>", "</h3>")

    with serve() as site:
        put(site, Blog(POSTS[4:], in_feed=10))
        crawl(tmp_path, f"{site.url}/")
        put(site, Redesigned(POSTS, in_feed=10))
        done = update(tmp_path, site)
        assert {record["content_text"] for record in done.records} >= {post.text for post in POSTS[:4]}
        assert done.urls == sorted(site.url + post.path for post in POSTS[:4])
        assert "look different now" in done.stderr
        put(site, Redesigned([*make_posts(32)[:2], *POSTS], in_feed=10))
        again = update(tmp_path, site)
        assert len(again.records) == 2
        assert "look different now" not in again.stderr


class Short(Blog):
    """A blog whose feed has but the beginnings of articles."""

    def _item(self, post, base):
        short = f"<description>{post.paragraphs[0][:120]} …</description>"
        return re.sub("<content:encoded>.*</content:encoded>", short, super()._item(post, base), flags=re.DOTALL)


def test_a_redesign_is_noticed_where_the_feed_has_summaries_alone(tmp_path):
    """Titles stand where they stood, so that they do not tell."""

    class Redesigned(Short):
        def page(self, post):
            html = super().page(post).replace('class="text"', 'class="b3"').replace('class="post"', 'class="t7"')
            box = '<div class="text"><p>Read what others have written, and write to us if you like to.</p></div>'
            return html.replace('<div class="b3">', f'<section>{box}<div class="b3">').replace(
                "</article>", "</section></article>"
            )

    with serve() as site:
        put(site, Short(POSTS[4:], in_feed=10))
        crawl(tmp_path, f"{site.url}/")
        put(site, Short(POSTS[3:], in_feed=10))
        done = update(tmp_path, site)
        assert "look different now" not in done.stderr
        assert len(without_robots(done.requests)) == 4
        put(site, Redesigned(POSTS, in_feed=10))
        done = update(tmp_path, site)
        assert "look different now" in done.stderr
        assert {record["url"]: record["content_text"] for record in done.records} == {
            site.url + post.path: post.text for post in POSTS[:3]
        }


def test_a_feed_whose_content_is_cut_costs_no_more_than_others(tmp_path):
    """What it brings is no article, though it is not called a summary, and tells nothing of the design."""

    class Cut(Blog):
        def _item(self, post, base):
            return super()._item(replace(post, paragraphs=(f"{post.paragraphs[0][:120]} …",)), base)

    with serve() as site:
        put(site, Cut(POSTS[1:], in_feed=10))
        crawl(tmp_path, f"{site.url}/")
        put(site, Cut(POSTS, in_feed=10))
        done = update(tmp_path, site)
        assert (done.urls, done.records[0]["content_text"]) == ([site.url + POSTS[0].path], POSTS[0].text)
        assert len(without_robots(done.requests)) <= 1 + 3


def test_a_post_that_is_gone_is_marked(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS, in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        changed = replace(POSTS[2], paragraphs=("Gone soon.",))
        put(site, Blog([*POSTS[:2], changed, *POSTS[3:]], in_feed=8))
        site.routes[changed.path] = Reply("gone", status=410)
        done = update(tmp_path, site)
        assert done.records == []
        with archive(tmp_path) as kept:
            assert list(kept.gone(f"{site.url}/")) == [site.url + changed.path]
            assert kept.record(f"{site.url}/", site.url + changed.path).content_text == POSTS[2].text


def test_since_hands_on_all_that_is_new_since_then(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS, in_feed=8))
        texts = {record["url"]: record["content_text"] for record in crawl(tmp_path, f"{site.url}/").records}
        day = POSTS[3].published - timedelta(hours=1)
        for since in (day.isoformat(), str(int(day.timestamp())), f"{day:%Y-%m-%d}"):
            done = update(tmp_path, site, "-a", f"since={since}")
            assert done.urls == sorted(site.url + post.path for post in POSTS[:4]), since
            assert all(record["content_text"] == texts[record["url"]] for record in done.records)
            assert without_robots(done.requests) == ["/feed.xml"]
            assert done.summary[1] == "Nothing new since the last crawl: 1 request, 4 records copied from the archive."
        with archive(tmp_path) as kept:
            read = kept.known_posts(f"{site.url}/")
        done = update(tmp_path, site, "-a", "since=0")
        assert done.urls == sorted(site.url + post.path for post in POSTS), "all that there are"
        assert len(done.requests) <= 3
        with archive(tmp_path) as kept:
            assert kept.known_posts(f"{site.url}/") == read, "they were not read again"


def test_since_a_time_after_which_the_blog_was_archived(tmp_path):
    """What came in since then, and what was changed, is new; when it was published or not."""
    with serve() as site:
        put(site, Blog(POSTS[4:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        archived = datetime.now(UTC)
        changed = replace(POSTS[6], paragraphs=(*POSTS[6].paragraphs[:-1], "It ends in another way."))
        put(site, Blog([*POSTS[2:6], changed, *POSTS[7:]], in_feed=8))
        assert len(update(tmp_path, site).records) == 3
        put(site, Blog([*POSTS[:6], changed, *POSTS[7:]], in_feed=8))
        done = update(tmp_path, site, "-a", f"since={archived.isoformat()}")
        assert done.urls == sorted(site.url + post.path for post in (*POSTS[:4], changed))
        assert done.record(site.url + changed.path)["content_text"] == changed.text
        assert done.summary[1].startswith("2 new since the last crawl: ")
        assert done.summary[1].endswith(", 3 records copied from the archive.")
        assert len(done.requests) <= 3 + 2


def test_since_a_time_before_the_blog_was_archived(tmp_path):
    """That its first crawl found all of it then is no news; what later crawls have found is."""
    before = datetime.now(UTC)
    with serve() as site:
        put(site, Blog(POSTS[4:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog(POSTS[2:], in_feed=8))
        assert len(update(tmp_path, site).records) == 2
        done = update(tmp_path, site, "-a", f"since={before.isoformat()}")
        assert done.urls == sorted(site.url + post.path for post in POSTS[2:4])


class Archived(Blog):
    """Its feed names an archive, which has all posts, three on each page; all of it has the time of changes."""

    changes: dict[str, datetime] = {}  # noqa: RUF012

    def routes(self, base):
        found = super().routes(base)
        for page in range(1, -(-len(self.posts) // 3) + 1):
            shown = type(self)(self.posts[3 * (page - 1) : 3 * page], in_feed=3)
            shown.changes = self.changes
            older = f"<atom:link rel='next' href='{base}/feed.xml?page={page + 1}'/>"
            feed = shown.feed(base).replace("<channel>", f"<channel>{older if 3 * page < len(self.posts) else ''}")
            path = "/feed.xml" if page == 1 else f"/feed.xml?page={page}"
            found[path] = Reply(feed, content_type="application/rss+xml")
        return found

    def feed(self, base):
        return super().feed(base).replace("<rss ", "<rss xmlns:atom='http://www.w3.org/2005/Atom' ")

    def _item(self, post, base):
        changed = self.changes.get(post.slug, post.published)
        return (
            super()._item(post, base).replace("</item>", f"<atom:updated>{changed.isoformat()}</atom:updated></item>")
        )


def test_since_reads_the_archive_of_the_feed_back_to_its_time(tmp_path):
    changed = replace(POSTS[13], paragraphs=(*POSTS[13].paragraphs[:-1], "It was mended much later."))
    with serve() as site:
        put(site, Archived(POSTS, in_feed=3))
        crawl(tmp_path, f"{site.url}/")
        blog = Archived([*POSTS[:13], changed, *POSTS[14:]], in_feed=3)
        blog.changes = {changed.slug: datetime.now(UTC)}
        put(site, blog)
        done = update(tmp_path, site, "-a", f"since={POSTS[19].published.isoformat()}")
        assert done.urls == sorted(site.url + post.path for post in POSTS[:20])
        assert done.record(site.url + changed.path)["content_text"] == changed.text
        pages = [f"/feed.xml?page={page}" for page in range(2, 8)]
        assert without_robots(done.requests) == ["/feed.xml", *pages, changed.path]


def test_since_looks_at_posts_again_whose_entries_do_not_tell_of_changes(tmp_path):
    changed = replace(POSTS[2], paragraphs=(*POSTS[2].paragraphs[:-1], "It ends in another way."))
    since = f"since={POSTS[3].published.isoformat()}"
    with serve() as site:
        put(site, Short(POSTS, in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Short([*POSTS[:2], changed, *POSTS[3:]], in_feed=8))
        done = update(tmp_path, site, "-a", since)
        assert done.urls == sorted(site.url + post.path for post in POSTS[:4])
        assert done.record(site.url + changed.path)["content_text"] == changed.text
        assert done.summary[1].startswith("1 changed since the last crawl: ")
        assert done.summary[1].endswith(", 3 records copied from the archive.")
        assert sorted(without_robots(done.requests)) == sorted(["/feed.xml", *(post.path for post in POSTS[:4])])


def test_since_tells_of_comments_on_older_posts(tmp_path):
    said = {n: [Said(1000 * n + k, READERS[k], f"Remark {k} on post {n} here.") for k in range(3)] for n in (1, 9)}
    with serve() as site:
        blog = TalkingBlog(posts=POSTS, in_feed=8, said=said)
        put(site, blog)
        crawl(tmp_path, f"{site.url}/")
        late = Said(600_000, "Ann", "A remark that is late by a year.")
        said[9] = [*said[9], late]
        put(site, blog)
        since = POSTS[21].published + timedelta(days=400)
        wanted = [post for post in POSTS if post.published >= since] + [POSTS[-9]]
        for _ in range(2):
            done = update(tmp_path, site, "-a", f"since={since.isoformat()}")
            assert done.urls == sorted(site.url + post.path for post in wanted)
            assert len(done.record(site.url + POSTS[-9].path)["comments"]) == 4


@pytest.mark.parametrize(
    ("since", "code", "hint"),
    [
        ("yesterday", 2, "2026-11-01"),
        ("", 2, "'since' of updatecrawl is empty"),
        ("9999-01-01", 2, "is in the future"),
        (None, 1, "blogcrawler archive http"),
    ],
)
def test_what_cannot_be_done_is_told(tmp_path, since, code, hint):
    with serve(Blog(POSTS)) as site:
        done = update(tmp_path, site, *(["-a", f"since={since}"] if since is not None else []))
    assert done.code == code
    assert hint in done.sentences[0]


def test_a_feed_that_has_moved_is_found(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog(POSTS, in_feed=8, feed_path="/new/rss.xml"))
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[:2])
        again = update(tmp_path, site)
        assert (again.records, without_robots(again.requests)) == ([], ["/new/rss.xml"])


@pytest.mark.parametrize(("status", "asked"), [(301, ["/new/rss.xml"]), (302, ["/feed.xml", "/new/rss.xml"])])
def test_a_feed_that_has_moved_for_good_is_asked_where_it_is(tmp_path, status, asked):
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog(POSTS, in_feed=8, feed_path="/new/rss.xml"))
        site.routes["/feed.xml"] = Reply("", status, headers={"Location": "/new/rss.xml"})
        assert len(update(tmp_path, site).records) == 2
        assert without_robots(update(tmp_path, site).requests) == asked


def test_an_update_that_was_cut_short_is_made_again(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[6:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog(POSTS, in_feed=8))
        part = update(tmp_path, site, PAGE_LIMIT=3)
        assert 0 < len(part.records) < 6
        rest = update(tmp_path, site)
        assert sorted({*part.urls, *rest.urls}) == sorted(site.url + post.path for post in POSTS[:6])
        assert update(tmp_path, site).records == []
        with archive(tmp_path) as kept:
            assert kept.count(f"{site.url}/") == 30


def test_comments_that_are_new_edited_or_gone_are_told_for_few_requests(tmp_path):
    posts = POSTS[10:]
    said = {n: [Said(1000 * n + k, READERS[k], f"Remark {k} on post {n} here.") for k in range(3)] for n in (1, 9, 15)}
    texts = {}

    def told(done):
        return {r["url"].rpartition("/20")[2]: [c["content_text"] for c in r["comments"]] for r in done.records}

    with serve() as site:
        put(site, TalkingBlog(posts=posts, in_feed=8, said=said))
        first = crawl(tmp_path, f"{site.url}/")
        texts = told(first)
        assert sum(map(len, texts.values())) == 9
        assert update(tmp_path, site).records == []
        said[9] = [*said[9], Said(20_001, "Reader 9", "One that is new on post 9.")]
        said[15] = [replace(said[15][0], text="Now it says something else altogether."), *said[15][1:]]
        said[1] = said[1][1:]
        put(site, TalkingBlog(posts=posts, in_feed=8, said=said))
        done = update(tmp_path, site)
        now = texts | told(done)
        assert len(done.records) == 3
        oldest = posts[-1].path  # of a comment that may have been pushed out of the feed, and was not
        assert without_robots(done.requests) == ["/feed.xml", "/comments.atom", oldest]
        assert sum(map(len, now.values())) == 9
        assert [text for all_of in now.values() for text in all_of if "new" in text] == ["One that is new on post 9."]
        assert "Remark 0 on post 1 here." not in str(now)
        assert "Remark 0 on post 15 here." not in str(now)
        with archive(tmp_path) as kept:
            home = f"{site.url}/"
            before = [version.record for record in done.records for version in kept.versions(home, record["url"])]
        assert len(before) == 2, "a comment more takes nothing away"
        assert {"Remark 0 on post 1 here.", "Remark 0 on post 15 here."} <= {
            comment.content_text for record in before for comment in record.comments
        }
        again = update(tmp_path, site)
        assert (again.records, len(without_robots(again.requests))) == ([], 2)


def test_more_new_comments_than_a_page_of_their_feed_holds(tmp_path):
    said = {
        n: [Said(1000 * n + k, READERS[k], f"Remark {k} on post {n} here.") for k in range(3)] for n in range(1, 10)
    }
    with serve() as site:
        put(site, TalkingBlog(posts=POSTS, in_feed=8, said=said, pages=4))
        crawl(tmp_path, f"{site.url}/")
        more = {
            n: [*said[n], *(Said(400_000 + 10 * n + k, "Ann", f"One more, {k}, on {n}.") for k in range(5))]
            for n in range(5, 10)
        }
        put(site, TalkingBlog(posts=POSTS, in_feed=8, said=said | more, pages=4))
        done = update(tmp_path, site)
        assert [len(record["comments"]) for record in done.records] == [8] * 5
        assert [path for path in done.requests if "comments" in path] == [
            "/comments.atom",
            "/comments-2.atom",
            "/comments-3.atom",
        ]
        assert update(tmp_path, site).records == []


def test_more_new_comments_than_their_feed_holds(tmp_path):
    said = {n: [Said(1000 * n + k, READERS[k], f"Remark {k} on post {n} here.") for k in range(3)] for n in (7, 8, 9)}
    with serve() as site:
        put(site, TalkingBlog(posts=POSTS, in_feed=8, said=said, newest=8))
        crawl(tmp_path, f"{site.url}/")
        more = {
            n: [*said[n], *(Said(400_000 + 10 * n + k, "Ann", f"One more, {k}, on {n}.") for k in range(5))]
            for n in said
        }
        put(site, TalkingBlog(posts=POSTS, in_feed=8, said=more, newest=8))
        done = update(tmp_path, site)
        assert [len(record["comments"]) for record in done.records] == [8] * 3
        assert len([path for path in done.requests if "comments" not in path]) <= 6
        assert update(tmp_path, site).records == []


@pytest.mark.parametrize("failing", [range(2, 4), range(12)], ids=["of some posts", "of all posts"])
def test_comments_that_a_server_could_not_tell_are_asked_for_again(tmp_path, failing):
    posts, broken = POSTS[:12], {at: Reply("", status=500) for at in failing}
    with serve() as site:
        blog = CommentedBlog(posts, in_feed=8, comments=lambda _: talk(2), entry_counts=False)
        blog.instead = broken
        put(site, blog)
        first = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0)
        assert sum(not record["comments"] for record in first.records) == len(failing)
        told = f"comments of {len(failing)} posts could not be fetched this time; updates ask for them again"
        assert told in first.summary[-2]
        blog.instead = {}
        put(site, blog)
        done = [update(tmp_path, site, RETRY_TIMES=0) for _ in range(3)]
        assert [len(one.records) for one in done] == [min(10, len(failing)), max(0, len(failing) - 10), 0]
        with archive(tmp_path) as kept:
            assert {len(record.comments) for record in kept.records(f"{site.url}/")} == {2}


def test_comments_that_are_never_told_are_left_alone(tmp_path):
    blog = CommentedBlog(POSTS[:12], in_feed=8, comments=lambda _: talk(2), entry_counts=False)
    blog.instead = {3: Reply("", status=500)}
    with serve() as site:
        put(site, blog)
        crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0)
        asked = [blog.feed_of(blog.posts[3]) in update(tmp_path, site, RETRY_TIMES=0).requests for _ in range(7)]
        assert asked == [True] * 5 + [False] * 2


def test_late_comments_of_posts_that_are_gone_are_left_alone_too(tmp_path):
    blog = CommentedBlog(POSTS[:12], in_feed=8, comments=lambda _: talk(2), entry_counts=False)
    blog.instead, gone = {3: Reply("", status=500)}, POSTS[3].path
    with serve() as site:
        put(site, blog)
        crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0)
        site.routes[gone] = Reply("gone", status=410)
        asked = [gone in update(tmp_path, site, RETRY_TIMES=0).requests for _ in range(6)]
        assert asked == [True] * 5 + [False]


@dataclass
class Miscounted(TalkingBlog):
    """Its feed counts comments that nobody can see."""

    counts: dict[str, int] = field(default_factory=dict)

    def _item(self, post, base):
        count = self.counts.get(post.slug, len(self.comments(self.posts.index(post))))
        counted = f"<s:comments xmlns:s='http://purl.org/rss/1.0/modules/slash/'>{count}</s:comments>"
        return super()._item(post, base).replace("</item>", f"{counted}</item>")


def test_a_number_of_comments_that_is_never_right_is_looked_at_once(tmp_path):
    said = {len(POSTS) - at: [Said(100 + at, "Ann", f"Something about post {at}.")] for at in (4, 9)}

    def put_from(first, count):
        put(site, Miscounted(POSTS[first:], in_feed=8, said=said, counts={POSTS[4].slug: count}))

    def asks_again(first, count):
        put_from(first, count)
        done = update(tmp_path, site)
        assert site.url + POSTS[first].path in done.urls
        return POSTS[4].path in done.requests

    with serve() as site:
        put_from(5, 1)
        crawl(tmp_path, f"{site.url}/")
        assert asks_again(4, 3)
        with archive(tmp_path) as kept:
            assert kept.record(f"{site.url}/", site.url + POSTS[4].path).comment_count == 1
        assert [asks_again(*given) for given in ((3, 3), (2, 4), (1, 4), (0, 3))] == [False, True, False, True]


def test_comments_of_new_posts_come_with_the_feed_of_all(tmp_path):
    with serve() as site:
        put(site, TalkingBlog(posts=POSTS[10:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        posts = POSTS[8:]
        said = {len(posts) - at: [Said(20_000 + at, "Ann", f"On the new post {at}.")] for at in (0, 1)}
        put(site, TalkingBlog(posts=posts, in_feed=8, said=said))
        done = update(tmp_path, site)
        assert [len(record["comments"]) for record in done.records] == [1, 1]
        assert len(without_robots(done.requests)) == 4


def put_with_sitemap(site, blog, days=None):
    """A blog with the sitemap, which says of some paths when their pages were changed."""
    put(site, blog)
    lines = "".join(
        f"<url><loc>{site.url}{post.path}</loc><lastmod>{(days or {}).get(post.path, '2020-01-01')}</lastmod></url>"
        for post in blog.posts
    )
    site.routes["/sitemap.xml"] = Reply(f"<urlset>{lines}</urlset>", content_type="application/xml")


def test_what_the_sitemap_says_was_changed_is_told(tmp_path):
    """Also of posts that the feed holds no longer; it is asked only where the feed has changed."""
    later = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    changed = replace(POSTS[20], paragraphs=(*POSTS[20].paragraphs[:-1], "It was mended much later."))
    with serve() as site:
        put_with_sitemap(site, Blog(POSTS[1:], in_feed=5))
        crawl(tmp_path, f"{site.url}/")
        put_with_sitemap(site, Blog([*POSTS[:20], changed, *POSTS[21:]], in_feed=5), {changed.path: later})
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in (POSTS[0], changed))
        assert done.record(site.url + changed.path)["content_text"] == changed.text
        assert without_robots(done.requests).count("/sitemap.xml") == 1
        assert len(done.requests) <= 3 + 2
        again = update(tmp_path, site)
        assert (again.records, without_robots(again.requests)) == ([], ["/feed.xml"])


def test_a_known_post_that_the_sitemap_says_was_changed_is_one_though_the_feed_told_it_as_before(tmp_path):
    """It is newer than the feed's oldest entry, and comes without an entry: the summary is the same."""
    later = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    changed = replace(POSTS[2], paragraphs=(*POSTS[2].paragraphs[:-1], "It was mended much later."))
    with serve() as site:
        put_with_sitemap(site, Short(POSTS[1:], in_feed=5))
        crawl(tmp_path, f"{site.url}/")
        put_with_sitemap(site, Short([*POSTS[:2], changed, *POSTS[3:]], in_feed=5), {changed.path: later})
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in (POSTS[0], changed))
        assert done.record(site.url + changed.path)["content_text"] == changed.text
        assert "no post" not in done.stderr


def test_a_blog_without_a_feed_is_read_from_its_lists(tmp_path):
    def put_without_feed(posts):
        put(site, Blog(posts, names_feed=False))
        del site.routes["/feed.xml"]

    with serve() as site:
        put_without_feed(POSTS[6:])
        assert len(crawl(tmp_path, f"{site.url}/").records) == 24
        put_without_feed(POSTS)
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[:6])
        assert len(done.requests) <= 4 + 6
        again = update(tmp_path, site)
        asked = without_robots(again.requests)
        assert (again.records, asked[0], len(asked)) == ([], "/", 3), "and two posts, whether they have changed"


def test_an_empty_feed_of_comments_takes_none_away(tmp_path):
    said = {n: [Said(1000 * n + k, READERS[k], f"Remark {k} on post {n} here.") for k in range(3)] for n in (1, 9)}
    with serve() as site:
        put(site, TalkingBlog(posts=POSTS, in_feed=8, said=said))
        crawl(tmp_path, f"{site.url}/")
        pages = {path: reply for path, reply in site.routes.items() if "comments" not in path}
        put(site, TalkingBlog(posts=POSTS, in_feed=8, said={}))
        site.routes |= pages
        assert update(tmp_path, site).records == []
        with archive(tmp_path) as kept:
            assert sum(len(record.comments) for record in kept.records(f"{site.url}/")) == 6


def test_the_summary_says_what_is_new(tmp_path):
    changed = replace(POSTS[3], paragraphs=(*POSTS[3].paragraphs[:-1], "It ends in another way."))
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog([*POSTS[:3], changed, *POSTS[4:]], in_feed=8))
        assert update(tmp_path, site).summary[1].startswith("2 new, 1 changed since the last crawl: ")
        assert update(tmp_path, site).summary[1] == "Nothing new since the last crawl: 1 request."


def test_a_robots_txt_serves_updates_for_a_day(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS, in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        assert "/robots.txt" not in update(tmp_path, site).requests
        assert "/robots.txt" in update(tmp_path, site, ROBOTSTXT_LIFETIME=0).requests
        put(site, Blog(POSTS, in_feed=8))
        site.routes["/robots.txt"] = Reply("User-agent: *\nDisallow: /feed", content_type="text/plain")
        refused = update(tmp_path, site, ROBOTSTXT_LIFETIME=0)
        assert (refused.code, refused.requests) == (1, ["/robots.txt"])


class LikeWordPress(Blog):
    """A blog whose pages look like WordPress's, and whose posts have no feeds of comments."""

    def page(self, post):
        return (
            super().page(post).replace("</head>", '<link rel="stylesheet" href="/wp-content/themes/plain.css"></head>')
        )


def test_what_was_asked_for_in_vain_is_not_asked_for_again(tmp_path):
    def of_comments(done):
        return [path for path in done.requests if path.endswith("/feed/")]

    with serve() as site:
        put(site, LikeWordPress(POSTS[4:], in_feed=8))
        assert len(of_comments(crawl(tmp_path, f"{site.url}/", server=site))) >= 3
        put(site, LikeWordPress(POSTS, in_feed=8))
        done = update(tmp_path, site)
        assert len(done.records) == 4
        assert set(of_comments(done)) <= {"/comments/feed/"}


def test_what_another_version_has_learned_is_learned_anew(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        with archive(tmp_path) as kept:
            kept.save_wrapper(f"{site.url}/", {"version": 0})
        put(site, Blog(POSTS, in_feed=8))
        done = update(tmp_path, site)
        assert (done.code, done.records) == (1, [])
        assert "was crawled by another version; crawl it again: blogcrawler archive http" in done.sentences[0]
        with archive(tmp_path) as kept:
            assert kept.register.due(now=datetime.now(UTC) + timedelta(days=30))[0].spider == "newcrawl"
        assert len(crawl(tmp_path, f"{site.url}/").records) == 30
        assert update(tmp_path, site).records == []


def test_a_page_that_never_comes_is_left_alone(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[1:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog(POSTS, in_feed=8))
        site.routes[POSTS[0].path] = Reply("", status=404)
        done = [update(tmp_path, site) for _ in range(7)]
        tried = [POSTS[0].path in one.requests for one in done]
        assert tried == [True] * 5 + [False] * 2
        assert without_robots(done[-1].requests) == ["/feed.xml"]


@pytest.mark.parametrize("status", [404, 503])
def test_a_page_that_is_not_there_yet_is_tried_again(tmp_path, status):
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Blog(POSTS, in_feed=8))
        page = site.routes[POSTS[0].path]
        site.routes[POSTS[0].path] = Reply("not yet", status=status)
        done = [update(tmp_path, site, RETRY_TIMES=0, BACKOFF_TIMES=0) for _ in range(3)]
        assert {url for one in done for url in one.urls} == {site.url + POSTS[1].path}
        site.routes[POSTS[0].path] = page
        assert site.url + POSTS[0].path in update(tmp_path, site).urls
        assert update(tmp_path, site).records == []


def test_most_of_a_sitemap_may_be_new(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[18:], in_feed=5, per_page=40))
        crawl(tmp_path, f"{site.url}/")
        blog = Blog(POSTS, in_feed=5)
        put(site, blog)
        later = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%d}"
        days = {post.path: later if at < 18 else "2020-01-01" for at, post in enumerate(POSTS)}
        lines = "".join(f"<url><loc>{site.url}{path}</loc><lastmod>{day}</lastmod></url>" for path, day in days.items())
        site.routes["/sitemap.xml"] = Reply(f"<urlset>{lines}</urlset>", content_type="application/xml")
        for path in [path for path in site.routes if path.startswith("/page/")]:
            del site.routes[path]
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[:18])


def test_a_blog_that_has_moved_to_another_site_is_told(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[2:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        there = "http://words.example.org"
        site.routes["/feed.xml"] = Reply(Blog(POSTS, in_feed=8).feed(there), content_type="application/rss+xml")
        for _ in range(2):
            done = update(tmp_path, site)
            assert (done.code, done.records) == (1, [])
            assert f"blogcrawler archive {there}/" in done.sentences[0]


@pytest.mark.parametrize("has_guid", [True, False])
@pytest.mark.parametrize("is_edited", [True, False])
def test_a_post_whose_address_has_changed_is_kept_once(tmp_path, has_guid, is_edited):
    class Own(Blog):
        def feed(self, base):
            feed = super().feed(base)
            feed = feed.replace("tag:quite-another-name", f"tag:{POSTS[2].slug}")
            return feed if has_guid else re.sub("<guid.*?</guid>", "", feed)

    moved = replace(POSTS[2], slug="quite-another-name")
    if is_edited:
        moved = replace(moved, paragraphs=(*moved.paragraphs[:-1], "It ends in another way."))
    with serve() as site:
        put(site, Own(POSTS, in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        put(site, Own([*POSTS[:2], moved, *POSTS[3:]], in_feed=8))
        site.routes[POSTS[2].path] = Reply("", status=301, headers={"Location": moved.path})
        done = update(tmp_path, site)
        assert done.urls == [site.url + moved.path]
        assert done.summary[1].startswith("1 changed, 1 moved since" if is_edited else "1 moved since")
        assert update(tmp_path, site).records == []
        with archive(tmp_path) as kept:
            home = f"{site.url}/"
            assert kept.count(home) == 30
            assert kept.record(home, site.url + POSTS[2].path) is None
            assert kept.record(home, site.url + moved.path).content_text == moved.text
            versions = kept.versions(home, site.url + moved.path)
            assert [one.record.content_text for one in versions] == ([POSTS[2].text] if is_edited else [])


class Reguided(Blog):
    """A blog whose feed names its posts by other guids."""

    def feed(self, base):
        return super().feed(base).replace("tag:", "tag:example.net,2020:")


@pytest.mark.parametrize("answer", ["page", 301, 404, 410])
@pytest.mark.parametrize("is_edited", [True, False])
def test_posts_whose_addresses_and_guids_have_changed_are_kept_once(tmp_path, answer, is_edited):
    posts = POSTS[:14]
    moved = [replace(post, slug=f"{post.slug}-fixed") for post in posts[2:4]]
    if is_edited:
        moved = [replace(post, title=f"{post.title} mended") for post in moved]
    later = [*posts[1:2], *moved, *posts[4:]]
    with serve() as site:
        put(site, Blog(posts[1:], in_feed=8))
        assert len(crawl(tmp_path, f"{site.url}/").records) == 13
        blog = Reguided([posts[0], *later], in_feed=8)
        put(site, blog)
        for old, new in zip(posts[2:4], moved, strict=True):
            page = Reply(blog.page(new)) if answer == "page" else Reply("", answer, headers={"Location": new.path})
            site.routes[old.path] = page
        done = update(tmp_path, site)
        told = "1 new, 2 changed, 2 moved" if is_edited else "1 new, 2 moved"
        assert done.summary[1].startswith(f"{told} since")
        with archive(tmp_path) as kept:
            home = f"{site.url}/"
            records = {record.url: record for record in kept.records(home)}
        assert sorted(records) == blog.urls(site.url)
        assert [records[site.url + post.path].title for post in moved] == [post.title for post in moved]


class Renamed(Reguided):
    """A blog after all of its addresses and guids have changed, but for those in running text."""

    def path(self, post):
        return f"/{post.published:%Y}/{post.slug}-{post.published:%j}.html"

    def page(self, post):
        word, older = post.paragraphs[1].partition(" ")[0], POSTS[POSTS.index(post) + 1]
        return super().page(post).replace(f"<p>{word} ", f'<p><a href="{older.path}">{word}</a> ')


@pytest.mark.parametrize("answer", ["page", 301, 404])
def test_posts_all_of_whose_addresses_and_guids_have_changed_are_kept_once(tmp_path, answer):
    old, blog = Blog(POSTS[1:15], in_feed=8), Renamed(POSTS[:15], in_feed=8)
    with serve(old) as site:
        assert len(crawl(tmp_path, f"{site.url}/").records) == 14
        put(site, blog)
        for post in old.posts:
            elsewhere = Reply("", answer, headers={"Location": blog.path(post)}) if answer != "page" else None
            site.routes[old.path(post)] = elsewhere or Reply(blog.page(post))
        done = update(tmp_path, site)
        with archive(tmp_path) as kept:
            urls = sorted(record.url for record in kept.records(f"{site.url}/"))
        assert (done.code, urls) == (0, blog.urls(site.url))
        assert done.summary[1].startswith("1 new, ")
        assert " 14 moved since" in done.summary[1]


def test_a_post_that_was_published_twice_stays_two_as_long_as_both_are_linked(tmp_path):
    twice = replace(POSTS[2], slug="once-more")
    with serve(Blog([*POSTS[2:14]], in_feed=8)) as site:
        crawl(tmp_path, f"{site.url}/")
        blog = Blog([*POSTS[:2], twice, *POSTS[2:14]], in_feed=8)
        put(site, blog)
        update(tmp_path, site)
        with archive(tmp_path) as kept:
            assert sorted(record.url for record in kept.records(f"{site.url}/")) == blog.urls(site.url)


def test_posts_of_one_title_and_text_are_as_many_as_their_days(tmp_path):
    text = " ".join(["A lake, a boat and a bridge, as they were on this day, seen from where I always stand."] * 4)
    same = [replace(post, title="Photo of the day", paragraphs=(text,)) for post in POSTS[:3]]
    with serve() as site:
        put(site, Blog([same[1], *POSTS[3:14]], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        blog = Blog([same[0], same[2], *POSTS[3:14]], in_feed=8)  # one is new, one older than that which is gone
        put(site, blog)
        update(tmp_path, site)
        with archive(tmp_path) as kept:
            urls = sorted(record.url for record in kept.records(f"{site.url}/"))
        assert urls == sorted([*blog.urls(site.url), site.url + same[1].path])


def test_pages_that_could_not_be_had_are_asked_for_again_and_left_alone_in_the_end(tmp_path):
    """A blog with a page that is never there is kept up to date nevertheless."""
    blog = Blog(POSTS[1:], in_feed=8)
    late, never, old_list = POSTS[12].path, POSTS[20].path, "/page/7/"
    with serve(blog) as site:
        routes = dict(site.routes)
        site.routes |= dict.fromkeys((late, never, old_list), Reply("later", 500))
        first = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0, BACKOFF_TIMES=0)
        assert (first.code, len(first.records)) == (0, 22)
        site.routes = routes | {never: Reply("later", 500)}
        done = update(tmp_path, site, RETRY_TIMES=0, BACKOFF_TIMES=0)
        assert done.code == 0
        assert len(first.records) + len(done.records) == 28
        put(site, Blog(POSTS, in_feed=8))
        site.routes[never] = Reply("later", 500)
        done = [update(tmp_path, site, RETRY_TIMES=0, BACKOFF_TIMES=0) for _ in range(6)]
        assert [one.urls for one in done] == [[site.url + POSTS[0].path], *[[]] * 5]
        assert [never in one.requests for one in done] == [True] * 4 + [False] * 2
        assert [one.requests.count("/feed.xml") for one in done] == [1] * 6
        assert without_robots(done[-1].requests) == ["/feed.xml"]


def test_another_server_that_never_answers_says_nothing_of_the_blogs(tmp_path):
    with serve() as site:
        other = site.url.replace("http:", "https:")
        links_there = "".join(f'<a href="{other}/2020/02/story-{number}/">A story</a>' for number in range(8))
        put(site, Blog(POSTS[2:], in_feed=8, extra=links_there))
        first = crawl(tmp_path, f"{site.url}/", RETRY_TIMES=0, ROBOTSTXT_OBEY=False)
        assert (first.code, len(first.records)) == (0, 28)
        put(site, Blog(POSTS[1:], in_feed=8, extra=links_there))
        done = update(tmp_path, site, RETRY_TIMES=0, ROBOTSTXT_OBEY=False)
        assert (done.code, done.urls) == (0, [site.url + POSTS[1].path])
        done = update(tmp_path, site, RETRY_TIMES=0, ROBOTSTXT_OBEY=False)
        assert (done.code, done.records) == (0, [])


@dataclass
class Detouring(Blog):
    """The links of its feed lead to posts by redirects."""

    form: str = "{path}"

    def detour(self, post):
        return self.form.format(path=post.path.rstrip("/"), number=POSTS.index(post))

    def feed(self, base):
        feed = super().feed(base)
        for post in self.posts:
            feed = feed.replace(f"{base}{post.path}</link>", f"{base}{self.detour(post)}</link>")
        return feed

    def routes(self, base):
        detours = {self.detour(post): Reply("", 301, headers={"Location": post.path}) for post in self.posts}
        return super().routes(base) | detours


@pytest.mark.parametrize("form", ["{path}", "/?p={number}", "/go/{number}"])
def test_new_posts_that_the_feed_leads_to_by_redirects(tmp_path, form):
    with serve() as site:
        put(site, Detouring(POSTS[5:], in_feed=8, form=form))
        assert len(crawl(tmp_path, f"{site.url}/").records) == 25
        put(site, Detouring(POSTS, in_feed=8, form=form))
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[:5])
        assert {record["provenance"]["fields"]["published"]["source"] for record in done.records} == {"feed"}


def test_lists_whose_links_lead_to_posts_by_redirects_tell_that_nothing_is_new(tmp_path):
    def put_from(first):
        blog = Blog(POSTS[first:], names_feed=False)
        routes = {path: reply for path, reply in blog.routes(site.url).items() if path != blog.feed_path}
        for path in ("/", *(path for path in routes if path.startswith("/page/"))):
            html = routes[path].body
            for post in blog.posts:
                html = html.replace(f'{post.path}"', f'{post.path.removesuffix("/")}"')
            routes[path] = Reply(html)
        for post in blog.posts:
            routes[post.path.removesuffix("/")] = Reply("", 301, headers={"Location": post.path})
        site.routes = routes

    with serve() as site:
        put_from(2)
        assert len(crawl(tmp_path, f"{site.url}/").records) == 28
        put_from(0)
        assert update(tmp_path, site).urls == sorted(site.url + post.path for post in POSTS[:2])
        for _ in range(2):
            done = update(tmp_path, site)
            assert (done.code, done.records) == (0, [])
        assert len(without_robots(done.requests)) <= 3
