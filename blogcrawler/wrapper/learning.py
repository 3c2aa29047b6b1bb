"""Learn a wrapper from the posts of a feed and their pages, and refine it later by posts that the feed does not have.

Training pages whose articles are in elements without a common name belong to different templates: posts of 2009 and of
2019, photographs beside essays. A page is read by the rules of the template whose key, that is the rule of its article,
fits the page (the key-path of AdaptivePost, section III-E). Pages of several designs have rules for each.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from blogcrawler.dom import readable_text
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.items import Entry
from blogcrawler.similarity import Alphabet
from blogcrawler.wrapper.core.designs import Design, by_design, names_in
from blogcrawler.wrapper.core.rules import is_metadata, names_of
from blogcrawler.wrapper.core.thresholds import BELOW_PROOF, PARAGRAPH
from blogcrawler.wrapper.core.training import Example, ProfiledPage, prepare, training_pages
from blogcrawler.wrapper.fallback.model import train
from blogcrawler.wrapper.fields.article import refine_article
from blogcrawler.wrapper.fields.language import learn_languages
from blogcrawler.wrapper.induction import Induction
from blogcrawler.wrapper.refinements.affixes import Affixes
from blogcrawler.wrapper.refinements.registry import REFINEMENTS, TitleAffixes, without
from blogcrawler.wrapper.validation import Validation, halves, validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.refinements.registry import Refinement
    from blogcrawler.wrapper.wrapper import Wrapper

LINE_PAGES = 8
"""Number of training pages whose common lines are learned."""
ENOUGH = 3
"""Minimum number of training pages of a template."""
Learnt = TypeVar("Learnt")


def learn(examples: Iterable[Example]) -> Wrapper:
    """Learn a blog's wrapper from the posts that its feed announces. O(n) in the size of the pages and entries. Raises
    NotEnoughExamples without any example."""
    examples = list(examples)
    if not examples:
        raise NotEnoughExamples("There is no page of a feed entry to learn from.")
    induction, refinements = _refined(Induction(training_pages(examples)))
    designs = by_design(induction.pages, _names_in)
    templates = _learn_templates(induction) if len(designs) == 1 else _learn_designs(induction, designs)
    wrapper = replace(
        induction.wrapper,
        designs=_designs(designs),
        languages=learn_languages(induction.located),
        validation=_validate(induction),
        distrusted=tuple(dict.fromkeys(name for refinement in refinements for name in refinement.distrusted)),
        untitled=_are_untitled(induction.pages),
        affixes=next((step.affixes for step in refinements if isinstance(step, TitleAffixes)), Affixes()),
    )
    return replace(wrapper, templates=tuple(of_blog(template, wrapper) for template in templates))


def _refined(induction: Induction) -> tuple[Induction, list[Refinement]]:
    """The induction from corrected entries, and the refinements that correct them."""
    refinements: list[Refinement] = []
    for kind in REFINEMENTS:
        refinement = kind.learn(induction)
        if refinement is not None:
            refinements.append(refinement)
            pages = [refinement.apply(page) for page in induction.pages]
            induction = induction if pages == induction.pages else Induction(pages)
    return induction, refinements


def _learn_designs(induction: Induction, designs: Sequence[Sequence[ProfiledPage]]) -> tuple[Wrapper, ...]:
    """The rules of each design that has enough pages; those of its templates come first."""
    learned: list[Wrapper] = []
    for pages in designs:
        if len(pages) >= ENOUGH:
            own = Induction(pages, induction.reader)
            templates = [*_learn_templates(own), own.wrapper]
            learned += [replace(template, designs=_designs([pages])) for template in templates]
    return tuple(learned)


def _designs(groups: Iterable[Sequence[ProfiledPage]]) -> tuple[Design, ...]:
    """The designs of groups of pages; none if that of a group cannot be identified."""
    designs = tuple(Design.of(map(_names_in, pages)) for pages in groups)
    return designs if all(design.names for design in designs) else ()


def _names_in(page: ProfiledPage) -> frozenset[str]:
    return page.once(_names)


def _names(page: ProfiledPage) -> frozenset[str]:
    return names_in(page.tree)


def _learn_templates(induction: Induction) -> tuple[Wrapper, ...]:
    """The rules of each template, if the pages have several."""
    if induction.is_of_one_template:
        return ()
    clusters_of_pages = clusters(
        [(page, induction.nearest[page]) for page in induction.pages if page in induction.nearest]
    )
    inductions = [Induction(cluster, induction.reader) for cluster in clusters_of_pages]
    ordered = in_order_of_keys(
        [(induction, induction.pages) for induction in inductions],
        lambda induction, page: induction.article.locate(page.tree) is not None,
    )
    return tuple(induction.wrapper for induction in ordered)


def _are_untitled(pages: Sequence[ProfiledPage]) -> bool:
    """True if the posts have no titles: neither a feed that brings articles nor the pages have any."""
    has_titles = any(page.example.entry.title or page.entry.title for page in pages)
    return not has_titles and any(page.entry.content_html for page in pages)


def _validate(induction: Induction) -> Validation:
    """Test the rules learned from half of the pages on the other half."""
    teachers, tests = halves(induction.pages)
    most = BELOW_PROOF if any(page.entry.is_synthetic for page in induction.pages) else 1.0
    if not teachers:
        return Validation(len(induction.pages), most=most)
    trial = Induction(teachers, induction.reader, induction.evidence).rules
    validation = validate(
        len(induction.pages),
        tests,
        lambda page: trial.extract(page.tree, page.url, page.fetched),
        summaries=induction.evidence.mode == "summary",
    )
    return replace(validation, most=most)


def of_blog(template: Wrapper, whole: Wrapper) -> Wrapper:
    """The rules of a template, with the properties that the whole blog shows better."""
    known = tuple(sorted({*template.authors.known, *whole.authors.known}))
    return replace(
        template,
        tags=template.tags or tuple(rule for rule in whole.tags if is_metadata(rule.learned.rule)),
        authors=replace(template.authors, constant=whole.authors.constant, known=known),
        dates=replace(template.dates, order=template.dates.order or whole.dates.order),
        languages=whole.languages,
        validation=whole.validation,
        distrusted=whole.distrusted,
        untitled=whole.untitled,
        affixes=whole.affixes,
        lines=whole.lines,
        ends=whole.ends,
    )


def learn_lines(wrapper: Wrapper, trees: Iterable[HtmlElement]) -> Wrapper:
    """The wrapper with the lines that several posts share, for pages that none of its rules fits. O(n)."""
    posts = (tree for tree in trees if wrapper.article.locate(tree) is not None)
    lines = train(islice(posts, LINE_PAGES))
    return wrapper.each(lambda part: replace(part, lines=lines))


def refine(wrapper: Wrapper, examples: Iterable[Example], sample: Iterable[tuple[HtmlElement, str]]) -> Wrapper:
    """A wrapper refined by posts of all ages that the feed does not have, given by their roots and URLs. O(n).
    The pages of old posts may have boxes that no page of a new post has. Texts that recur in the containers of their
    articles are dropped, too."""
    alphabet = Alphabet()
    pages = [
        page.with_entry(title=wrapper.affixes.strip(page.entry.title)).with_entry(**without(wrapper.distrusted))
        for page in training_pages(list(examples), alphabet)
    ]
    others = [prepare(_example_of(wrapper, tree, url), alphabet) for tree, url in sample]
    return wrapper.each(lambda part: replace(part, article=refine_article(part.article, pages, others)))


def _example_of(wrapper: Wrapper, tree: HtmlElement, url: str) -> Example:
    """A page as a training example. Its entry holds the values that the wrapper reads from the page; the summary is the
    beginning of the article."""
    extraction = wrapper.extract(tree, url)
    beginning = readable_text(extraction.article).partition("\n\n")[0] if extraction.article is not None else ""
    entry = Entry(
        url,
        title=extraction.title,
        authors=tuple(extraction.authors),
        published=extraction.published,
        content_html=escape(beginning) if len(beginning) >= PARAGRAPH else None,
        is_summary=True,
        language=extraction.language,
    )
    return Example(tree, entry, url)


def clusters(pages: Sequence[tuple[ProfiledPage, HtmlElement]]) -> list[list[ProfiledPage]]:
    """The pages of each template that has enough of them, by the elements most similar to their articles; empty for a
    single template."""
    place = {page: number for number, (page, _) in enumerate(pages)}
    named_clusters: list[tuple[set[str], list[ProfiledPage]]] = []
    for page, nearest in pages:
        names = {step for _, step in names_of(nearest)} or {str(nearest.tag)}
        same = [cluster for cluster in named_clusters if not cluster[0].isdisjoint(names)]
        named_clusters = [cluster for cluster in named_clusters if cluster[0].isdisjoint(names)]
        joined = sorted((member for _, members in same for member in members), key=place.__getitem__)
        named_clusters.append((names.union(*(known for known, _ in same)), [*joined, page]))
    large = [members for _, members in named_clusters if len(members) >= ENOUGH]
    return sorted(large, key=len, reverse=True) if len(large) > 1 else []


def in_order_of_keys(
    templates: Sequence[tuple[Learnt, Sequence[ProfiledPage]]], fits: Callable[[Learnt, ProfiledPage], bool]
) -> tuple[Learnt, ...]:
    """The templates, ordered so that the first one whose key fits a page is the page's own; empty if no order achieves
    this."""
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
