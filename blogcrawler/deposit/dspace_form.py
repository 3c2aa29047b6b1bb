"""What a DSpace wants to be told of a submission, and what of a post goes where.

Each collection has forms of its own; what a post has no field for there is not said, but is in `record.json`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blogcrawler.export.languages import iso_639_3

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from blogcrawler.deposit.repository import Description

FIELDS: dict[str, tuple[str, ...]] = {
    "title": ("dc.title",),
    "creators": ("dc.contributor.author", "dc.creator", "dc.contributor"),
    "date": ("dc.date.issued", "dc.date"),
    "publisher": ("dc.publisher",),
    "type": ("dc.type",),
    "language": ("dc.language.iso", "dc.language"),
    "subjects": ("dc.subject", "dc.subject.other"),
    "abstract": ("dc.description.abstract", "dc.description"),
    "url": ("dc.identifier.uri", "dc.source.uri", "dc.source", "dc.relation.uri", "dc.identifier"),
    "blog": ("dc.relation.ispartof", "dc.relation"),
    "marker": ("dc.identifier.other", "dc.identifier", "dc.identifier.uri", "dc.description"),
}
"""By what is said, the fields for it: the first one that a form has is taken."""
_TYPES = ("blog post", "web page", "website", "other")
"""From vocabularies of types; the first one that is there is taken."""
_CLOSED = frozenset({"hidden", "read-only", "readonly"})


@dataclass(frozen=True)
class Section:
    """A part of a submission."""

    name: str
    #: submission-form, upload, license, …
    type: str
    #: of its form
    config: str


@dataclass(frozen=True)
class Field:
    """A field of a form."""

    name: str
    section: str
    is_repeatable: bool
    #: of the values that it takes; None where it takes any
    vocabulary: str | None = None
    #: it is there for items of these types alone; of all, where there are none
    types: tuple[str, ...] = ()


@dataclass
class Form:
    """What a collection's submissions consist of."""

    #: by name
    fields: dict[str, Field] = field(default_factory=dict)
    #: the sections for files, and for the licence
    upload: str | None = None
    license: str | None = None

    def field_for(self, said: str, type_: str | None = None) -> Field | None:
        """Where something is said."""
        found = (self.fields.get(name) for name in FIELDS[said])
        return next((one for one in found if one and (not one.types or type_ in one.types)), None)

    @property
    def marker(self) -> str | None:
        """The field that holds our identifier."""
        found = self.field_for("marker")
        return found.name if found else None


def is_open(told: Mapping[str, Any]) -> bool:
    """True if a submitter can fill in a section or a field."""
    visibility = told.get("visibility")
    visibility = visibility if isinstance(visibility, dict) else {}
    if told.get("scope") not in (None, "submission"):
        return False
    return str(visibility.get("main") or "").lower() not in _CLOSED


def fields_of(section: str, told: Mapping[str, Any]) -> Iterable[Field]:
    """The fields of a form."""
    for row in told.get("rows") or []:
        for one in row.get("fields") or []:
            if not is_open(one):
                continue
            for choice in one.get("selectableMetadata") or []:
                vocabulary = choice.get("controlledVocabulary") or choice.get("authority")
                types = tuple(map(str, one.get("typeBind") or ()))
                yield Field(str(choice["metadata"]), section, bool(one.get("repeatable")), vocabulary, types)


def values(form: Form, said: Description, vocabularies: Mapping[str, Sequence[str]]) -> dict[Field, list[str]]:
    """What goes into the fields of a form."""
    type_ = _type(form.field_for("type"), vocabularies)
    told: dict[str, Iterable[str | None]] = {
        "title": [said.title],
        "creators": said.creators or [said.blog_title],
        "date": [said.date],
        "publisher": [said.blog_title],
        "type": [type_],
        "language": [_language(form.field_for("language"), said.language, vocabularies)],
        "subjects": said.tags,
        "abstract": [said.beginning],
        "marker": [said.marker],
        "url": [said.url],
        "blog": [said.blog],
    }
    found: dict[Field, list[str]] = {}
    for name, texts in told.items():
        place = form.field_for(name, type_)
        if place is not None:
            here = found.setdefault(place, [])
            here += [text for text in texts if text and text not in here]
    return {place: texts if place.is_repeatable else texts[:1] for place, texts in found.items()}


def _type(place: Field | None, vocabularies: Mapping[str, Sequence[str]]) -> str | None:
    known = vocabularies.get(place.vocabulary or "") if place else None
    if known is None:
        return "Blog post"
    return _chosen(_TYPES, known)


def _language(place: Field | None, tag: str | None, vocabularies: Mapping[str, Sequence[str]]) -> str | None:
    """The language as the form has it: en_GB, else en, else eng."""
    known = vocabularies.get(place.vocabulary or "") if place else None
    if known is None or not tag:
        return tag
    spelled = tag.replace("-", "_")
    return _chosen([spelled, tag, spelled.partition("_")[0], iso_639_3(tag) or ""], known)


def _chosen(wanted: Iterable[str], known: Sequence[str]) -> str | None:
    by_name = {value.lower(): value for value in known if value}
    return next((by_name[one.lower()] for one in wanted if one.lower() in by_name), None)
