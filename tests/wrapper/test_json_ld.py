"""JSON-LD as values with paths."""

from __future__ import annotations

import json
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import parse
from blogcrawler.wrapper.core.json_ld import MAX_VALUES, linked_data
from blogcrawler.wrapper.core.metadata import claims

ARTICLE = {"@type": "BlogPosting", "headline": "A post", "author": {"@type": "Person", "name": "Ann"}}


def read(*scripts: object) -> dict[str, list[str]]:
    texts = [script if isinstance(script, str) else json.dumps(script) for script in scripts]
    markup = "".join(f'<script type="application/ld+json">{text}</script>' for text in texts)
    return dict(linked_data(parse(f"<!DOCTYPE html><title>a</title>{markup}<p>b")))


@pytest.mark.parametrize(
    "data",
    [
        ARTICLE,
        [ARTICLE],
        {"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "name": "A blog"}, ARTICLE]},
        {**ARTICLE, "@type": ["BlogPosting", "Thing"]},
        {**ARTICLE, "@type": "http://schema.org/BlogPosting"},
        f"<!-- {json.dumps(ARTICLE)} -->",
        f"//<![CDATA[\n{json.dumps(ARTICLE)}\n//]]>",
        json.dumps(ARTICLE) + ";",
        json.dumps(ARTICLE).replace("A post", "A\n post"),
    ],
)
def test_forms(data: object) -> None:
    found = read(data)
    assert found["BlogPosting/headline"] == ["A post"]
    assert found["BlogPosting/author/name"] == ["Ann"]


@pytest.mark.parametrize("times", [0, 1, 2, 3])
@pytest.mark.parametrize("text", ["Salt – and pepper", "Ann & Bo", "“L’été”", "a < b > c", "R&D; x & y;"])
def test_values_that_are_escaped_for_html(text: str, times: int) -> None:
    told = text
    for _ in range(times):
        told = escape(told) if times > 1 else told.replace("&", "&amp;").replace("–", "&#8211;").replace("’", "&rsquo;")
    assert read({**ARTICLE, "headline": told, "keywords": [told]})["BlogPosting/keywords"] == [text]
    page = parse(f'<!DOCTYPE html><title>a</title><meta property="og:title" content="{escape(told)}"><p>b')
    assert [claim.value for claim in claims(page, "title")] == [text]


def test_references_are_followed_once() -> None:
    person = {"@type": "Person", "@id": "#ann", "name": "Ann", "knows": {"@id": "#bob"}}
    other = {"@type": "Person", "@id": "#bob", "name": "Bob", "knows": {"@id": "#ann"}}
    found = read({"@graph": [{"@type": "Article", "author": [{"@id": "#ann"}, {"@id": "#bob"}]}, person, other]})
    assert found["Article/author/name"] == ["Ann", "Bob"]
    assert "Article/author/knows/name" not in found


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '"a"', "3", "null", "{}", '{"@graph": 3}', '{"@type": 3, "a": "b"}']
)
def test_nonsense_gives_nothing_or_little(text: str) -> None:
    assert set(read(text)) <= {"Thing/a"}


def test_bounds() -> None:
    found = read({"@type": "A", "many": [str(number) for number in range(5000)], "long": "x" * 5000})
    assert sum(map(len, found.values())) <= MAX_VALUES
    assert "A/long" not in found


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["@id", "@type", "@graph", "name", "author", "s:x", ""]), inner, max_size=4
            )
        ),
        max_leaves=20,
    )
)
def test_anything_is_read(data: object) -> None:
    for path, values in read(json.dumps(data).replace("<", "\\u003c")).items():
        assert "/" in path
        assert all(value.strip() for value in values)
