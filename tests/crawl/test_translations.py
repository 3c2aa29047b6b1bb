"""Blogs in several languages: a translation is a post of its own, and the same text at another address is none."""

from __future__ import annotations

import pytest

from tests.crawl.running import crawl
from tests.crawl.translated import SITE, Translated, serve

pytestmark = pytest.mark.slow

FLAG = '<img src="/flags/{language}.png">'
BLOGS = {
    "in the sitemap, below a folder": Translated(has_sitemap=True),
    "in the sitemap, linked from the other home page alone": Translated(has_sitemap=True, leads_to_version=False),
    "behind flags": Translated(label=FLAG),
    "behind flags of home pages": Translated(label=FLAG, leads_to_version=False),
    "three others": Translated(others=("de", "fr", "zh"), has_sitemap=True),
    "in the query": Translated(form=SITE + "{path}?lang={language}"),
    "in the query, in the sitemap": Translated(form=SITE + "{path}?lang={language}", has_sitemap=True),
    "below the post": Translated(form=SITE + "{path}{language}/", others=("de",), label="Deutsch"),
    "below the post, in the sitemap": Translated(form=SITE + "{path}{language}/", has_sitemap=True),
    "below the post, named in the head": Translated(form=SITE + "{path}{language}.html", has_hreflang=True),
    "named in the head": Translated(has_hreflang=True),
    "named in the head, on other hosts": Translated(form="http://{language}.blog.example.org{path}", has_hreflang=True),
}


@pytest.mark.parametrize("name", BLOGS)
def test_translations_are_posts(tmp_path, name):
    blog = BLOGS[name]
    with serve(blog) as web:
        done = crawl(tmp_path, f"{SITE}/", server=web, proxy=web.url)
    assert done.code == 0, done.stderr
    assert done.urls == blog.addresses()


@pytest.mark.parametrize(
    "form", [SITE + "/{language}{path}", SITE + "{path}?lang={language}", SITE + "{path}{language}/"]
)
@pytest.mark.parametrize("has_sitemap", [True, False])
def test_the_same_text_at_the_address_of_another_language_is_no_post(tmp_path, form, has_sitemap):
    blog = Translated(is_copied=True, form=form, has_sitemap=has_sitemap)
    with serve(blog) as web:
        done = crawl(tmp_path, f"{SITE}/", server=web, proxy=web.url)
    assert done.code == 0, done.stderr
    assert done.urls == blog.addresses()
