"""The tags: as a set, from the place where the post has them."""

from __future__ import annotations

import json
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Wrapper, learn
from tests.wrapper.pages import OLD, POSTS, TAGS, Post, Template, classic, examples, extracted, layout, learned, modern

if TYPE_CHECKING:
    from collections.abc import Callable


def tagged(item: str, *, around: str = "<p>{}</p>", side: str = "") -> Template:
    def template(one: Post) -> str:
        items = " ".join(item.replace("{}", tag) for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>{around.replace('{}', items)}", side=side)

    return template


CLOUD = '<div class="cloud">' + "".join(f'<a rel="tag" href="/{tag}">{tag}</a> ' for tag in TAGS) + "</div>"


@pytest.mark.parametrize(
    "template",
    [
        classic,
        modern,
        tagged("<a rel=tag>{}</a>"),
        tagged("<li>{}</li>", around="<ul class=tags>{}</ul>"),
        tagged("<span class=tag>#{}</span>"),
        tagged("<a class=t>{}</a>", side=CLOUD),
        tagged("<a rel=tag>{}</a>", around='<p class="filed">Filed under {}</p>', side=CLOUD),
    ],
)
def test_templates(template: Template) -> None:
    wrapper = learned(template)
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_links_with_a_class_of_their_own_for_each_tag() -> None:
    """The first posts have the same tag, whose class finds as much of them as a rule for all tags."""
    posts = [replace(one, tags=("Travel",) if one.number < 3 else one.tags[:1]) for one in POSTS]
    template = tagged('<a class="tag-{}" href="/in/{}">{}</a>', around='<p class="filed">Kept in {} for now</p>')
    wrapper = learned(template, posts)
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_case_is_the_page_s_and_doubles_go() -> None:
    template = tagged("<a class=t>{}</a> <a class=t>{}</a>")
    wrapper = learned(template, tags=tuple(tag.upper() for tag in TAGS[:1]))
    assert wrapper.tags == () or wrapper.tags[0].learned.score <= 1
    found = extracted(learned(template), template, OLD[0]).tags
    assert found == list(OLD[0].tags)


def test_a_post_without_tags_has_none() -> None:
    template = tagged("<a class=t>{}</a>", side=CLOUD)
    wrapper = learned(template)
    page = parse(template(Post(99, "None", "Ann", OLD[0].published, (), OLD[0].paragraphs)))
    assert wrapper.extract(page).tags == []


@pytest.mark.parametrize(
    "template",
    [
        classic,
        tagged('<a href="/tag/{}/">{}</a>'),
        tagged('<a href="/categories/{}.html">{}</a>', side=CLOUD),
        tagged('<li><a href="/search/label/{}">{}</a></li>', around="<ul class=l>{}</ul>"),
        tagged('<a href="?cat={}">{}</a>', around='<p class="by">Posted by Ann on Friday in {}</p>'),
    ],
)
def test_a_feed_without_tags_teaches_the_links_to_them(template: Template) -> None:
    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


@pytest.mark.parametrize(
    "template",
    [
        tagged('<a href="/tag/{}/"><img src=/icons/{}.png alt="{}"></a>', side=CLOUD),
        tagged('<a href="/tags/{}"><img src=/icons/{}.png title="Tag: {}" alt=""></a>'),
        tagged('<a href="/label/{}" title="All posts about {}"><svg><path d="M0"/></svg></a>'),
        tagged('<a href="/t/{}.html"><i class="icon icon-tag"></i></a>'),
        tagged('<a href="/blog/tagged/{}/"><img src=/icons/tag.png></a>'),
        tagged('<a href="/x/{}" rel=tag><img src=/icons/tag.png alt="{}"></a>'),
        tagged('<a class=t href="/t/{}">{}</a>', side=CLOUD),
        tagged('<a href="/topic/{}/">{}</a>'),
        tagged('<a href="/tags/#{}">{}</a>'),
        tagged('<a href="/tags.html#{}"><img src=/icons/tag.png></a>'),
        tagged('<a href="/etiqueta/{}/">{}</a>'),
        tagged('<a href="/schlagwort/{}/">{}</a>'),
        tagged('<a href="/temas/{}/">{}</a>'),
        tagged('<a href="/标签/{}/">{}</a>', side=CLOUD),
        tagged('<a href="/%E6%A0%87%E7%AD%BE/{}/">{}</a>'),
        tagged('<a href="/blog/%d0%ba%d0%b0%d1%82%d0%b5%d0%b3%d0%be%d1%80%d0%b8%d0%b8/{}">{}</a>'),
    ],
)
def test_links_to_tags_without_text_are_named_by_what_they_show_or_lead_to(template: Template) -> None:
    wrapper = Wrapper.from_dict(learned(template, tags=()).to_dict())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]
    assert extracted(learned(template), template, OLD[0]).sources["tags"].source == "rule"


