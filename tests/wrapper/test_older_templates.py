"""Rules for a template that no entry of the feed shows, from what its pages have in common."""

from __future__ import annotations

import json
import re
from html import escape

import pytest

from blogcrawler.dom import parse, readable_text
from blogcrawler.items import Entry
from blogcrawler.wrapper import Example, Wrapper, learn, learn_lines, learn_older, refine
from tests.crawl.blog import Post, make_posts

BASE = "http://blog.example"
POSTS = make_posts(24)
NEW, OLD = POSTS[:8], POSTS[8:]

TAGS = ("Tea", "Old maps", "Birds", "Radio")


def tags_of(post: Post) -> list[str]:
    """One or two tags."""
    first = len(post.text) % 3
    return list(TAGS[first : first + 1 + len(post.slug) % 2])


def new_page(post: Post) -> str:
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in post.paragraphs)
    return (
        f"<html lang=en><head><title>{escape(post.title)}</title></head><body><main><h1>{escape(post.title)}</h1>"
        f'<p class="meta">{post.published:%B} {post.published.day}, {post.published.year} {post.author}</p>'
        f'<div class="prose">{text}</div></main></body></html>'
    )


def old_page(post: Post) -> str:
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in post.paragraphs)
    tags = ", ".join(f'<a href="/category/{tag}">{tag}</a>' for tag in tags_of(post))
    return (
        f"<html lang=en><head><title>A Diary - {escape(post.title)}</title></head><body><table><tr><td>Links</td>"
        f"<td><h3>{escape(post.title)}</h3><small>Posted by {post.author} on {post.published:%d.%m.%Y} in {tags}"
        f'</small><hr>{text}<hr><small>&laquo; <a href="/older">An older one</a></small></td></tr></table></body></html>'
    )


def url_of(post: Post) -> str:
    return f"{BASE}/{post.slug}/"


@pytest.fixture(scope="module")
def wrapper() -> Wrapper:
    return learn(
        Example(
            parse(new_page(post)),
            Entry(
                url_of(post),
                title=post.title,
                authors=(post.author,),
                published=f"{post.published:%Y-%m-%dT%H:%M:%SZ}",
                content_html="".join(f"<p>{escape(paragraph)}</p>" for paragraph in post.paragraphs),
            ),
        )
        for post in NEW
    )


def test_old_posts_have_all_their_fields(wrapper):
    grown = learn_older(wrapper, [(parse(old_page(post)), url_of(post)) for post in OLD[:8]])
    assert len(grown.older) == 1
    assert Wrapper.from_dict(json.loads(json.dumps(grown.to_dict()))) == grown
    for post in OLD:
        tree = parse(old_page(post))
        assert grown.is_post(tree, url_of(post))
        found = grown.extract(tree, url_of(post))
        assert found.article is not None
        assert readable_text(found.article).split() == post.text.split()
        assert found.title == post.title
        assert found.authors == [post.author]
        assert found.published == f"{post.published:%Y-%m-%d}"
        assert sorted(found.tags) == sorted(tags_of(post))
        assert found.sources["content"].source == "rule"
        assert all(source.confidence < 0.9 for source in found.sources.values())
    for post in NEW:
        tree = parse(new_page(post))
        assert grown.extract(tree).sources == wrapper.extract(tree).sources


def test_lines_and_refinements_reach_old_templates(wrapper):
    box = '<p class="box">Readers also liked what I wrote of the birds.</p>'
    sample = [(parse(old_page(post)), url_of(post)) for post in OLD[:8]]
    boxed = [(parse(old_page(post).replace("<hr>", f"<hr>{box}")), url_of(post)) for post in OLD]
    examples = [Example(parse(new_page(post)), Entry(url_of(post), title=post.title)) for post in NEW]
    foot = "<p>Read more of this diary in the archive of the year.</p></body>"
    grown = learn_lines(learn_older(wrapper, sample), [parse(new_page(post).replace("</body>", foot)) for post in NEW])
    assert grown.older[0].lines == grown.lines != wrapper.lines
    found = refine(grown, examples, boxed).extract(*boxed[0])
    assert readable_text(found.article).split() == OLD[0].text.split()


def test_few_pages_teach_nothing(wrapper):
    assert learn_older(wrapper, [(parse(old_page(post)), url_of(post)) for post in OLD[:3]]) is wrapper


def test_pages_that_rules_fit_teach_nothing(wrapper):
    assert learn_older(wrapper, [(parse(new_page(post)), url_of(post)) for post in NEW]) is wrapper


def test_old_posts_whose_longest_part_is_a_list(wrapper):
    """Its signs are in the readable text, and not in the page."""

    def listed(post):
        items = "".join(f"<li>{escape(paragraph)}</li>" for paragraph in post.paragraphs)
        return old_page(post).replace("<hr>", f"<hr><ul>{items}</ul>", 1)

    grown = learn_older(wrapper, [(parse(listed(post)), url_of(post)) for post in OLD[:8]])
    assert len(grown.older) == 1


def test_the_caption_of_an_author_is_no_author(wrapper):
    def pictured(post):
        picture = f'<a class="author-image" href="/author/me/"><span class="hidden">{post.author}\'s Picture</span></a>'
        return old_page(post).replace(post.author, picture)

    grown = learn_older(wrapper, [(parse(pictured(post)), url_of(post)) for post in OLD[:8]])
    assert len(grown.older) == 1
    for post in OLD:
        assert grown.extract(parse(pictured(post)), url_of(post)).authors in ([], [post.author])


def test_an_old_template_without_rules_for_tags_uses_metadata(wrapper):
    def stating(page, post):
        tags = "".join(f'<meta property="article:tag" content="{tag}">' for tag in tags_of(post))
        return page(post).replace("</head>", f"{tags}</head>")

    def untagged(post):
        return re.sub(r" in <a href=.*?</small>", "</small>", old_page(post))

    taught = learn(
        Example(
            parse(stating(new_page, post)),
            Entry(
                url_of(post),
                title=post.title,
                tags=tuple(tags_of(post)),
                content_html="".join(f"<p>{escape(paragraph)}</p>" for paragraph in post.paragraphs),
            ),
        )
        for post in NEW
    )
    same = [post for post in OLD if tags_of(post) == tags_of(OLD[0])] * 8
    grown = learn_older(taught, [(parse(stating(untagged, post)), url_of(post)) for post in same[:8]])
    assert len(grown.older) == 1
    for post in OLD:
        assert sorted(grown.extract(parse(stating(untagged, post)), url_of(post)).tags) == sorted(tags_of(post))
