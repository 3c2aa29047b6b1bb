"""`parse_comments` on feeds as software writes them: tests/feeds/comments/data."""

from __future__ import annotations

import time
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds.comments import Post, blog_comments, parse_comments
from blogcrawler.feeds.comments.proof import of_post
from blogcrawler.feeds.comments.threads import thread
from blogcrawler.items import Comment

DATA = Path(__file__).parent / "data"
FILES = sorted(path.name for path in DATA.iterdir())
POST = "http://blog.example.net/2014/05/a-post/"
BLOGGER = "http://words.example.com/2014/05/a-post.html"


def read(name: str) -> list[Comment]:
    return thread(feed(name).entries)


def feed(name: str):
    return parse_comments((DATA / name).read_bytes(), "http://blog.example.net/2014/05/a-post/feed/")


def test_wordpress_has_names_dates_and_anchors_and_no_threads():
    bob, walks = read("wordpress.xml")
    assert bob == Comment(
        id="comment-12",
        kind="comment",
        author="Bob",
        published="2014-05-02T10:00:00+00:00",
        url="http://blog.example.net/2014/05/a-post/comment-page-1/#comment-12",
        content_html=bob.content_html,
        content_text="A text.\n\nSee this.",
    )
    assert (walks.kind, walks.author, walks.content_text) == (
        "pingback",
        "Walks | Another blog",
        "[…] as was written […]",
    )


def test_content_is_sanitised_and_its_links_are_absolute():
    html = read("wordpress.xml")[0].content_html
    assert "script" not in html
    assert "onclick" not in html
    assert 'href="http://blog.example.net/x/"' in html


def test_threads_of_atom():
    bob, nobody = read("wordpress-atom.xml")
    assert (bob.author, bob.author_url, bob.parent) == ("Bob", "http://bob.example.org/", None)
    assert (nobody.id, nobody.parent) == ("comment-14", "comment-12")


def test_the_owner_of_a_feed_has_not_written_what_nobody_signed():
    assert read("wordpress-atom.xml")[1].author is None


def test_blogger():
    bob, anonymous = read("blogger.xml")
    assert (bob.id, bob.parent, bob.author) == ("c3001", None, "Bob")
    assert bob.author_url == "http://www.blogger.com/profile/55"
    assert bob.published == "2014-05-02T10:00:00-07:00"
    assert bob.url == f"{BLOGGER}#c3001"
    assert bob.content_text == "A text.\n\nIt goes on."
    assert (anonymous.id, anonymous.parent, anonymous.author) == ("c3002", "c3001", "Anonymous")


def test_the_document_says_how_many_comments_there_are():
    assert feed("blogger.xml").document.total == 3


def test_the_address_that_says_nothing_is_no_part_of_a_name():
    (bob,) = read("blogger-rss.xml")
    assert bob.author == "Bob"


def test_json_feed():
    bob, cy = read("feed.json")
    assert (bob.id, bob.author, bob.author_url) == ("c-1", "Bob", "http://bob.example.org/")
    assert (bob.published, bob.content_html) == ("2014-05-02T10:00:00+02:00", "<p>One &amp; two</p>")
    assert (cy.author, cy.published, cy.content_text) == ("Cy", "2014-05-02", "Three")


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_proven_to_be_of_its_post_and_of_no_other(name):
    found = feed(name)
    own = Post([found.document.home.partition("#")[0]])
    assert len(of_post(found, own)) == len(found.entries) > 0
    assert of_post(found, Post(["http://blog.example.net/2014/05/another/"])) is None
    assert of_post(found, Post(["http://other.example.net/"])) is None


def test_all_comments_of_a_blog_with_their_posts():
    items = "".join(item(f"http://blog.example.net/?p={n}&cpage=2#comment-{n}{n}") for n in (7, 8, 7))
    found = blog_comments(parse_comments(rss(items, "http://blog.example.net/"), "http://blog.example.net/feed"))
    assert [(post, comment.id) for post, comment in found] == [
        ("http://blog.example.net/?p=7", "comment-77"),
        ("http://blog.example.net/?p=8", "comment-88"),
    ]


def test_pages_of_comments_are_no_posts():
    found = blog_comments(feed("wordpress.xml"))
    assert {post for post, _ in found} == {POST}


def test_posts_are_no_comments():
    posts = rss("".join(item(f"http://blog.example.net/post-{n}/") for n in range(5)), "http://blog.example.net/")
    assert blog_comments(parse_comments(posts, "http://blog.example.net/feed/")) == []


def test_a_feed_of_posts_is_not_of_one_of_its_posts():
    posts = rss("".join(item(f"http://blog.example.net/post-{n}/") for n in range(5)), "http://blog.example.net/")
    assert of_post(parse_comments(posts, POST), Post(["http://blog.example.net/post-1/"])) is None


def test_the_post_alone_in_a_feed_is_no_comment_on_itself():
    body = rss(item(POST, title="A post"), POST)
    assert of_post(parse_comments(body, POST), Post([POST], title="A post")) is None


def test_comments_of_all_posts_are_not_those_of_one():
    items = "".join(item(f"http://blog.example.net/post-{n}/#comment-{n}") for n in (1, 2))
    found = parse_comments(rss(items, "http://blog.example.net/"), POST)
    assert of_post(found, Post(["http://blog.example.net/post-1/"])) is None


