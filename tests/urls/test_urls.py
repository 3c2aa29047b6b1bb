"""URLs: tables of what is found in the wild, and properties of what might be."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.errors import BadArgument
from blogcrawler.urls import (
    Scope,
    canonicalise,
    identity,
    is_http,
    is_page_like,
    leads_back,
    origin,
    parse_start_url,
    resolve,
    same_site,
)

CANONICAL = [
    ("HTTP://Example.ORG", "http://example.org/"),
    ("http://example.org:80/a", "http://example.org/a"),
    ("https://example.org:443/a", "https://example.org/a"),
    ("http://example.org:8080/a", "http://example.org:8080/a"),
    ("https://example.org:80/a", "https://example.org:80/a"),
    ("http://example.org./a", "http://example.org/a"),
    ("http://user:secret@example.org/a", "http://example.org/a"),
    ("http://example.org/a#more-12", "http://example.org/a"),
    ("http://example.org?x=1", "http://example.org/?x=1"),
    ("http://example.org/a/", "http://example.org/a/"),
    ("http://example.org/%7eann/", "http://example.org/~ann/"),
    ("http://example.org/%d0%b0%2fb", "http://example.org/%D0%B0%2Fb"),
    ("http://example.org/статья", "http://example.org/%D1%81%D1%82%D0%B0%D1%82%D1%8C%D1%8F"),
    ("http://example.org/a b?c=d e", "http://example.org/a%20b?c=d%20e"),
    ("http://example.org/100%-sure", "http://example.org/100%25-sure"),
    ("http://example.org/a/./b/../c", "http://example.org/a/c"),
    ("http://example.org/a/%2E%2e/b/%2e", "http://example.org/b/"),
    ("http://example.org/a/..", "http://example.org/"),
    ("http://example.org/profit-%26-loss/c%2b%2b", "http://example.org/profit-%26-loss/c%2B%2B"),
    ("http://example.org/profit-&-loss/c++", "http://example.org/profit-&-loss/c++"),
    (
        "http://example.org/%21%24%27%28%29%2A%2C%3A%3B%3D%40%5B%7C%2D%5f",
        "http://example.org/%21%24%27%28%29%2A%2C%3A%3B%3D%40%5B%7C-_",
    ),
    ("http://example.org/?q=c%2B%2B&u=a%26b%3dc%3A", "http://example.org/?q=c%2B%2B&u=a%26b%3Dc%3A"),
    ("http://example.org/a+b?q=c+d", "http://example.org/a+b?q=c+d"),
    ("http://example.org/../../a", "http://example.org/a"),
    ("http://example.org/a\n/b\t", "http://example.org/a/b"),
    (" http://example.org/a ", "http://example.org/a"),
    ("http:\\\\example.org\\a", "http://example.org/a"),
    ("http:/example.org/a", "http://example.org/a"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://straße.example/", "http://xn--strae-oqa.example/"),
    ("http://i❤.ws/", "http://xn--i-7iq.ws/"),
    ("http://[::0:1]:8000/", "http://[::1]:8000/"),
    ("http://example.org/?b=2&a=1", "http://example.org/?b=2&a=1"),
    ("http://example.org/?2014/05/slug", "http://example.org/?2014/05/slug"),
    ("http://example.org/?a=1&amp;b=2", "http://example.org/?a=1&b=2"),
    ("http://example.org/?&&a=1&", "http://example.org/?a=1"),
    ("http://example.org/?", "http://example.org/"),
]

NOISE = [
    "utm_source=rss&utm_medium=feed",
    "UTM_Campaign=x",
    "fbclid=IwAR0",
    "replytocom=12",
    "share=twitter&nb=1",
    "PHPSESSID=abc",
    "sid=0123456789abcdef0123456789abcdef",
    "m=1",
    "showComment=1204",
    "amp=1",
    "source=rss----4",
]

MEANT = ["p=12", "page=2", "sid=1234", "s=search", "cat=3", "m=201405", "print=12", "source=ann", "lang=de", "cpage=2"]


@pytest.mark.parametrize(("url", "expected"), CANONICAL, ids=[url for url, _ in CANONICAL])
def test_canonical_form(url: str, expected: str) -> None:
    assert canonicalise(url) == expected


@pytest.mark.parametrize("query", NOISE)
def test_noise_is_dropped(query: str) -> None:
    assert canonicalise(f"http://example.org/a?{query}") == "http://example.org/a"
    assert canonicalise(f"http://example.org/a?p=1&{query}&q=2") == "http://example.org/a?p=1&q=2"


@pytest.mark.parametrize("query", MEANT)
def test_meaning_is_kept(query: str) -> None:
    assert canonicalise(f"http://example.org/a?{query}").endswith(f"?{query}")


def test_session_in_the_path_is_dropped() -> None:
    assert canonicalise("http://example.org/a;jsessionid=1A2B.node1?p=1") == "http://example.org/a?p=1"
    assert canonicalise("http://example.org/a;v=1/b") == "http://example.org/a;v=1/b"


@pytest.mark.parametrize(
    "folder",
    [
        "(S(lit3py55t21z5v55vlm25s55))",
        "%28S%28lit3py55t21z5v55vlm25s55%29%29",
        "(X(1)S(lit3py55t21z5v55vlm25s55))",
        "(A(jM4e0nXGywEkAAAAZmQ5)S(lit3py55t21z5v55vlm25s55))",
        "(F(mhQ0_zJ2oLwAAAAZmQ5ODk0ZmQ))",
    ],
)
def test_folders_that_hold_a_session_are_dropped(folder: str) -> None:
    assert (
        canonicalise(f"http://example.org/{folder}/2014/a-post.aspx?p=1") == "http://example.org/2014/a-post.aspx?p=1"
    )
    assert canonicalise(f"http://example.org/blog/{folder}/") == "http://example.org/blog/"
    assert canonicalise(f"http://example.org/{folder}") == "http://example.org/"


@pytest.mark.parametrize(
    "path", ["(S(short))/a", "f(x)/a", "S(lit3py55t21z5v55vlm25s55)/a", "notes-(S(lit3py55t21z5v55vlm25s55))"]
)
def test_other_parentheses_are_kept(path: str) -> None:
    assert canonicalise(f"http://example.org/{path}") == f"http://example.org/{path}"


NO_HTTP_URLS = [
    *("", "a", "/a", "//example.org/a", "ftp://example.org/", "mailto:a@example.org", "javascript:void(0)", "data:,a"),
    *("http://", "http:///", "http://exa mple.org/", "http://example.org:99999/", "http://example.org:x/"),
    *("http://[::1/", "http://a..b/", f"http://{'a' * 64}.org/", "http://<b>/", f"http://{'ä' * 400}.org/"),
]


@pytest.mark.parametrize("url", NO_HTTP_URLS)
def test_no_http_url(url: str) -> None:
    assert not is_http(url)
    with pytest.raises(BadArgument) as caught:
        canonicalise(url)
    assert str(caught.value).endswith(".")


any_url = st.builds(
    "http{}://{}/{}".format, st.sampled_from(["", "s"]), st.sampled_from(["e.org", "www.e.org"]), st.text()
)


@given(any_url | st.text().map("http://{}".format) | st.text())
def test_canonical_form_is_stable(url: str) -> None:
    try:
        once = canonicalise(url)
    except BadArgument:
        return
    assert canonicalise(once) == once
    assert once.isascii()
    assert "#" not in once
    assert " " not in once
    assert identity(once) == identity(url)


@given(st.text())
def test_only_our_error(text: str) -> None:
    try:
        url = parse_start_url(text)
    except BadArgument:
        return
    assert is_http(url)


@given(st.text(), st.text())
def test_links_resolve_or_not(base: str, link: str) -> None:
    resolved = resolve(f"http://example.org/{base}", link)
    assert resolved is None or canonicalise(resolved) == resolved


@pytest.mark.parametrize("piece", ["%", "%41", "a/../", "&a=1", ";sid=1", "(S(", "/(A()", "://", "[", "ä", "@", ":"])
def test_long_urls_take_linear_time(piece: str) -> None:
    start = time.process_time()
    for url in (
        f"http://example.org/{piece * 100_000}",
        f"http://{piece * 100_000}",
        f"http://e.org/?{piece * 100_000}",
    ):
        is_http(url)
        same_site(url, url)
        is_page_like(url)
        resolve(url, url)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("http://example.org/a", "https://www.example.org/a", True),
        ("http://example.org/?a=1&b=2", "http://example.org/?b=2&a=1", True),
        ("http://example.org/a/index.html", "http://example.org/a/", True),
        ("http://example.org/index.php?p=1", "http://example.org/?p=1", True),
        ("http://ann.blogspot.co.uk/a.html?m=1", "http://ann.blogspot.com/a.html", True),
        ("http://example.org/a", "http://example.org/a/", False),
        ("http://example.org/A", "http://example.org/a", False),
        ("http://blog.example.org/a", "http://example.org/a", False),
        ("http://example.org/?p=1", "http://example.org/?p=2", False),
        ("http://example.org/my-index.html", "http://example.org/my-", False),
        ("http://example.org/c%2b%2b/%28a%29", "http://example.org/c++/(a)", True),
        ("http://example.org/a%2Fb", "http://example.org/a/b", False),
        ("http://example.org/a%3Fb", "http://example.org/a?b", False),
        ("http://example.org/?a=b%26c=d", "http://example.org/?a=b&c=d", False),
        ("http://example.org/?a=b%2Bc", "http://example.org/?a=b+c", False),
    ],
)
def test_identity(a: str, b: str, same: bool) -> None:
    assert (identity(a) == identity(b)) is same


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("http://example.org/a", "https://www.EXAMPLE.org/b", True),
        ("http://blog.example.org/", "http://www.example.org/", False),
        ("http://ann.blogspot.de/", "http://ann.blogspot.com.br/", True),
        ("http://ann.blogspot.de/", "http://bob.blogspot.de/", False),
        ("http://blogspot.de.example.org/", "http://blogspot.com.example.org/", False),
        ("http://127.0.0.1:8801/", "http://127.0.0.1:8802/", False),
        ("http://example.org:80/", "https://example.org:443/", True),
        ("mailto:a@example.org", "http://example.org/", False),
    ],
)
def test_same_site(a: str, b: str, same: bool) -> None:
    assert same_site(a, b) is same
    assert same_site(b, a) is same


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://example.com", True),
        ("http://example.org/", True),
        ("http://example.org/a", True),
        ("http://example.org/a.html", True),
        ("http://example.org/a.php?file=b.jpg", True),
        ("http://example.org/2014/node.js/", True),
        ("http://example.org/version-2.0", True),
        ("http://example.org/a.JPG", False),
        ("http://example.org/a.jpg?w=300#b", False),
        ("http://example.org/style.css", False),
        ("http://example.org/a.tar.gz", False),
        ("http://example.org/feed.xml", False),
    ],
)
def test_page_like(url: str, expected: bool) -> None:
    assert is_page_like(url) is expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("example.org", "http://example.org/"),
        ("http://example.org", "http://example.org/"),
        (" HTTPS://Example.org/a b ", "https://example.org/a%20b"),
        ("<http://example.org/>", "http://example.org/"),
        ("//example.org/blog", "http://example.org/blog"),
        ("example.org:8080/blog", "http://example.org:8080/blog"),
        ("localhost:8000", "http://localhost:8000/"),
        ("http://intranet/blog/", "http://intranet/blog/"),
        ("127.0.0.1:8801", "http://127.0.0.1:8801/"),
        ("[::1]:8801", "http://[::1]:8801/"),
        ("www.пример.рф", "http://www.xn--e1afmkfd.xn--p1ai/"),
        ("feed://example.org/feed/", "http://example.org/feed/"),
        ("feed:https://example.org/feed/", "https://example.org/feed/"),
        ("example.org/?p=1#top", "http://example.org/?p=1"),
    ],
)
def test_start_url(typed: str, expected: str) -> None:
    assert parse_start_url(typed) == expected


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("", "No address was given"),
        (" \n", "No address was given"),
        ("ftp://example.org/", '"ftp:" cannot be crawled'),
        ("file:///etc/passwd", '"file:" cannot be crawled'),
        ("javascript:alert(1)", '"javascript:" cannot be crawled'),
        ("http://", "no host name"),
        ("my blog", "no host name"),
        ("/var/www", "no host name"),
        ("exa mple.org", "space in the host name"),
        ("http://exa mple.org/", "space in the host name"),
        ("example.org:99999", "ports are numbers"),
        ("http://example.org:eighty/", "ports are numbers"),
        ("http://ann:secret@example.org/", "user name"),
        ("http://exam!ple.org/", "not a host name"),
    ],
)
def test_unusable_start_url(typed: str, hint: str) -> None:
    with pytest.raises(BadArgument, match=hint) as caught:
        parse_start_url(typed)
    assert "secret" not in str(caught.value)


def test_error_messages_are_short_and_printable() -> None:
    with pytest.raises(BadArgument) as caught:
        parse_start_url("\x1b[31mftp://" + "x" * 5000)
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("base", "link", "expected"),
    [
        ("http://example.org/a/b", "c", "http://example.org/a/c"),
        ("http://example.org/a/b", " /c#d ", "http://example.org/c"),
        ("http://example.org/a/b", "?page=2", "http://example.org/a/b?page=2"),
        ("https://example.org/", "//example.com/a", "https://example.com/a"),
        ("http://example.org/a", "", "http://example.org/a"),
        ("http://example.org/a", "mailto:ann@example.org", None),
        ("http://example.org/a", "http://[", None),
    ],
)
def test_resolve(base: str, link: str, expected: str | None) -> None:
    assert resolve(base, link) == expected


class TestScope:
    def test_blog_on_its_own_site(self) -> None:
        scope = Scope.of("http://www.example.org/", ["http://example.org/a", "http://example.org/b"])
        assert scope.covers("https://example.org/c")
        assert not scope.covers("http://other.org/c")
        assert not scope.covers("http://shop.example.org/c")
        assert not scope.covers("mailto:a@example.org")

    def test_posts_on_another_host_of_the_domain(self) -> None:
        links = ["http://blog.example.org/a", "http://blog.example.org/b", "http://elsewhere.com/c"]
        scope = Scope.of("http://example.org/", links)
        assert scope.covers("http://blog.example.org/old")
        assert not scope.covers("http://elsewhere.com/old")

    def test_a_link_blog_does_not_lead_away(self) -> None:
        links = ["http://news.com/1", "http://news.com/2", "http://news.com/3", "http://a.com/", "http://b.com/"]
        links += [f"http://example.org/{n}" for n in range(3)]
        assert not Scope.of("http://example.org/", links).covers("http://news.com/4")

    def test_hosts_of_a_platform_are_strangers(self) -> None:
        links = ["http://bob.github.io/1", "http://bob.github.io/2", "http://ann.github.io/1", "http://ann.github.io/2"]
        assert not Scope.of("http://ann.github.io/", links).covers("http://bob.github.io/3")

    def test_junk(self) -> None:
        assert Scope.of("http://example.org/", ["", "http://[", "x:y"]).sites == ("example.org",)
        with pytest.raises(BadArgument):
            Scope.of("nowhere")


def test_hosts_of_versions_in_other_languages_belong_to_the_blog() -> None:
    versions = ["http://zh.example.org/", "http://zh.example.net/", "mailto:a@example.org"]
    assert Scope.of("http://blog.example.org/", versions=versions).sites == ("blog.example.org", "zh.example.org")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/a/b?c=//d/", "https://example.org"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://example.org", "http://example.org"),
    ],
)
def test_origin(url: str, expected: str) -> None:
    assert origin(url) == expected


@pytest.mark.parametrize(
    ("url", "link", "expected"),
    [
        ("http://blog.test/a/", "https://www.blog.test/a?utm_source=rss#more", True),
        ("http://blog.test/a/", "../a/", True),
        ("http://blog.test/a/", "/", False),
        ("http://blog.test/a/", "mailto:ann@blog.test", False),
        ("tag:blog.test,2013:a", "http://blog.test/a/", False),
        ("", "a", False),
    ],
)
def test_links_that_lead_back(url: str, link: str, expected: bool) -> None:
    assert leads_back(url, link) is expected
