from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import Link, base_url, canonical, links, parse, resolve
from tests.dom.soup import any_soup

URL = "http://blog.example/2014/post/"

REFERENCES = [
    ("a", "http://blog.example/2014/post/a"),
    ("../b?x=1&y=2#c", "http://blog.example/2014/b?x=1&y=2#c"),
    ("  /a b\t\n", "http://blog.example/a%20b"),
    ("/a\nb", "http://blog.example/ab"),
    ("\x01/x\x00", "http://blog.example/x"),
    ("//other.example", "http://other.example"),
    ("/é?ü=ß#ö", "http://blog.example/%C3%A9?%C3%BC=%C3%9F#%C3%B6"),
    ("http://münchen.example/", "http://xn--mnchen-3ya.example/"),
    ("\\a\\b", "http://blog.example/a/b"),
    ("HTTPS://Blog.example:8080/", "HTTPS://Blog.example:8080/"),
    ("/100%", "http://blog.example/100%"),
    ("", URL),
    ("?page=2", URL + "?page=2"),
    ("http://[::1", None),
    ("http://blog.example:99999/", None),
    ("http://blog.example:port/", None),
    ("http://", None),
    ("http://a b.example/", None),
    ("javascript:void(0)", None),
    ("JaVa\nScript:x", None),
    ("data:text/html,x", None),
    ("mailto:a@b.example", None),
    ("ftp://blog.example/", None),
    ("/" + "x" * 3_000, None),
    ("/\ud800", None),
]


@pytest.mark.parametrize(("reference", "want"), REFERENCES)
def test_resolve(reference: str, want: str | None) -> None:
    got = resolve(reference, URL)
    assert (got.lower() if got and want else got) == (want.lower() if want else None)


@given(st.text(max_size=80) | st.from_regex(r"https?:[/\\]{0,3}[\[\]@:%\w.]{0,12}", fullmatch=True))
def test_resolving_never_raises_and_is_idempotent(reference: str) -> None:
    url = resolve(reference, URL)
    if url is not None:
        assert url.isascii()
        assert url.lower().startswith(("http://", "https://"))
        assert resolve(url, "http://elsewhere.example/") == url


def test_links_in_document_order() -> None:
    tree = parse(
        "<link rel='Alternate  feed' href=/feed><a href=x rel=nofollow> a <b>b</b><br>c</a>"
        "<map><area href=y></map><a name=z>no</a><a href='http://[::1'>no</a><iframe src=//v.example/e></iframe>"
        "<a href='#f'></a>"
    )
    assert links(tree, URL) == [
        Link(url="http://blog.example/feed", text="", rel=("alternate", "feed"), kind="link"),
        Link(url=URL + "x", text="a b c", rel=("nofollow",), kind="a"),
        Link(url=URL + "y", text="", rel=(), kind="area"),
        Link(url="http://v.example/e", text="", rel=(), kind="iframe"),
        Link(url=URL + "#f", text="", rel=(), kind="a"),
    ]


CLICKED = [
    ("<div onclick=\"location.href='/p/x'\">One <b>post</b></div>", "One post"),
    ("<li onclick='window.location = \"../../p/x\"; return false;'>One post</li>", "One post"),
    ("<button onclick=\"stop(event); document.location.assign( '/p/x' )\">One post</button>", "One post"),
    ("<td onclick=\"javascript:self.location.replace('http://blog.example/p/x');\">One post", "One post"),
    ("<a href=# onclick=\"return location='/p/x'\">One post</a>", "One post"),
    ("<a href='javascript:void(0)' onclick=\"top.location.href='/p/x'\">One post</a>", "One post"),
]


@pytest.mark.parametrize(("markup", "text"), CLICKED)
def test_what_leads_on_when_it_is_clicked_is_a_link(markup: str, text: str) -> None:
    cell = f"<table><tr>{markup}</table>" if markup.startswith("<td") else markup
    found = [link for link in links(parse(f"<body>{cell}<a href=/y>y</a>"), URL) if link.url.rstrip("#") != URL]
    assert found == [
        Link("http://blog.example/p/x", text, (), "a"),
        Link("http://blog.example/y", "y", (), "a"),
    ]
    assert all(link.place for link in found)


@pytest.mark.parametrize(
    "handler",
    [
        "window.open('/p/x')",
        "location.href='/p/' + name",
        "location.href='/p/x' + this.id",
        "location.assign('/p/', id)",
        "if (confirm('?')) location.href='/delete'",
        "location.href=`/p/x`",
        "location.href == '/p/x'",
        "mylocation='/p/x'",
        "location.hash='/p/x'",
        "location.href='mailto:a@b.example'",
        "location='javascript:void(0)'",
        "location='/p/\\x27'",
        "share('location.href', '/p/x')",
        "",
    ],
)
def test_other_handlers_are_none(handler: str) -> None:
    tree = parse("<body><p>x")
    tree.find("body/p").set("onclick", handler)
    assert links(tree, URL) == []


