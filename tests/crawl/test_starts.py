"""Whatever address of a blog a user gives, and wherever the feed is: all posts are found, each once."""

from __future__ import annotations

import pytest

from tests.crawl.blog import Blog, Site, links, make_posts, serve
from tests.crawl.running import crawl, kept
from tests.site import Reply


def moved(target: str, status: int = 301) -> Reply:
    return Reply("moved", status, {"Location": target})


def titles(blog: Blog) -> list[str]:
    return sorted(post.title for post in blog.posts)


def found(outcome) -> list[str]:
    return sorted(record["title"] for record in outcome.records)


@pytest.fixture
def blog():
    return Blog()


def test_from_the_home_page(blog, tmp_path):
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert found(outcome) == titles(blog)
        assert outcome.repeated == {}
        assert {record["blog"] for record in outcome.records} == {f"{site.url}/"}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["feed", "list", "no scheme"])
def test_from_another_address(blog, tmp_path, place):
    with serve(blog) as site:
        address = {
            "feed": f"{site.url}/feed.xml",
            "list": f"{site.url}/page/2/?utm_source=mail#top",
            "no scheme": f"127.0.0.1:{site.port}",
        }[place]
        outcome = crawl(tmp_path, address, server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert outcome.repeated == {}
        assert {record["blog"] for record in outcome.records} == {f"{site.url}/"}


@pytest.mark.slow
def test_from_a_post_of_the_feed(blog, tmp_path):
    with serve(blog) as site:
        outcome = crawl(tmp_path, site.url + blog.path(blog.posts[0]), server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert outcome.repeated == {}


@pytest.mark.slow
def test_from_an_older_post(blog, tmp_path):
    with serve(blog) as site:
        outcome = crawl(tmp_path, site.url + blog.path(blog.posts[-1]), server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["/blog/", "/"])
def test_a_blog_in_a_folder_beside_other_pages(tmp_path, start):
    """A shop whose pages are no posts, although their addresses and their form are much like posts."""
    blog = Blog(folder="/blog")
    shop = [f"/shop/2021/{number:02}/thing-{number}/" for number in range(1, 9)]
    with serve(blog) as site:
        feed = f'<link rel="alternate" type="application/rss+xml" href="{site.url}/blog/feed.xml">'
        site.routes["/"] = f'<html><head>{feed}</head><body><a href="/blog/">Blog</a>{links(shop)}</body></html>'
        for path in shop:
            site.routes[path] = f'<html><body><h1>{path}</h1><p>Buy it.</p><a href="/">Home</a></body></html>'
        outcome = crawl(tmp_path, site.url + start, server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
def test_a_home_page_that_redirects(tmp_path):
    blog = Blog(folder="/journal")
    with serve(blog) as site:
        site.routes["/"] = moved("/journal/", 302)
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
def test_a_home_page_that_refreshes_itself_to_another(tmp_path):
    blog = Blog(folder="/journal")
    with serve(blog) as site:
        site.routes["/"] = '<html><head><meta http-equiv="refresh" content="0; url=/journal/"></head></html>'
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["redirect", "refresh"])
@pytest.mark.parametrize("there", ["a page", "nothing"])
def test_a_home_page_that_leads_to_its_owners_page_elsewhere(tmp_path, how, there):
    """The posts are still where they were."""
    blog = Blog()
    with Site({}) as gone:
        pass
    with serve(blog) as site, Site({"/in/ann": "<h1>Ann Archer</h1><p>Gardener in Leeds.</p>"}) as other:
        target = f"http://localhost:{(other if there == 'a page' else gone).port}/in/ann"
        if how == "redirect":
            site.routes["/"] = moved(target, 302)
        else:
            site.routes["/"] = f'<html><head><meta http-equiv="refresh" content="0; url={target}"></head></html>'
        allowed = ",".join(f"localhost:{one.port}" for one in (other, gone))
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=0, ALLOWED_PRIVATE_HOSTS=allowed)
        assert outcome.code == 0, outcome.stderr
        assert set(outcome.urls) <= set(blog.urls(site.url))
        assert len(outcome.urls) >= blog.in_feed


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/feed/", "/atom.xml"])
def test_a_feed_that_no_page_names(tmp_path, path):
    blog = Blog(names_feed=False, feed_path=path)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
@pytest.mark.parametrize(
    "form",
    [
        "{path}",
        "{base}{path}?utm_source=rss&utm_medium=feed&utm_campaign=words#more",
        "{base}/go/{slug}",
    ],
    ids=["relative", "tracking", "redirect"],
)
def test_the_feeds_links_need_not_be_permalinks(tmp_path, form):
    blog = Blog(feed_link=form)
    with serve(blog) as site:
        site.routes |= {f"/go/{post.slug}": moved(blog.path(post)) for post in blog.posts}
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert outcome.repeated == {}
        newest = outcome.record(site.url + blog.path(blog.posts[0]))
        assert newest["published"] == blog.posts[0].published.isoformat()
        assert newest["guid"] == f"tag:{blog.posts[0].slug}"


@pytest.mark.slow
def test_a_feed_with_odd_links(tmp_path):
    """One entry of another host, which is not asked, one for the page about the blog, one without a link."""
    items = "".join(
        f"<item><title>{title}</title>{link}<description>Words about {title}</description></item>"
        for title, link in [
            ("elsewhere", "<link>http://elsewhere.invalid/2020/01/elsewhere/</link>"),
            ("about", "<link>/about/</link>"),
            ("nowhere", ""),
        ]
    )
    blog = Blog(odd_items=items)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert set(blog.urls(site.url)) <= set(outcome.urls) <= {*blog.urls(site.url), f"{site.url}/about/"}
        assert "elsewhere.invalid" not in outcome.stderr


@pytest.mark.slow
def test_two_versions_in_two_languages(tmp_path):
    """Who begins at the German home page gets the German blog: all of it, and its own feed's values."""
    german = Blog(folder="/de", language="de", name="Blog der Worte")
    english = Blog(make_posts(8, seed=2), folder="/en", extra='<a hreflang="de" href="/de/">Deutsch</a>')
    german.extra = '<a hreflang="en" href="/en/">English</a>'
    with serve(german, english) as site:
        site.routes["/"] = moved("/en/", 302)
        outcome = crawl(tmp_path, f"{site.url}/de/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert set(german.urls(site.url)) <= set(outcome.urls) <= {*german.urls(site.url), *english.urls(site.url)}
        assert len(set(outcome.urls)) == len(outcome.urls)
        assert {record["blog"] for record in outcome.records} == {f"{site.url}/de/"}
        newest = outcome.record(site.url + german.path(german.posts[0]))
        assert (newest["language"], newest["guid"]) == ("de", f"tag:{german.posts[0].slug}")


@pytest.mark.slow
def test_the_comments_feed_is_not_taken_for_the_posts(tmp_path):
    blog = Blog(names_feed=False)
    with serve(blog) as site:
        page = blog.routes(site.url)["/"].body
        feeds = "".join(
            f'<link rel="alternate" type="application/rss+xml" title="{title}" href="{path}">'
            for title, path in [("Comments on everything", "/comments/feed/"), ("Posts", "/feed.xml")]
        )
        site.routes["/"] = page.replace("</head>", f"{feeds}</head>")
        comments = blog.feed(site.url).replace("<item><title>", "<item><title>Comment on ")
        site.routes["/comments/feed/"] = Reply(comments, content_type="application/rss+xml")
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert found(outcome) == titles(blog)


@pytest.mark.slow
def test_a_crawl_after_a_complete_one_finds_what_is_new(tmp_path):
    blog, new = Blog(), make_posts(9)[0]
    with serve(blog) as site:
        assert crawl(tmp_path, f"{site.url}/").code == 0
        before = kept(tmp_path)
        site.reset(Blog([new, *blog.posts]))
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == sorted([*blog.urls(site.url), site.url + blog.path(new)])
        after = kept(tmp_path)
        assert {url: after[url] for url in before} == before, "first_seen or what a post says has changed"


@pytest.mark.slow
def test_a_crawl_after_a_complete_one_sees_what_was_edited(tmp_path):
    blog = Blog()
    edited = blog.posts[1]
    with serve(blog) as site:
        assert crawl(tmp_path, f"{site.url}/").code == 0
        page = blog.page(edited)
        site.routes[blog.path(edited)] = page.replace(edited.paragraphs[0], "This paragraph was written anew.")
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        text = outcome.record(site.url + blog.path(edited))["content_text"]
        assert text.startswith("This paragraph was written anew.")


@pytest.mark.slow
def test_a_crawl_that_was_cut_short_at_its_beginning_begins_again_where_it_had(blog, tmp_path):
    """By monitors, which know the blog by its home page; here what the feed calls so is not there."""
    with serve(blog) as site:
        pages = {path: site.routes.pop(path) for path in ["/", *blog.paths()]}
        cut = crawl(tmp_path, f"{site.url}/feed.xml", server=site)
        assert cut.code == 1, "no post can be had yet"
        site.routes |= {path: page for path, page in pages.items() if path != "/"}
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert set(outcome.urls) >= set(blog.urls(site.url)[-blog.in_feed :])
