"""SURT keys. The examples are those of the Internet Archive's own tests of its key maker."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.sources.surt import cased_key, key_ranges, surt_key

EXAMPLES = {
    "http://www.archive.org/": "org,archive)/",
    "http://archive.org:/": "org,archive)/",
    "http://archive.org/goo/": "org,archive)/goo",
    "http://archive.org/goo/?": "org,archive)/goo",
    "http://archive.org/goo/?b&a": "org,archive)/goo?a&b",
    "http://archive.org/goo/?a=2&b&a=1": "org,archive)/goo?a=1&a=2&b",
    "http://archive.org/index.php?PHPSESSID=0123456789abcdefghijklemopqrstuv&action=profile;u=4221": "org,archive)/index.php?action=profile;u=4221",
    "https://34.203.211.192/robots.txt": "192,211,203,34)/robots.txt",
    "https://[2600:1f18:200d:fb00:2b74:867c:ab0c:150a]/robots.txt": "2600:1f18:200d:fb00:2b74:867c:ab0c:150a)/robots.txt",
    "http://1kr.ua/newslist.html?tag=%E4%EE%F8%EA%EE%EB%FC%ED%EE%E5": "ua,1kr)/newslist.html?tag=%e4%ee%f8%ea%ee%eb%fc%ed%ee%e5",
    "http://www.aluroba.com/tags/%C3%CE%CA%C7%D1%E5%C7.htm": "com,aluroba)/tags/%c3%ce%ca%c7%d1%e5%c7.htm",
    # ours
    "http://www2.example.org:8080/A/../B/./c//d": "org,example:8080)/b/c/d",
    "http://example.org/a;jsessionid=0123456789abcdefghijklemopqrstuv": "org,example)/a",
    "http://example.org/(S(0123456789abcdefghijklem))/a.aspx": "org,example)/a.aspx",
    "http://b\u00fccher.example/\u00e4": "example,xn--bcher-kva)/%c3%a4",
    "http://ann:secret@example.org?q=1#c": "org,example)/?q=1",
    "mailto:ann": "mailto:ann",
}
HOSTS = st.from_regex(r"[a-z]{1,8}(\.[a-z0-9]{1,8}){1,3}", fullmatch=True).filter(
    lambda host: not host.startswith("www")
)
PATHS = st.from_regex(r"(/[A-Za-z0-9_~%é.-]{0,8}){1,4}", fullmatch=True)
PARAMETERS = st.lists(st.from_regex(r"[a-z]{1,4}=[A-Za-z0-9]{0,4}", fullmatch=True), min_size=1, max_size=4)


@pytest.mark.parametrize(("url", "key"), EXAMPLES.items())
def test_examples(url, key):
    assert surt_key(url) == key


@given(HOSTS, PATHS, PARAMETERS, st.data())
def test_spellings_of_an_address_have_one_key(host, path, parameters, data):
    key = surt_key(f"http://{host}{path}?{'&'.join(parameters)}")
    scheme, port = data.draw(st.sampled_from([("http", ""), ("http", ":80"), ("https", ":443"), ("HTTPS", "")]))
    www = data.draw(st.sampled_from(["", "www.", "www2.", "WWW."]))
    query = "&".join(data.draw(st.permutations(parameters)))
    assert surt_key(f"{scheme}://{www}{host.upper()}{port}{path}/?{query}#part") == key


@given(HOSTS, PATHS)
def test_letter_case_is_in_the_cased_key_alone(host, path):
    url = f"http://{host}{path.replace('é', 'e')}"
    assert cased_key(url).lower() == surt_key(url) == surt_key(url.swapcase())


@given(HOSTS, PATHS, PATHS, PARAMETERS)
def test_pages_of_a_folder_are_in_its_ranges(host, folder, path, parameters):
    home = f"http://{host}{folder}"
    for url in (home, f"{home}?{parameters[0]}", f"{home}/x{path}"):
        if "/." not in url:
            assert any(first <= surt_key(url) < after for first, after in key_ranges(home)), url
    for other in (f"http://x{host}{folder}", f"http://{host}.x{folder}"):
        assert not any(first <= surt_key(other) < after for first, after in key_ranges(home))


@given(st.text())
def test_any_text_has_a_key_without_spaces_in_urls(text):
    assert surt_key(text) == surt_key(text)
    assert not {" ", "\n"} & set(surt_key(f"http://example.org/{text}"))