def test_a_link_that_is_counted_when_it_is_clicked_leads_where_it_says() -> None:
    tree = parse("<a href=/p/x onclick=\"location.href='/count'\">x</a>")
    assert [link.url for link in links(tree, URL)] == ["http://blog.example/p/x"]


ROW = "<table><tr data-href=/p/x><td>One post</table>"


@pytest.mark.parametrize(
    ("script", "count"),
    [
        ("$('tr').click(function () { window.location = $(this).data('href') })", 1),
        ("row.onclick = () => { location.href = row.dataset.href }", 1),
        ("on(row, () => location.assign(row.getAttribute('data-href')))", 1),
        ("like(row.dataset.href)", 0),
        ("location.href = '/'", 0),
    ],
)
def test_attributes_are_links_where_a_script_leads_there(script: str, count: int) -> None:
    tree = parse(f"<body>{ROW}<script>{script}</script>")
    assert [link.url for link in links(tree, URL)] == ["http://blog.example/p/x"] * count


def test_frames_are_links() -> None:
    assert [link.kind for link in links(parse("<frameset><frame src=a><frame src=b></frameset>"), URL)] == [
        "iframe"
    ] * 2


def test_links_are_bounded() -> None:
    tree = parse("<p>" + "<a href=x>" + "w" * 300 + "</a>" + "<a href=y>z</a>" * 9_000)
    found = links(tree, URL)
    assert len(found) == 5_000
    assert found[0].text == "w" * 200


@pytest.mark.parametrize(
    ("head", "want"),
    [
        ("", URL),
        ("<base href=/other/>", "http://blog.example/other/"),
        ("<base target=_top><base href='//cdn.example/'><base href=/second/>", "http://cdn.example/"),
        ("<base href='javascript:1'>", URL),
        ("<base href='http://[::1'>", URL),
    ],
)
def test_base(head: str, want: str) -> None:
    assert base_url(parse(head + "<p>x"), URL) == want


def test_links_honour_base() -> None:
    assert links(parse("<base href=/b/><a href=x>"), URL)[0].url == "http://blog.example/b/x"


@pytest.mark.parametrize(
    ("html", "want"),
    [
        ("<link rel=canonical href=/p>", "http://blog.example/p"),
        ("<link rel='x Canonical' href=/p><link rel=canonical href=http://blog.example/p>", "http://blog.example/p"),
        ("<link rel=canonical href=/p><link rel=canonical href=/q>", None),
        ("<body>x<link rel=canonical href=/p>", None),
        ("<noscript><link rel=canonical href=/p></noscript>", None),
        ("<link rel=canonical href=''>", None),
        ("<link rel=canonical href='mailto:x'>", None),
        ("<p>x", None),
    ],
)
def test_canonical(html: str, want: str | None) -> None:
    assert canonical(parse(html), URL) == want


@given(any_soup)
def test_any_page(html: str) -> None:
    tree = parse("<body>" + html)
    assert all(link.url.lower().startswith("http") for link in links(tree, URL))
    canonical(tree, URL)


def test_linear() -> None:
    begin = time.process_time()
    links(parse("<a href=x>" * 1_900 + "<b>y</b>" * 30_000), URL)
    links(parse("<a href='" + " " * 500_000 + "x'>y</a>" * 8), URL)
    links(parse("<i onclick='" + "; location" * 500 + "'>" * 1_900 + "<b onclick=location=0>y</b>" * 10_000), URL)
    links(parse("<i data-href=/x>" * 1_900 + "<script>" + "location " * 300_000 + "</script>"), URL)
    assert time.process_time() - begin < 3


def test_on_a_page_at_a_route_links_to_others_are_paths_and_what_is_shown_is_as_the_blog_writes_it():
    url = "http://blog.example/app/%23%2F/2014/a"
    tree = parse("<a href='#/b'>b</a><a href='/app/%23%2F/c'>c</a><a href='d'>d</a><a href='#more'>e</a>")
    found = [link.url for link in links(tree, url)]
    assert found == [
        "http://blog.example/app/%23%2F/b",
        "http://blog.example/app/%23%2F/c",
        "http://blog.example/app/d",
        "http://blog.example/app/#more",
    ]
    assert [link.url for link in links(tree, "http://blog.example/app/")][:1] == ["http://blog.example/app/#/b"]
    assert resolve("#/b", url) == resolve("/app/%23%2F/b", url) == "http://blog.example/app/#/b"
    assert resolve("x.png", url) == "http://blog.example/app/x.png"