def test_the_address_s_words_are_those_of_a_link_s_name() -> None:
    def template(one: Post) -> str:
        links = " ".join(
            f'<a href="/tag/{tag.lower()}-%26-more/" title="Posts on {tag} &amp; More."><img src=/i></a>'
            for tag in one.tags
        )
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=t>{links}</p>")

    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [
        {f"{tag} & More" for tag in one.tags} for one in OLD
    ]


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ('<a href="/tag/c%2B%2B/"><img src=/i></a>', "c++"),
        ('<a href="/tags/%E6%97%A5%E6%9C%AC"><img src=/i></a>', "日本"),
        ('<a href="/tag/machine-learning?order=1"><img alt="Machine learning: all" src=/i></a>', "Machine learning"),
        ('<a href="/tag/ai"><img alt="Künstliche Intelligenz" src=/i></a>', "Künstliche Intelligenz"),
        ('<a href="/tag/a%00%ff"><i></i></a>', "a \ufffd"),
    ],
)
def test_names_of_links_without_text(link: str, name: str) -> None:
    def template(one: Post, more: str = link) -> str:
        others = " ".join(f'<a href="/tag/{tag}"><img src=/i></a>' for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=t>{others} {more}</p>")

    wrapper = learned(lambda one: template(one, link * (one.number % 2)), tags=())
    assert extracted(wrapper, template, OLD[0]).tags == [*OLD[0].tags, name]


@pytest.mark.parametrize(
    "link",
    ['<a href="/t.html"><img src=/i></a>', '<a href="/a?t=12&amp;x=1">Play</a>', '<a href="http://o.test/t/a">A</a>'],
)
def test_other_links_are_no_tags(link: str) -> None:
    template = tagged(f"{link.replace('12', '{}')} <i>{{}}</i>")
    assert learned(template, tags=()).tags == ()


def test_links_to_tags_in_the_article_are_not_its_tags() -> None:
    def template(one: Post) -> str:
        body = f'<p>{one.paragraphs[0]} <a href="/tag/rivers/">Rivers and all that</a>.</p>{one.body}'
        tags = " ".join(f'<a href="/tag/{tag}/">{tag}</a>' for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{body}</div><div><div><p class=t>{tags}</p></div></div>")

    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


@pytest.mark.parametrize("side", ["", CLOUD, '<a href="/tags/">All tags</a>', '<a href="/vintage/cars">Cars</a>'])
def test_a_feed_without_tags_and_pages_without_links_to_them_teach_none(side: str) -> None:
    template = tagged("<i>{}</i>", side=side)
    wrapper = learned(template, tags=())
    assert wrapper.tags == ()
    assert extracted(wrapper, template, OLD[0]).tags == []


def test_tags_that_no_page_shows_teach_none() -> None:
    wrapper = learned(tagged("<i>{}</i>"), tags=("Uncategorised",))
    assert wrapper.tags == ()
    assert wrapper.distrusted == ()


@pytest.mark.parametrize("beside", ["", '<p>In <a href="/category/all/" rel="category">Uncategorised</a></p>'])
@pytest.mark.parametrize("item", ["<a rel=tag>{}</a>", '<a href="/tag/{}/">{}</a>'])
def test_one_tag_for_all_entries_does_not_keep_the_pages_tags_out(item: str, beside: str) -> None:
    template = tagged(item, around=f"{beside}<p class=t>{{}}</p>", side=CLOUD)
    wrapper = learned(template, tags=("Uncategorised",))
    assert wrapper.distrusted == ("tags",)
    for one in OLD:
        found = extracted(wrapper, template, one)
        assert set(found.tags) - {"Uncategorised"} == set(one.tags)
        assert found.sources["tags"].confidence >= 0.7


def test_one_tag_for_all_entries_that_the_pages_show_where_others_have_others() -> None:
    template = tagged("<a class=t>{}</a>")
    pages = [replace(one, tags=("Travel",)) for one in POSTS]
    wrapper = learned(template, pages)
    assert wrapper.distrusted == ()
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def in_head(write: Callable[[tuple[str, ...]], str]) -> Template:
    return lambda one: layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", head=write(one.tags))


LINKED = '<script type="application/ld+json">{{"@type": "BlogPosting", "keywords": {}}}</script>'


@pytest.mark.parametrize(
    "write",
    [
        lambda tags: LINKED.format(json.dumps(tags)),
        lambda tags: LINKED.format(json.dumps(", ".join(tags))),
        lambda tags: "".join(f'<meta property="article:tag" content="{tag}">' for tag in tags),
        lambda tags: f'<meta name="keywords" content="{",".join(tags)}">',
        lambda tags: f'<meta itemprop="keywords" content="{", ".join(tags)}">',
    ],
)
def test_a_feed_without_tags_teaches_what_pages_tell_in_vocabularies(write: Callable[[tuple[str, ...]], str]) -> None:
    template = in_head(write)
    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_keywords_of_all_pages_are_the_blog_s() -> None:
    template = in_head(lambda _: '<meta name="keywords" content="notes, rivers, tea">')
    assert learned(template, tags=()).tags == ()


@pytest.mark.parametrize("form", ["notes, rivers, {}", "{}, notes, the quiet blog, tea", "notes, {}, rivers"])
def test_keywords_of_all_pages_are_left_out_of_the_posts_tags(form: str) -> None:
    template = in_head(lambda tags: f'<meta name="keywords" content="{form.format(", ".join(tags))}">')
    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]
    assert Wrapper.from_dict(wrapper.to_dict()) == wrapper


def test_links_to_tags_without_an_element_of_their_own() -> None:
    def template(one: Post) -> str:
        tags = " ".join(f'<a rel="tag" href="/t">{tag}</a>' for tag in one.tags)
        return f"<html><body><h1>{one.title}</h1><div class=c>{one.body}</div>{tags}</body></html>"

    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_a_feed_that_knows_one_tag_of_several() -> None:
    pages = [tag for tag in TAGS if tag in OLD[0].tags]
    wrapper = learned(tagged("<a class=t>{}</a>"))
    assert set(extracted(wrapper, tagged("<a class=t>{}</a>"), OLD[0]).tags) == set(pages)


def two_places(one: Post) -> str:
    """A category above the article and tags below it."""
    first, *rest = one.tags
    links = " ".join(f'<a href="/tag/{tag}/">{tag}</a>' for tag in rest)
    main = (
        f'<h1>{one.title}</h1><p>In <em class="cat">{first}</em></p><div class=e>{one.body}</div><p>Tags: {links}</p>'
    )
    return layout(main, side=CLOUD)


def test_two_rules_find_what_stands_in_two_places() -> None:
    wrapper = learned(two_places)
    assert len(wrapper.tags) == 2
    assert [set(extracted(wrapper, two_places, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


@pytest.mark.parametrize("comma", [", ", " | ", "、", "; ", " · "])
def test_a_text_with_commas_holds_several(comma: str) -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=t>Tags: {comma.join(one.tags)}</p>")

    wrapper = learned(template)
    assert [extracted(wrapper, template, one).tags for one in OLD] == [list(one.tags) for one in OLD]


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="keywords" content="{all}">',
        '<script type="application/ld+json">{"@type": "BlogPosting", "keywords": "{all}"}</script>',
        '<script type="application/ld+json">[{"@graph": [{"@type": ["Article"], "keywords": [{list}]}]}]</script>',
        "{metas}",
    ],
)
def test_data_in_the_head(head: str) -> None:
    def template(one: Post) -> str:
        data = head.replace("{all}", ", ".join(one.tags)).replace("{list}", ", ".join(f'"{tag}"' for tag in one.tags))
        metas = "".join(f'<meta property="article:tag" content="{tag}">' for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", head=data.replace("{metas}", metas))

    wrapper = learned(template)
    assert [extracted(wrapper, template, one).tags for one in OLD] == [list(one.tags) for one in OLD]


def test_a_cloud_that_only_older_pages_have_is_not_the_post_s() -> None:
    new = tagged("<a rel=tag href=/tag/{}>{}</a>")
    old = tagged("<a rel=tag href=/tag/{}>{}</a>", side=CLOUD)
    wrapper = learned(new)
    assert [set(extracted(wrapper, old, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


ALL_TAGS = "".join(f'<li><a href="/category/{tag}.html">{tag}</a></li>' for tag in TAGS)


@pytest.mark.parametrize("menu", [f"<ul>{ALL_TAGS}</ul>", f"<h3>Rubriken</h3><ol>{ALL_TAGS}</ol>", ", ".join(TAGS), ""])
@pytest.mark.parametrize("item", ["<a href='../category/{}.html'>&nbsp;{}</a>", "<b>{}</b>", "<span>#{}</span>"])
@pytest.mark.parametrize("is_before", [True, False])
def test_a_menu_of_all_tags_does_not_hide_that_posts_show_one_of_theirs(menu: str, item: str, is_before: bool) -> None:
    """The feed has all tags of a post, of which its page shows the first alone."""

    def template(one: Post) -> str:
        tag, menu_box = item.replace("{}", one.tags[0]), f"<div class=m><p>{menu}</p></div>"
        before, after = (menu_box, "") if is_before else ("", menu_box)
        return layout(f"{before}<div><h1>{one.title}</h1><p>{tag}</p><div class=e>{one.body}</div></div>{after}")

    posts = [replace(one, tags=(*one.tags, "Paper", "Rain", f"Only {one.number}")) for one in POSTS]
    wrapper = learned(template, posts)
    assert [extracted(wrapper, template, one).tags for one in OLD] == [[one.tags[0]] for one in OLD]
    asked, right = dict(wrapper.validation.answers)["tags"]
    assert asked == right > 0


def test_a_menu_of_all_tags_alone_teaches_none() -> None:
    template = tagged("", side=f"<ul>{ALL_TAGS}</ul>")
    assert learned(template).tags == ()


def test_a_tag_of_all_posts_that_all_pages_show_is_asked_for() -> None:
    posts = [replace(one, tags=("Diary", *one.tags)) for one in POSTS]
    template = tagged("<a href='/t/{}'>{}</a>", side="<a href='/t/Diary'>Diary</a>")
    wrapper = learned(template, posts)
    found = [set(extracted(wrapper, template, replace(one, tags=("Diary", *one.tags))).tags) for one in OLD]
    assert found == [{"Diary", *one.tags} for one in OLD]


@pytest.mark.parametrize(
    "address", ["http://shop.test/b/?node=1&tag=rivers-21", "//photos.test/tags/{}/", "https://{}.test/tag/a"]
)
def test_links_to_tags_of_other_sites_are_not_the_post_s(address: str) -> None:
    posts = [replace(one, tags=(f"Word {one.number}",)) for one in POSTS]
    template = tagged(f'<li><a rel="nofollow" href="{address}">Offers of the day {{}}</a></li>')
    wrapper = learned(template, posts, tags=())
    assert wrapper.tags == ()


def test_a_tag_that_the_feed_alone_has_changes_nothing() -> None:
    template = tagged("<a class=t>{}</a>")
    examples = [replace(one, tags=(*one.tags, "Planet feed")) for one in POSTS]

    def shown(one: Post) -> str:
        return template(replace(one, tags=tuple(tag for tag in one.tags if tag != "Planet feed")))

    wrapper = learned(shown, examples)
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_links_are_known_by_their_address_where_nothing_else_tells_them() -> None:
    def template(one: Post) -> str:
        links = " ".join(f'<a href="/topics/{tag}/">{tag}</a>' for tag in one.tags)
        more = '<a href="/about/">About</a> <a href="/">Home</a>'
        return layout(
            f"<h1>{one.title}</h1><div class=e>{one.body}</div><div class=f><p>{more} {links} {more}</p></div>"
        )

    wrapper = learned(template)
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def cards(one: Post) -> str:
    """Teasers of other posts with their categories."""
    others = [POSTS[(one.number + step) % len(POSTS)] for step in (1, 2)]
    items = (
        f'<li><a href="{other.path}"><h4>{other.title}</h4></a> <a href="/category/{other.author}/">{other.author}</a></li>'
        for other in others
    )
    return f"<ul class=rel>{''.join(items)}</ul>"


def test_categories_and_tags_of_a_post_whose_feed_has_none() -> None:
    def template(one: Post) -> str:
        first, *rest = one.tags
        category = f'<p class=meta>by {one.author} in <a href="/category/{first}/">{first}</a></p>'
        tags = "".join(f'<li><a href="/tag/{tag}/">{tag}</a></li>' for tag in rest)
        main = (
            f"<article><h1>{one.title}</h1>{category}<div class=e>{one.body}</div><ul class=tags>{tags}</ul></article>"
        )
        return layout(main + cards(one), side=CLOUD)

    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_one_category_of_all_posts_beside_their_tags() -> None:
    links = '<footer><span>In <a href="/category/life/">Life</a></span> <span>{}</span></footer>'
    template = tagged('<a href="/tag/{}/">{}</a>', around=links)
    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [{"Life", *one.tags} for one in OLD]


@pytest.mark.parametrize("rel", [("category tag", "tag"), ("tag category", "tag")])
def test_categories_and_tags_with_a_relation(rel: tuple[str, str]) -> None:
    def template(one: Post) -> str:
        first, *rest = one.tags
        tags = " ".join(f'<a rel="{rel[1]}" href="/?t={tag}">{tag}</a>' for tag in rest)
        category = f'<p class=c><a rel="{rel[0]}" href="/?c={first}">{first}</a></p>'
        return layout(f"<h1>{one.title}</h1>{category}<div class=e>{one.body}</div><div><p class=t>{tags}</p></div>")

    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


@pytest.mark.parametrize("within", ["<div class=f>{}</div>", "<article class=f>{}</article>"])
def test_the_categories_of_other_posts_are_not_the_post_s(within: str) -> None:
    def template(one: Post) -> str:
        tags = "".join(f'<a href="/tag/{tag}/">{tag}</a> ' for tag in one.tags)
        post = f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=tags>{tags}</p>{cards(one)}"
        return layout(within.replace("{}", post))

    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


WARES = ["Print", "Blue mug", "On rain"]


@pytest.mark.parametrize(
    "links",
    [
        lambda one: f'<a href="/people/{one.author}">{one.author}</a>',
        lambda one: f'<a href="/in/{one.published:%Y}">{one.published:%Y}</a>',
        lambda one: "".join(
            f'<a href="/old/{at}">Number {chr(97 + at)}</a>' for at in (one.number - 1, one.number + 1)
        ),
        lambda one: f'<a href="/print/{one.number}">Print</a>',
        lambda _: '<a href="/x/a">One</a> <a href="/x/b">Two</a>',
        lambda one: f'<a href="{POSTS[one.number % 3].path}">{POSTS[one.number % 3].title}</a>',
        lambda one: f'<a href="http://other.test/k/{one.tags[0]}">{one.tags[0]}</a>',
        lambda one: f'From our shop: <a href="/shop/{one.number % 3}">{WARES[one.number % 3]}</a>',
        lambda one: f'Read next: <a href="/essays/{one.number % 3}">{WARES[one.number % 3]}</a>',
    ],
)
def test_links_that_are_no_tags(links: Callable[[Post], str]) -> None:
    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=k>{links(one)}</p>")

    assert learned(template, tags=()).tags == ()


@pytest.mark.parametrize(
    "write",
    [
        lambda tags: json.dumps({"@type": "BlogPosting", "articleSection": tags}).join(
            ['<script type="application/ld+json">', "</script>"]
        ),
        lambda tags: "".join(f'<meta property="article:section" content="{tag}">' for tag in tags),
    ],
)
def test_sections_where_there_is_nothing_else(write: Callable[[tuple[str, ...]], str]) -> None:
    template = in_head(write)
    wrapper = learned(template, tags=())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def chips(item: str, *, menu: str = "") -> Template:
    """Posts with an item for each tag, in a row below the article, and a menu of all tags beside it."""

    def row(tags: tuple[str, ...]) -> str:
        return " ".join(item.format(tag, tag.lower(), len(tag)) for tag in tags)

    def template(one: Post) -> str:
        main = f"<h1>{one.title}</h1><div class=e>{one.body}</div><p class=row>{row(one.tags)}</p>"
        return layout(main, side=f"<p>{row(TAGS) if menu else ''}</p>")

    return template


PICTURES = [
    '<a href="/in/{1}.html"><img class=pic src="/{1}.png" title="{0}"></a>',
    '<a href="/in/{1}.html"><img src="/{1}.png" alt="{0}"></a>',
    '<img class=pic src="/{1}.png" alt="{0}" title="{0}">',
    '<a href="/tags.html#{1}">{0} <span>{2}</span></a>',
    '<a href="/tags.html#{1}">{0}<sup>{2}</sup></a>',
]


@pytest.mark.parametrize("item", PICTURES)
@pytest.mark.parametrize("menu", ["", "all"])
def test_pictures_with_names_and_links_with_counts(item: str, menu: str) -> None:
    template = chips(item, menu=menu)
    wrapper = Wrapper.from_dict(learned(template).to_dict())
    assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


@pytest.mark.parametrize("told", [("All",), ("Blog", "Notes")])
def test_tags_on_pages_of_a_feed_with_other_categories(told: tuple[str, ...]) -> None:
    """The feed puts each post into one of its folders; pages do not show these."""
    template = chips('<a href="/tag/{1}/">{0}</a>')
    entries = [pair for one in POSTS for pair in examples(template, [one], tags=(told[one.number % len(told)],))]
    assert [set(extracted(learn(entries), template, one).tags) for one in OLD] == [set(one.tags) for one in OLD]


def test_one_tag_of_all_posts_of_the_feed_beside_their_categories() -> None:
    def template(one: Post) -> str:
        names = one.tags if one in OLD else ("News",)
        tags = "".join(f'<a class=c href="/tags/{tag.lower()}/">{tag}</a>' for tag in names)
        row = f'<a class=c href="/categories/{one.number % 3}-x/">Room {"abc"[one.number % 3]}</a>{tags}'
        return layout(f"<h1>{one.title}</h1><p class=row>{row}</p><div class=e>{one.body}</div>")

    wrapper = learned(template, tags=())
    assert all(set(one.tags) <= set(extracted(wrapper, template, one).tags) for one in OLD)


def test_names_of_pictures_in_the_article_are_no_tags() -> None:
    def template(one: Post) -> str:
        pictures = "".join(f'<img src="/{tag}.jpg" alt="{tag}">' for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}{pictures if one.number % 4 else ''}</div>")

    wrapper = learned(template, tags=("Quiet", "Places"))
    assert [extracted(wrapper, template, one).tags for one in OLD] == [[] for _ in OLD]


@pytest.mark.parametrize("times", [1, 2])
def test_tags_in_metadata_that_are_escaped_for_html(times: int) -> None:
    def template(one: Post) -> str:
        tags = [f"{tag} & more" for tag in one.tags]
        for _ in range(times):
            tags = [escape(tag) for tag in tags]
        metas = "".join(f'<meta property="article:tag" content="{escape(tag)}">' for tag in tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div>", head=metas)

    tagged = [
        pair for one in POSTS for pair in examples(template, [one], tags=tuple(f"{tag} & more" for tag in one.tags))
    ]
    for wrapper in (learn(tagged), learned(template, tags=())):
        assert [set(extracted(wrapper, template, one).tags) for one in OLD] == [
            {f"{tag} & more" for tag in one.tags} for one in OLD
        ]


@pytest.mark.parametrize(
    "form",
    [
        "{tag} ({n})", "{tag} <span>({n})</span>", "{tag} [{n}]", "{tag}<sup>{n}</sup>", "{tag} <i class=n>{n}</i>",
        "{tag} × {n}", "{tag}×{n}", "{tag} <b>× {n}</b>", "{tag} · {n}", "<span>{n}</span> {tag}", "<i class=n>({n})</i>{tag}",
        "<b>{n} ×</b> <i>{tag}</i>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("told", [None, (), ("Notes",)])
def test_the_number_of_posts_beside_a_tag_is_no_part_of_it(form: str, told: tuple[str, ...] | None) -> None:
    def template(one: Post) -> str:
        links = (f'<a href="/tag/{tag.lower()}/">{form.format(tag=tag, n=len(tag))}</a>' for tag in one.tags)
        return layout(f"<h1>{one.title}</h1><div class=e>{one.body}</div><p>{' '.join(links)}</p>")

    wrapper = learned(template) if told is None else learned(template, tags=told)
    assert [extracted(wrapper, template, one).tags for one in OLD] == [list(one.tags) for one in OLD]