def test_a_home_page_is_no_post_that_has_all_comments():
    items = "".join(item(f"http://blog.example.net/post-{n}/#comment-{n}") for n in (1, 2))
    assert of_post(parse_comments(rss(items, POST), POST), Post(["http://blog.example.net/"])) is None


def test_an_empty_feed_is_of_the_page_that_it_names():
    assert of_post(parse_comments(rss("", POST), POST), Post([POST])) == []
    assert of_post(parse_comments(rss("", "http://blog.example.net/"), POST), Post([POST])) is None


def test_comments_without_fragments_are_told_by_their_guids():
    items = "".join(item(POST, guid=f"urn:comment:{n}", text=f"Text {n}") for n in (1, 2))
    found = of_post(parse_comments(rss(items, POST), POST), Post([POST], title="A post"))
    assert [entry.comment.id for entry in found] == ["urn:comment:1", "urn:comment:2"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<p>[&#8230;] as was written [&#8230;]</p>", "pingback"),
        ("<p>[...] as was written [...]</p>", "pingback"),
        ("<p><strong>Walks</strong></p><p>A page that begins [...]</p>", "pingback"),
        ("<p>I left some words out [...]</p>", "comment"),
        ("<p>[...] and began in the middle</p>", "comment"),
        ("<p></p>", "comment"),
    ],
)
def test_pingbacks_by_the_form_of_their_text(text, kind):
    (entry,) = parse_comments(rss(item(f"{POST}#c1", text=text), POST), POST).entries
    assert entry.comment.kind == kind


ANSWER = f'<p>Als Antwort auf <a href="{POST}comment-page-1/#comment-12">Bob</a>.</p>'


@pytest.mark.parametrize(
    ("text", "parent", "left"),
    [
        (f"{ANSWER}<p>Yes.</p>", "comment-12", "Yes."),
        (f"{ANSWER}", None, "Als Antwort auf Bob."),
        (f"<p>Hello.</p>{ANSWER}", None, "Hello.\n\nAls Antwort auf Bob."),
        (ANSWER.replace("a-post", "another") + "<p>Yes.</p>", None, "Als Antwort auf Bob.\n\nYes."),
        (ANSWER.replace(".</p>", f" {'and more ' * 9}</p>") + "<p>x</p>", None, None),
    ],
)
def test_whom_software_says_before_the_text_that_it_answers(text, parent, left):
    (comment,) = thread(parse_comments(rss(item(f"{POST}#comment-14", text=text), POST), POST).entries)
    assert comment.parent == parent
    assert left is None or comment.content_text == left


@pytest.mark.parametrize("body", [b"", b"<html><body>no</body></html>", b"{}", b"[1]", b'{"feed": 3}', b"\0" * 50])
def test_what_is_no_feed(body):
    with pytest.raises(NotAFeed) as raised:
        parse_comments(body, POST)
    assert raised.value.url == POST


@settings(max_examples=100, deadline=None)
@given(name=st.sampled_from(FILES), start=st.integers(0, 6000), size=st.integers(0, 300), junk=st.binary(max_size=30))
def test_damage_gives_comments_or_no_feed(name, start, size, junk):
    body = (DATA / name).read_bytes()
    try:
        found = parse_comments(body[:start] + junk + body[start + size :], POST)
    except NotAFeed:
        return
    for comment in thread(found.entries):
        assert comment.parent is None or comment.parent != comment.id
        assert "<script" not in (comment.content_html or "")


def test_time_grows_with_the_comments_alone():
    def seconds(count: int) -> float:
        body = rss("".join(item(f"{POST}#comment-{n}", text=f"<p>Text {n}</p>") for n in range(count)), POST)
        begin = time.process_time()
        assert len(thread(parse_comments(body, POST).entries)) == count
        return time.process_time() - begin

    small, large = (min(seconds(count) for _ in range(2)) for count in (500, 2000))
    assert large < 4 * small * 2.5


def test_deep_markup_costs_no_more_than_its_comment():
    deep = "<div>" * 100_000
    found = thread(parse_comments(rss(item(f"{POST}#c1", text=deep) + item(f"{POST}#c2"), POST), POST).entries)
    assert [comment.id for comment in found] == ["c1", "c2"]


def rss(items: str, home: str) -> bytes:
    return f"<rss version='2.0'><channel><title>T</title><link>{escape(home)}</link>{items}</channel></rss>".encode()


def item(url: str, *, title: str = "By: Bob", guid: str = "", text: str = "Text") -> str:
    return (
        f"<item><title>{title}</title><link>{escape(url)}</link><guid isPermaLink='false'>{guid or escape(url)}</guid>"
        f"<description>{escape(text)}</description></item>"
    )


def test_the_feed_of_a_section_holds_no_comments():
    """Its entries are pages of their own below the section's."""
    items = "".join(
        f"<item><title>Post {n}</title><link>http://x.test/posts/post-{n}/</link><description>Words</description></item>"
        for n in range(4)
    )
    feed = f"<rss version='2.0'><channel><title>Posts</title><link>http://x.test/posts/</link>{items}</channel></rss>"
    read = parse_comments(feed.encode(), "http://x.test/posts/index.xml", "text/xml")
    assert of_post(read, Post(["http://x.test/posts/"], title="Posts")) is None
