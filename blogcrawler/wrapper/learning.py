"""Learning a wrapper: from posts that a feed announces, their pages, and later from posts that it does not have.

Training pages whose articles are in elements without a name in common are of different templates: the posts of 2009 and
of 2019, photographs beside essays. A page is read by the rules of the template whose key, the rule of its article, fits
it (the key-path of AdaptivePost, section III-E).
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from blogcrawler.dates import Moment
from blogcrawler.dom import readable_text
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.items import Entry
from blogcrawler.similarity import Alphabet
from blogcrawler.wrapper.affixes import Affixes, learn_affixes
from blogcrawler.wrapper.date_checks import better_days, try_guesses
from blogcrawler.wrapper.fallback.model import train
from blogcrawler.wrapper.fields.article import lacks_text, learn_article, refine_article
from blogcrawler.wrapper.fields.author import learn_authors, misnames_authors
from blogcrawler.wrapper.fields.date import learn_dates
from blogcrawler.wrapper.fields.evidence import gather_evidence
from blogcrawler.wrapper.fields.language import learn_languages
from blogcrawler.wrapper.fields.tags import learn_tags, tells_more_tags
from blogcrawler.wrapper.fields.title import learn_title
from blogcrawler.wrapper.rules import NAMED, names_of
from blogcrawler.wrapper.training import (
    DateReader,
    Example,
    TrainingPage,
    believed,
    distrusted,
    have_common_tags,
    languages_of,
    training_pages,
)
from blogcrawler.wrapper.validation import Validation, halves, validate
from blogcrawler.wrapper.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.fields.evidence import Evidence

BEGINNING = 80
"""Characters of a first block from which it is an article's text."""
REQUIRED = 0.9
"""Share of the training pages that must have a field for every post to have it."""
LINE_PAGES = 8
"""Training pages whose common lines are learned."""
LEADING_AWAY = 0.1
"""Share of the training pages whose title may be a link to another page."""
SYNTHETIC_CONFIDENCE = 0.85
"""Of what was learned from list pages, at most: the pages that test it told it."""
ENOUGH = 3
"""Training pages that a template is learned from."""
Learnt = TypeVar("Learnt")


def learn(examples: Iterable[Example]) -> Wrapper:
    """Learn a blog's wrapper from posts that its feed announces. O(n) in the size of the pages and entries.
    Raises NotEnoughExamples where there is no example."""
    examples = list(examples)
    if not examples:
        raise NotEnoughExamples("There is no page of a feed entry to learn from.")
    return _learn_believing(examples, distrusted([example.entry for example in examples]))


def _learn_believing(
    examples: Sequence[Example], lies: tuple[str, ...], days: Sequence[str | None] | None = None
) -> Wrapper:
    """The wrapper of a feed that is believed in all fields but some; `days` are what pages say of publication."""
    alphabet = Alphabet()
    taught = [believed(example, lies) for example in examples]
    if days is not None:
        dated = zip(taught, days, strict=True)
        taught = [replace(example, entry=replace(example.entry, published=day)) for example, day in dated]
    pages = training_pages(taught, alphabet)
    affixes = learn_affixes(pages)
    _strip_titles(pages, affixes)
    if has_common_tags := have_common_tags([page.entry for page in pages]):
        for page in pages:
            page.disregard_tags()
    reader = DateReader(languages_of(pages))
    evidence = gather_evidence(pages, reader)
    validation = _validate(pages, evidence, reader)
    if any(example.entry.is_synthetic for example in examples):
        validation = replace(validation, most=SYNTHETIC_CONFIDENCE)
    wrapper = replace(
        _learn(pages, evidence, reader),
        languages=learn_languages(pages),
        validation=validation,
        distrusted=lies,
        untitled=_are_untitled([example.entry for example in examples]),
        affixes=affixes,
    )
    told = [Moment.parse_iso(example.entry.published) for example in examples]
    if days is None and (better := better_days(pages, told, wrapper.dates)) is not None:
        return _learn_believing(examples, tuple(dict.fromkeys((*lies, "published"))), better)
    if "authors" not in lies and misnames_authors(pages):
        return _learn_believing(examples, (*lies, "authors"), days)
    if has_common_tags and tells_more_tags(pages, wrapper.tags):
        wrapper = replace(wrapper, distrusted=(*lies, "tags"))
    lost = sum(map(lacks_text, pages))
    templates = () if _is_of_one_template(wrapper, pages) else _learn_templates(pages, reader)
    if templates:  # which find other containers
        lost = sum(map(lacks_text, pages))
    wrapper = replace(wrapper, validation=validation.failing("content", lost))
    return replace(wrapper, templates=tuple(_of_blog(template, wrapper) for template in templates))


