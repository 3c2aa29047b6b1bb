"""`parse_feed` on feeds as found in the wild: tests/feeds/data, each with its case in the first comment."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds import Feed, looks_like_feed, parse_feed
from blogcrawler.items import Enclosure, Entry

DATA = Path(__file__).parent / "data"
URL = "http://blog.example.net/feed/"
FILES = sorted(path.name for path in DATA.iterdir())


def read(name: str, content_type: str | None = None) -> Feed:
    return parse_feed((DATA / name).read_bytes(), URL, content_type)


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_a_feed_and_looks_like_one(name):
    assert looks_like_feed((DATA / name).read_bytes())
    assert read(name).entries


@pytest.mark.parametrize("content_type", ["text/html", "text/html; charset=utf-8", "text/plain", "image/png", "", "x"])
@pytest.mark.parametrize("name", ["wordpress.xml", "blogger.xml", "rdf.xml", "json-1.1.json"])
def test_a_wrong_content_type_does_not_matter(name, content_type):
    assert looks_like_feed((DATA / name).read_bytes(), content_type)
    assert read(name, content_type) == read(name)


@pytest.mark.parametrize("declared", ["utf-8", "iso-8859-1", "zlib_codec", "rot13"])
def test_cut_characters_do_not_garble_a_feed(declared):
    items = "".join(f"<item><title>It’s {n}</title><link>/{n}</link><description>@</description></item>" for n in "ab")
    body = f'<?xml version="1.0" encoding="{declared}"?><rss><channel>{items}</channel></rss>'.encode()
    feed = parse_feed(body.replace(b"@", b"we\xe2\x80 ..."), URL, f"application/rss+xml; charset={declared}")
    assert [entry.title for entry in feed.entries] == ["It’s a", "It’s b"]


def test_wordpress():
    feed = read("wordpress.xml")
    assert (feed.kind, feed.title, feed.home, feed.language) == ("rss", "Blog", "http://blog.example.net/", "en-US")
    assert (feed.generator, feed.is_comments, feed.dropped) == ("https://wordpress.org/?v=6.1", False, 0)
    assert feed.entries == (
        Entry(
            url="http://blog.example.net/2014/05/fish/",
            guid="http://blog.example.net/?p=12",
            title="Fish & chips – a < b",
            authors=("Ann B",),
            published="2014-05-02T08:00:00+00:00",
            tags=("Food", "Uncategorized"),
            content_html="<p>Long &amp; good</p>",
            language="en-US",
            comments_feed="http://blog.example.net/2014/05/fish/feed/",
            comment_count=3,
        ),
    )


def test_blogger():
    feed = read("blogger.xml")
    assert (feed.kind, feed.generator, feed.total) == ("atom", "Blogger 7.00", 51)
    assert feed.next_url == "http://blog.example.net/feeds/posts/default?start-index=26&max-results=25"
    assert feed.entries == (
        Entry(
            url="http://blog.example.net/2014/05/trip.html",
            guid="tag:blogger.com,1999:blog-1.post-2",
            title="A trip",
            authors=("Ann",),
            published="2014-05-02T10:00:00.001-07:00",
            updated="2014-05-03T10:00:00.500-07:00",
            tags=("travel",),
            content_html="<p>Text</p>",
            comments_feed="http://blog.example.net/feeds/2/comments/default",
            comment_count=4,
        ),
    )


def test_rss_1():
    feed = read("rdf.xml")
    assert (feed.kind, feed.language) == ("rdf", "ja")
    assert feed.entries == (
        Entry(
            url="http://blog.example.net/1.html",
            guid="http://blog.example.net/1.html",
            title="One",
            authors=("Ann",),
            published="2004-05-02T10:00+09:00",
            tags=("a",),
            content_html="<p>d</p>",
            is_summary=True,
            language="ja",
        ),
    )


def test_atom_03():
    (entry,) = read("atom03.xml").entries
    assert (entry.published, entry.updated) == ("2004-05-02T10:00:00+02:00", "2004-05-03T08:00:00+00:00")
    assert (entry.content_html, entry.language) == ("<p>Text</p>", "de")


def test_atom_entries():
    feed = read("atom-entries.xml")
    first, second, third = feed.entries
    assert feed.title == "The <b> & Co"
    assert (first.url, first.title, first.authors) == ("http://blog.example.net/1", "An essay", ("Ann",))
    assert first.content_html is not None
    assert "<p>One<br" in first.content_html
    assert (second.url, second.title, second.authors) == (
        "http://blog.example.net/notes/2",
        "Using <T>",
        ("Bob", "Cy"),
    )
    assert (second.language, second.content_html) == ("pt-BR", "<p>a &lt; b</p>\n<p>c</p>")
    assert (third.url, third.title, third.is_summary) == ("http://blog.example.net/3", None, True)
    assert [entry.published for entry in feed.entries] == [entry.updated for entry in feed.entries]


def test_links_are_mended_or_given_up():
    feed = read("links.xml")
    assert [(entry.title, entry.url.removeprefix("http://blog.example.net")) for entry in feed.entries] == [
        ("0", "/a/b"),
        ("1", "/protocol-relative"),
        ("2", "/no-scheme"),
        ("3", "/localhost"),
        ("4", "/no-host"),
        ("5", "/double/slash"),
        ("6", "/undefined-host"),
        ("7", "/sp%20ace/%C3%A9"),
        ("8", "/relative"),
        ("9", "/one-slash"),
        ("10", "/twice"),
        ("11", "/guid"),
        ("12", "/?p=9"),
        ("14", "/original"),
        ("17", "/true"),
        ("18", "/?a=1&utm_source=x&b=2"),
    ]
    assert feed.dropped == 3


def test_a_host_that_a_generator_left_is_the_feeds_own_also_where_that_is_local():
    link = "http://localhost:1313/2020/a-post/"
    (entry,) = parse_feed(rss(link), "http://127.0.0.1:8000/feed.xml").entries
    assert entry.url == "http://127.0.0.1:8000/2020/a-post/"
    (entry,) = parse_feed(rss(link), "http://localhost:8000/feed.xml").entries
    assert entry.url == link


def test_authors_of_rss():
    assert [entry.authors for entry in read("people.xml").entries] == [
        ("Ann B",),
        (),
        ("Ann",),
        ("Ann B",),
        ("Ann",),
        ("Ann", "Bob"),
        ("admin",),
        ("Ann",),
        (),
        ("Ann", "Bob"),
        (),
    ]


@pytest.mark.parametrize(
    ("channel", "item", "editor"),
    [
        ("<managingEditor>mail@example.org (Ann B)</managingEditor>", "", "Ann B"),
        ("<managingEditor>Ann B &lt;mail@example.org&gt;</managingEditor>", "", "Ann B"),
        ("<managingEditor>mail@example.org (Ann B)</managingEditor>", "<author>bo@example.org (Bo)</author>", None),
        ("<managingEditor>mail@example.org (A blog)</managingEditor>", "", None),
        ("<managingEditor>mail@example.org</managingEditor>", "", None),
        ("<webMaster>mail@example.org (Ann B)</webMaster>", "", None),
    ],
)
def test_who_answers_for_a_feed_of_rss_without_authors(channel: str, item: str, editor: str | None) -> None:
    items = f"<item><link>/a</link>{item}</item><item><link>/b</link></item>"
    feed = f"<rss version='2.0'><channel><title>A blog</title><link>/</link>{channel}{items}</channel></rss>"
    told = parse_feed(feed.encode(), "http://blog.example.net/feed", "application/rss+xml").entries
    assert [entry.editor for entry in told] == 2 * [editor]


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("damaged-preamble.xml", ["One"]),
        ("damaged-entities.xml", ["Café &unknown; R & D …"]),
        ("damaged-control.xml", ["One two"]),
        ("damaged-truncated.xml", ["One"]),
        ("damaged-html.xml", ["One", "Two"]),
        ("damaged-junk-after.xml", ["One"]),
        ("encoding-gbk-as-gb2312.xml", ["朱镕基 喆"]),
        ("encoding-utf8-as-latin1.xml", ["Café — naïve"]),
        ("encoding-cp1252-as-latin1.xml", ["“Café”"]),
        ("encoding-utf16.xml", ["Café 日本"]),
        ("encoding-utf16-bare.xml", ["Café 日本"]),
        ("encoding-broken-utf8.xml", ["Café 日本"]),
        ("encoding-koi8.xml", ["Привет, мир"]),
        ("encoding-iso2022jp.xml", ["日本語の題"]),
    ],
)
def test_damaged_feeds(name, titles):
    feed = read(name)
    assert [entry.title for entry in feed.entries] == titles
    assert feed.entries[0].url == "http://blog.example.net/1"


def test_a_declaration_counts_behind_warnings():
    text = '<b>Warning</b>: no file\n<?xml version="1.0" encoding="windows-1257"?><rss><channel><item>'
    text += "<title>Ačiū labai žmonės</title><link>http://blog.example.net/1</link></item></channel></rss>"
    feed = parse_feed(text.encode("cp1257"), "http://blog.example.net/feed", "text/xml")
    assert feed.entries[0].title == "Ačiū labai žmonės"


def test_what_damage_leaves():
    assert read("damaged-entities.xml").entries[0].comment_count == 2
    (first, _) = read("damaged-html.xml").entries
    assert first.published == "2014-05-02T08:00:00+00:00"
    assert first.content_html is not None
    assert "second <b>bold</b>" in first.content_html


@pytest.mark.parametrize(
    ("name", "is_comments"),
    [("comments-wordpress.xml", True), ("comments-atom.xml", True), ("wordpress.xml", False), ("blogger.xml", False)],
)
def test_comment_feeds_are_told_from_posts(name, is_comments):
    assert read(name).is_comments is is_comments


def test_repeated_entries_are_dropped_and_counted():
    feed = read("duplicates.xml")
    assert [entry.title for entry in feed.entries] == ["One", "Two"]
    assert feed.dropped == 2


def test_a_media_title_is_not_the_posts():
    (entry,) = read("untitled.xml").entries
    assert entry.title is None
    assert entry.enclosures == (Enclosure("http://a.example/x.mp3", "audio/mpeg", 1234),)


def test_sounds_and_films_of_media_rss_are_enclosures_and_pictures_are_not():
    item = (
        '<enclosure url="/talk.mp3" type="audio/mpeg" length="9"/><media:content url="/talk.mp3" type="audio/mpeg"/>'
        '<media:group><media:content url="/small.mp4" type="video/mp4" fileSize="7"/></media:group>'
        '<media:content url="/film" medium="video"/><media:content url="/portrait.png" medium="image"/>'
        '<media:content url="/player" type="application/x-shockwave-flash"/><media:thumbnail url="/thumb.png"/>'
    )
    body = (
        '<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>A</title><item><title>One</title>'
        f"<link>http://a.example/one</link>{item}</item></channel></rss>"
    )
    (entry,) = parse_feed(body.encode(), "http://a.example/feed", None).entries
    assert entry.enclosures == (
        Enclosure("http://a.example/talk.mp3", "audio/mpeg", 9),
        Enclosure("http://a.example/small.mp4", "video/mp4", 7),
        Enclosure("http://a.example/film", None, None),
    )


def test_dates_of_rss():
    assert [(entry.published, entry.updated) for entry in read("dates.xml").entries] == [
        ("2014-05-02T08:00:00+02:00", None),
        ("2014-05-02T08:00:00+02:00", "2014-06-01T00:00:00+00:00"),
        ("2014-05-02", None),
        (None, None),
    ]


def test_json_feed():
    feed = read("json-1.1.json")
    assert (feed.kind, feed.title, feed.home) == ("json", "Blog", "http://blog.example.net/")
    assert feed.next_url == "http://blog.example.net/feed.json?page=2"
    assert feed.entries == (
        Entry(
            url="http://blog.example.net/1",
            guid="1",
            title="One & two",
            authors=("Ann",),
            published="2014-05-02T10:00:00+02:00",
            tags=("a", "b"),
            content_html="<p>Text</p>",
            language="en",
            enclosures=(Enclosure("http://blog.example.net/a.mp3", "audio/mpeg", 12),),
        ),
        Entry(
            url="http://blog.example.net/2",
            guid="http://blog.example.net/2",
            authors=("Bob",),
            content_html="<p>a &lt; b</p>",
            language="en",
        ),
    )
    assert feed.dropped == 1


def test_json_feed_1_0_with_nonsense():
    (entry,) = read("json-1.0.json").entries
    assert entry == Entry(
        url="http://blog.example.net/1", guid="5", authors=("Ann",), content_html="<p>s</p>", is_summary=True
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"   ",
        b"<!DOCTYPE html><html><head><title>x</title></head><body><feed></feed></body></html>",
        b"\x89PNG\r\n\x1a\n\x00\x00",
        b'{"items": []}',
        b"[1, 2]",
        b'{"version": "https://jsonfeed.org/version/1.1", "items": ' + b"[" * 100_000,
        b"<rss" + b" a='1'" * 5000 + b"/>",
        b"<?xml version='1.0'?><urlset><url/></urlset>",
        b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Person/></rdf:RDF>',
    ],
)
def test_what_is_no_feed(body):
    with pytest.raises(NotAFeed) as caught:
        parse_feed(body, URL)
    assert caught.value.url == URL
    assert URL in str(caught.value)


@pytest.mark.parametrize("name", ["hostile-entity-bomb.xml", "hostile-external-entity.xml"])
def test_entities_stay_unread(name):
    (entry,) = read(name).entries
    assert entry.content_html is not None
    assert len(entry.content_html) < 100


SIZE = 300_000


@pytest.mark.parametrize(
    "inner",
    [
        "<author>" + "a" * SIZE + "</author>",
        "<category>x</category>" * 10_000,
        "".join(f"<category>{number}</category>" for number in range(10_000)),
        "<description>" + "<![CDATA[" * (SIZE // 9),
        "<b>" * 50_000,
        "<description>" + "&" * SIZE + "</description>",
        "<a " + '"' * SIZE + ">",
        "<title>" + "&lt;b>" * 20_000 + "</title>",
        "<link>http://blog.example.net/" + " \n" * SIZE + "</link>",
        "<pubDate>" + "1 " * SIZE + "</pubDate>",
        "<x:y " + "a='b' " * 150 + "/>",
    ],
    ids=lambda inner: inner[:20],
)
def test_hostile_entries_take_linear_time(inner):
    body = f"<rss><channel><item><link>http://blog.example.net/1</link>{inner}</item></channel></rss>".encode()
    start = time.process_time()
    assert len(parse_feed(body, URL).entries) == 1
    assert time.process_time() - start < 3


def parse_or_refuse(body: bytes) -> Feed | None:
    looks_like_feed(body)
    try:
        return parse_feed(body, URL)
    except NotAFeed:
        return None


RELAXED = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@RELAXED
@given(st.binary(max_size=300), st.sampled_from(["", "<rss>", "<feed>", "{", "<rss><channel><item>", "\xff\xfe"]))
def test_any_bytes_are_a_feed_or_refused(body, start):
    assert parse_or_refuse(start.encode("latin-1") + body) is None or start != "{"


@RELAXED
@given(st.data())
def test_mutated_feeds_are_read_or_refused(data):
    body = (DATA / data.draw(st.sampled_from(FILES))).read_bytes()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(body)))
        end = data.draw(st.integers(start, min(start + 40, len(body))))
        body = body[:start] + data.draw(st.binary(max_size=8) | st.just(body[start:end] * 3)) + body[end:]
    feed = parse_or_refuse(body)
    for entry in feed.entries if feed else ():
        assert entry.url.startswith(("http://", "https://"))
        assert entry.url.isascii()
        assert entry.title is None or entry.title.strip() == entry.title != ""


SOUP = [
    *("<item>", "</item>", "<entry>", "<title>", "</title>", "<link>", "http://a.b/c", "</link>", "<category/>"),
    *("<![CDATA[", "]]>", "<p", ">", "&", "&#0;", "<a:b", " x=", '"', "<!--", "-->", "<?", "</channel>", "é", "<br>"),
    *("<guid isPermaLink=''>", "<author><name>", "<content:encoded>", "<source>", "<image>", "<feed ", " xmlns='"),
]


@RELAXED
@given(st.lists(st.sampled_from(SOUP), max_size=40))
def test_soup_of_tags_is_read_or_refused(pieces):
    parse_or_refuse(("<rss><channel>" + "".join(pieces)).encode())


def test_joint_authors_are_taken_apart() -> None:
    names = ["Ann Lee and Bo Okafor", "Sturm und Drang", "Cy, Ann Lee", "Cy"]
    items = "".join(
        f"<item><link>http://blog.example/{at}</link><dc:creator>{name}</dc:creator></item>"
        for at, name in enumerate(names)
    )
    body = f'<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>{items}</channel></rss>'
    found = parse_feed(body.encode(), "http://blog.example/feed.xml").entries
    assert [entry.authors for entry in found] == [
        ("Ann Lee", "Bo Okafor"),
        ("Sturm und Drang",),
        ("Cy", "Ann Lee"),
        ("Cy",),
    ]


def rss(*links: str) -> bytes:
    items = "".join(f"<item><title>{link[-3:]}</title><link>{link}</link></item>" for link in links)
    return f"<rss version='2.0'><channel><title>B</title><link>{URL}</link>{items}</channel></rss>".encode()


def test_routes_of_one_page_are_posts():
    links = [f"http://blog.example.net/?utm_source=rss#/p/{number}" for number in range(3)]
    urls = [entry.url for entry in parse_feed(rss(*links, "http://blog.example.net/about"), URL).entries]
    assert urls == [
        *(f"http://blog.example.net/%23%2F/p/{number}" for number in range(3)),
        "http://blog.example.net/about",
    ]


@pytest.mark.parametrize(
    "links",
    [
        ["http://e.org/1", "http://e.org/2", "http://e.org/#/portal/signup"],
        ["http://e.org/1#/comments", "http://e.org/2#/comments", "http://e.org/3#/comments"],
        ["http://e.org/2014.html#one", "http://e.org/2014.html#two"],
        ["http://e.org/#/", "http://e.org/#!"],
    ],
)
def test_other_fragments_of_entries_are_as_they_were_written(links):
    assert [entry.url for entry in parse_feed(rss(*links), URL).entries] == links


@pytest.mark.parametrize(("told", "count"), [("999999999", 999999999), ("4294967296", None), ("9" * 18, None)])
def test_a_number_of_comments_that_no_post_has_is_none(told, count):
    said = "<title>a</title><link>http://blog.test/a</link>"
    feed = parse_feed(
        f'<rss version="2.0" xmlns:slash="http://purl.org/rss/1.0/modules/slash/"><channel><item>{said}'
        f"<slash:comments>{told}</slash:comments></item></channel></rss>".encode(),
        "http://blog.test/feed",
    )
    assert [entry.comment_count for entry in feed.entries] == [count]
