"""Tokens in all addresses of a site, and what looks like them."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from blogcrawler.frontier.token_place import Carried, SessionPlace, carried_by_all, is_token
from blogcrawler.serialise import dump, load

E = "http://example.org"
ONE, OTHER = "8f3a9c1e7b2d4f60a1", "03bd77f2e94c1a5586"
PATHS = ["/", "/2014/05/a-post/", "/2014/06/another-post/", "/about", "/tags?name=trains", "/page/2/"]


def carrying(form: str, token: str, paths: list[str] = PATHS) -> list[str]:
    """Links of a page; `form` is of a path ("{}" is the token, "…" the path) or of a parameter."""
    if form.startswith("?"):
        return [f"{E}{path}{'&' if '?' in path else '?'}{form[1:].format(token)}" for path in paths]
    return [E + form.format(token).replace("…", path) for path in paths]


def place_of(form: str, one: str = ONE, other: str = OTHER) -> SessionPlace:
    pages = [carried_by_all(carrying(form, token), f"{E}/") for token in (one, other)]
    first = next(carried for carried in pages[0] if is_token(carried.text))
    found = SessionPlace.of(first, next(carried for carried in pages[1] if carried[:3] == first[:3]))
    assert found is not None
    return found


FORMS = ["/s-{}…", "/{}…", "/sid/{}…", "/(S({}))…", "/blog/{}…", "?zz={}", "?zz=x.{}"]


@pytest.mark.parametrize("form", FORMS)
def test_addresses_lose_their_token_and_get_one(form: str) -> None:
    place = place_of(form)
    for url, again in zip(carrying(form, ONE), carrying(form, OTHER), strict=True):
        clean = place.without(url)
        assert place.token_of(url) == ONE
        assert ONE not in clean
        assert place.without(again) == clean
        assert place.token_of(clean) is None
        assert place.without(clean) == clean
        assert place.with_token(url, OTHER) == again
        assert place.with_token(clean, OTHER) == again


def test_a_label_goes_with_its_token() -> None:
    place = SessionPlace(**{**dump(place_of("/sid/{}…")), "has_label": True})
    for path, url in zip(PATHS, carrying("/sid/{}…", ONE), strict=True):
        assert place.without(url) == E + path
        assert place.with_token(E + path, ONE) == url


@pytest.mark.parametrize("form", FORMS)
def test_documents_lose_their_tokens(form: str) -> None:
    place = place_of(form)
    for link in ('<a href="{}">', "<loc>{}</loc>", '"url": "{}",'):
        urls, others = carrying(form, ONE), [place.without(url) for url in carrying(form, ONE)]
        text, expected = ("\n".join(link.format(url) for url in of) for of in (urls, others))
        body = text.encode()
        assert place.tokens_in(body) == [ONE]
        assert place.cleaned(body, [ONE]) == expected.encode()
        assert place.cleaned(body, [ONE], OTHER) == text.replace(ONE, OTHER).encode()
        assert place.cleaned(expected.encode(), place.tokens_in(expected.encode())) == expected.encode()


def test_documents_in_all_spellings() -> None:
    place = place_of("/s-{}…")
    body = rf"""{{"a": "http:\/\/example.org\/s-{ONE}\/2014\/"}} &lt;a href=&quot;/s-{ONE}/x&quot;&gt; '/s-{ONE}'""".encode()
    assert place.tokens_in(body) == [ONE]
    assert place.cleaned(body, [ONE]) == rb"""{"a": "http:\/\/example.org\/2014\/"} &lt;a href=&quot;/x&quot;&gt; '/'"""
    place = place_of("?zz={}")
    body = f"""<a href="/?a=1&amp;zz={ONE}"> "/?zz={ONE}&amp;a=1" '/?a=1&zz={ONE}&b=2' "/?zz={ONE}" """.encode()
    assert place.cleaned(body, [ONE]) == b"""<a href="/?a=1"> "/?a=1" '/?a=1&b=2' "/" """


def test_other_hosts_and_other_folders_are_left_alone() -> None:
    place = place_of("/{}…")
    for url in (f"http://other.org/{ONE}/a", f"{E}/img/{ONE}/a.png", f"{E}/{ONE}.png", f"{E}/{ONE}{ONE}{ONE}/"):
        assert place.without(url) == url
        body = f'<a href="{url}">'.encode()
        assert place.cleaned(body, [OTHER]) == body
    assert place.cleaned(f'"/{ONE}.png"'.encode(), [ONE]) == f'"/{ONE}.png"'.encode()


@pytest.mark.parametrize("text", [ONE, "s-8f3a9c1e", "(S(lit3py55t21z5v55vlm25s55))", "DtEEwMXbAZYMpYYZn99J1B"])
def test_tokens(text: str) -> None:
    assert is_token(text)


@pytest.mark.parametrize(
    "text",
    [
        "2014",
        "20140502",
        "2014-05-02",
        "archive",
        "weblog2014",
        "my-first-post",
        "10-tips-for-2-dogs-in-2014",
        "page-12",
    ],
)
def test_words_are_no_tokens(text: str) -> None:
    assert not is_token(text)


slugs = st.from_regex(r"[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,5}", fullmatch=True)
days = st.dates().map("{:%Y/%m/%d}".format)
hashes = st.from_regex(r"[0-9a-f]{8,40}", fullmatch=True)
tokens = st.builds(lambda uuid, length: uuid.hex[:length], st.uuids(), st.integers(28, 32)).filter(is_token)
ids = st.from_regex(r"[0-9A-Za-z_-]{8,22}", fullmatch=True)
names = st.one_of(slugs, hashes, ids, st.uuids().map(str), st.integers(1, 10**8).map(str))
permalinks = st.one_of(
    names.map("/{}".format),
    names.map("/p/{}/".format),
    st.builds("/{}/{}.html".format, days, slugs),
    st.builds("/{}-{}".format, slugs, hashes),
    names.map("/read?id={}".format),
)


@given(st.lists(permalinks, min_size=4, max_size=30, unique=True))
def test_permalinks_are_no_sessions(paths: list[str]) -> None:
    """What all links share and has the form of a token is a folder, at most, which two fetches do not change."""
    carried = carried_by_all([E + path for path in paths], E)
    for one in carried:
        assert sum(one.text in path for path in paths) >= 0.8 * len(paths)


@given(st.lists(names, min_size=5, max_size=30, unique=True))
def test_names_that_differ_are_not_carried(found: list[str]) -> None:
    for form in ("/{}", "/p/{}/", "/{}.html", "/read?id={}", "/2014/{}/"):
        carried = carried_by_all([E + form.format(name) for name in found], E)
        assert {one.text for one in carried} <= {"p", "2014", "read"}


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(tokens, tokens, st.lists(permalinks, min_size=4, max_size=12, unique=True), st.sampled_from(FORMS))
def test_addresses_are_the_same_after_each_fetch(one: str, other: str, paths: list[str], form: str) -> None:
    assume(one != other)
    pages = [carrying(form, token, paths) for token in (one, other)]
    carried = [
        next(it for it in carried_by_all(page, E) if token in it.text)
        for page, token in zip(pages, (one, other), strict=True)
    ]
    place = SessionPlace.of(*carried)
    assert place is not None
    assert [place.without(url) for url in pages[0]] == [place.without(url) for url in pages[1]]
    assert [place.with_token(url, other) for url in pages[0]] == pages[1]


@given(st.binary(max_size=300), st.sampled_from(FORMS))
def test_any_document(body: bytes, form: str) -> None:
    place = place_of(form)
    assert place.cleaned(body, place.tokens_in(body)) == body or place.tokens_in(body)
    assert load(SessionPlace, dump(place)) == place


@pytest.mark.parametrize("form", ["/s-{}…", "/sid/{}…", "?zz={}"])
@pytest.mark.parametrize("piece", [b"/", b'"/', b"?zz=", b"&zz=a", b'="/s-8f3a9c1e', b"http://example.org", b"\\/"])
def test_long_documents_take_linear_time(piece: bytes, form: str) -> None:
    place, start = place_of(form), time.process_time()
    body = piece * 200_000
    place.cleaned(body, place.tokens_in(body))
    assert time.process_time() - start < 5


def test_permalinks_that_look_like_tokens_stay_in_documents() -> None:
    place = place_of("/{}…")
    urls = "".join(f"<loc>{E}/{number:018x}/</loc>" for number in range(10**20, 10**20 + 10**18, 10**17))
    assert place.tokens_in(urls.encode()) == []


def test_tokens_without_end_take_linear_time() -> None:
    place, start = place_of("/s-{}…"), time.process_time()
    body = "".join(f'<a href="/s-a1b2c3{number:012x}/">' for number in range(50_000)).encode()
    assert place.cleaned(body, place.tokens_in(body)) == b'<a href="/">' * 50_000
    assert time.process_time() - start < 5


def test_one_page_alone() -> None:
    place = SessionPlace.of(Carried("example.org", "", "", f"(S({ONE}))"))
    assert place is not None
    assert place.without(f"{E}/(S({ONE}))/a") == f"{E}/a"