def _learn_templates(pages: Sequence[TrainingPage], reader: DateReader) -> tuple[Wrapper, ...]:
    found = [(_learn(cluster, gather_evidence(cluster, reader), reader), cluster) for cluster in clusters(pages)]
    return in_order_of_keys(found, lambda template, page: template.article.locate(page.tree) is not None)


def _strip_titles(pages: Iterable[TrainingPage], affixes: Affixes) -> None:
    for page in pages if affixes else ():
        page.retitle(affixes.strip(page.entry.title))


def _are_untitled(entries: Sequence[Entry]) -> bool:
    """True if a feed that brings articles has no titles: then the posts have none."""
    return not any(entry.title for entry in entries) and any(entry.content_html for entry in entries)


def _validate(pages: Sequence[TrainingPage], evidence: Evidence, reader: DateReader) -> Validation:
    teachers, tests = halves(pages)
    if not teachers:
        return Validation(len(pages))
    trial = _learn_rules(teachers, evidence, reader)
    summaries = evidence.mode == "summary"
    return validate(
        len(pages), tests, lambda page: trial.extract(page.tree, page.url, page.fetched), summaries=summaries
    )


def _learn(pages: Sequence[TrainingPage], evidence: Evidence, reader: DateReader) -> Wrapper:
    """The rules of pages that are taken to be of one template, and what holds for all of these."""
    wrapper = _learn_rules(pages, evidence, reader)
    return replace(
        wrapper,
        one_article=all(len(page.lookup.select(page.article[1].rule.xpath)) == 1 for page in pages if page.article),
        titles_link_to_themselves=sum(wrapper.title_leads_away(page.tree, page.url) for page in pages)
        <= LEADING_AWAY * len(pages),
        required=_required(pages, wrapper),
    )


def _learn_rules(pages: Sequence[TrainingPage], evidence: Evidence, reader: DateReader) -> Wrapper:
    article = learn_article(pages, evidence)
    title, authors, dates, tags = (
        learn_title(pages),
        learn_authors(pages),
        try_guesses(pages, learn_dates(pages, reader)),
        learn_tags(pages),
    )
    return Wrapper(article, title, authors, dates, tags)


def _is_of_one_template(wrapper: Wrapper, pages: Sequence[TrainingPage]) -> bool:
    """True if the element that is most like the article has the same name on nearly all pages."""
    for rule in [learned.rule for learned in wrapper.article.rules[:1] if learned.rule.kind <= NAMED]:
        return sum(page.nearest in page.lookup.select(rule.xpath)[:1] for page in pages) >= REQUIRED * len(pages)
    return False


def _of_blog(template: Wrapper, whole: Wrapper) -> Wrapper:
    """The rules of a template, with what the whole blog tells better."""
    authors = replace(template.authors, constant=whole.authors.constant)
    dates = replace(template.dates, order=template.dates.order or whole.dates.order)
    return replace(
        template,
        authors=authors,
        dates=dates,
        languages=whole.languages,
        validation=whole.validation,
        distrusted=whole.distrusted,
        untitled=whole.untitled,
        affixes=whole.affixes,
    )


