"""JSON-LD: one graph of blogs, posts and comments, in which each reference leads somewhere."""

from __future__ import annotations

import json

import pytest

from blogcrawler.export import FORMATS, Selection
from tests.export.archives import ANN, BO, DIGEST, KETTLE, ODD, URLS, filled


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jsonld")
    with filled(folder) as archive:
        FORMATS["jsonld"].export(Selection.of(archive), str(folder / "posts.jsonld"))
    document = json.loads((folder / "posts.jsonld").read_bytes())
    assert document["@context"] == "https://schema.org"
    return document["@graph"]


def of_type(graph, name):
    return {node["@id"]: node for node in graph if node["@type"] == name}


def test_each_blog_and_each_post_is_a_node(graph):
    assert list(of_type(graph, "Blog")) == [ANN, BO]
    assert list(of_type(graph, "BlogPosting")) == URLS
    assert graph[0] == {"@type": "Blog", "@id": ANN, "url": ANN, "name": "Ann's tea", "inLanguage": "en"}


def test_a_post_in_the_words_of_schema_org(graph):
    url = f"{BO}b"
    assert of_type(graph, "BlogPosting")[url] == {
        "@type": "BlogPosting",
        "@id": url,
        "url": url,
        "mainEntityOfPage": url,
        "identifier": "tag:b",
        "isPartOf": {"@id": BO},
        "headline": "Post b",
        "author": [{"@type": "Person", "name": "Ann"}, {"@type": "Person", "name": "Bo"}],
        "datePublished": "2014-05-02T10:00:00+02:00",
        "dateModified": "2014-06-01",
        "keywords": ["tea", "green tea"],
        "inLanguage": "en",
        "articleBody": "Water for b\n\nBoil it.",
        "commentCount": 3,
        "comment": [
            {
                "@type": "Comment",
                "@id": f"{url}#c1",
                "identifier": "c1",
                "genre": "comment",
                "author": {"@type": "Person", "name": "Cy", "url": "http://cy.example.org/"},
                "dateCreated": "2014-05-03",
                "text": "Fine.",
            },
            {
                "@type": "Comment",
                "@id": f"{url}#c2",
                "identifier": "c2",
                "genre": "comment",
                "author": {"@type": "Person", "name": "Di"},
                "text": "So it is.",
                "parentItem": {"@id": f"{url}#c1"},
            },
            {
                "@type": "Comment",
                "genre": "pingback",
                "author": {"@type": "Person", "name": "Another blog", "url": "http://x.example.org/"},
                "text": "[…] tea […]",
            },
        ],
        "associatedMedia": [
            {
                "@type": "ImageObject",
                "contentUrl": f"{BO}kettle.png",
                "encodingFormat": "image/png",
                "contentSize": str(len(KETTLE)),
                "sha256": DIGEST,
            },
            {"@type": "AudioObject", "contentUrl": f"{BO}gone.mp3"},
        ],
    }


def test_what_is_unknown_is_left_out(graph):
    url = f"{ANN}bare"
    same = dict.fromkeys(("@id", "url", "mainEntityOfPage"), url)
    assert of_type(graph, "BlogPosting")[url] == {"@type": "BlogPosting", **same, "isPartOf": {"@id": ANN}}


def test_odd_text_is_text(graph):
    post = of_type(graph, "BlogPosting")[f"{ANN}odd"]
    assert post["headline"] == post["articleBody"] == ODD
    assert post["comment"][0]["@id"] == f"{ANN}odd#%3F"


def test_an_empty_graph_is_one(tmp_path):
    with filled(tmp_path) as archive:
        selection = Selection(archive, ())
        FORMATS["jsonld"].export(selection, str(tmp_path / "posts.jsonld"))
    assert json.loads((tmp_path / "posts.jsonld").read_bytes())["@graph"] == []