def learn_lines(wrapper: Wrapper, trees: Iterable[HtmlElement]) -> Wrapper:
    """The wrapper with the lines that several posts show, for pages that none of its rules fits. O(n)."""
    posts = (tree for tree in trees if wrapper.article.locate(tree) is not None)
    lines = train(islice(posts, LINE_PAGES))
    return replace(wrapper, lines=lines, templates=tuple(replace(one, lines=lines) for one in wrapper.templates))


def refine(wrapper: Wrapper, examples: Iterable[Example], sample: Iterable[tuple[HtmlElement, str]]) -> Wrapper:
    """A wrapper refined by roots and URLs of posts of all ages that the feed does not have. O(n).
    These may hold boxes that no new one has: what recurs in their articles' container is dropped, too."""
    alphabet = Alphabet()
    told = [believed(example, wrapper.distrusted) for example in examples]
    pages = training_pages(told, alphabet)
    _strip_titles(pages, wrapper.affixes)
    others = [TrainingPage(_told_by(wrapper, tree, url), alphabet) for tree, url in sample]
    templates = tuple(replace(one, article=refine_article(one.article, pages, others)) for one in wrapper.templates)
    return replace(wrapper, article=refine_article(wrapper.article, pages, others), templates=templates)


def _told_by(wrapper: Wrapper, tree: HtmlElement, url: str) -> Example:
    """A page, and what the wrapper reads from it, as if a feed told the beginning of it."""
    found = wrapper.extract(tree, url)
    beginning = readable_text(found.article).partition("\n\n")[0] if found.article is not None else ""
    entry = Entry(
        url,
        title=found.title,
        authors=tuple(found.authors),
        published=found.published,
        content_html=escape(beginning) if len(beginning) >= BEGINNING else None,
        is_summary=True,
        language=found.language,
    )
    return Example(tree, entry, url)


def _required(pages: Sequence[TrainingPage], wrapper: Wrapper) -> tuple[str, ...]:
    dated = sum(wrapper.dates.extract(page.tree, None) is not None for page in pages)
    titled = sum(any(rule.extract(page.tree) for rule in wrapper.title) for page in pages)
    shares = {"published": dated / len(pages), "title": titled / len(pages)}
    return tuple(name for name, share in shares.items() if share >= REQUIRED)


def clusters(pages: Sequence[TrainingPage]) -> list[list[TrainingPage]]:
    """The training pages of each template that has enough of them; nothing where there is but one."""
    place = {page: number for number, page in enumerate(pages)}
    found: list[tuple[set[str], list[TrainingPage]]] = []
    for page in pages:
        if page.nearest is None:
            continue
        names = {step for _, step in names_of(page.nearest)} or {str(page.nearest.tag)}
        same = [cluster for cluster in found if not cluster[0].isdisjoint(names)]
        found = [cluster for cluster in found if cluster[0].isdisjoint(names)]
        joined = sorted((one for _, members in same for one in members), key=place.__getitem__)
        found.append((names.union(*(known for known, _ in same)), [*joined, page]))
    large = [members for _, members in found if len(members) >= ENOUGH]
    return sorted(large, key=len, reverse=True) if len(large) > 1 else []


def in_order_of_keys(
    templates: Sequence[tuple[Learnt, Sequence[TrainingPage]]], fits: Callable[[Learnt, TrainingPage], bool]
) -> tuple[Learnt, ...]:
    """The templates, so ordered that the first whose key fits a page is its own; none where that is impossible."""
    ordered: list[Learnt] = []
    rest = list(templates)
    while rest:
        alone = (
            place
            for place, (template, own) in enumerate(rest)
            if not any(fits(template, page) for _, pages in rest if pages is not own for page in pages)
        )
        first = next(alone, None)
        if first is None:
            return ()
        ordered.append(rest.pop(first)[0])
    return tuple(ordered)
