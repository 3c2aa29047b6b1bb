"""The submission form of a DSpace collection, and which value of a post goes into which field.

Each collection has its own form. Values without a field in the form are only in the file `record.json`.
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
"""DSpace fields by the value that they hold; the first field that the form has is used."""
_TYPES = ("blog post", "web page", "website", "other")
"""Values of type vocabularies in order of preference; the first value that a vocabulary has is used."""
_CLOSED = frozenset({"hidden", "read-only", "readonly"})


@dataclass(frozen=True)
class Section:
    name: str
    #: such as submission-form, upload or license
    type: str
    #: path of its configuration
    config: str


@dataclass(frozen=True)
class Field:
    name: str
    section: str
    is_repeatable: bool
    #: name of the vocabulary of allowed values; None if any value is allowed
    vocabulary: str | None = None
    #: item types for which the form shows the field; empty means all types
    types: tuple[str, ...] = ()


@dataclass
class Form:
    """The fields and sections of a collection's submission form."""

    #: fields by name
    fields: dict[str, Field] = field(default_factory=dict)
    #: names of the sections for files and for the licence
    upload: str | None = None
    license: str | None = None

    def field_for(self, name: str, type_: str | None = None) -> Field | None:
        """Return the field that holds a value; None if the form has no such field."""
        fields = (self.fields.get(dspace_name) for dspace_name in FIELDS[name])
        return next((field for field in fields if field and (not field.types or type_ in field.types)), None)

    @property
    def marker(self) -> str | None:
        """Name of the field that holds our identifier."""
        field = self.field_for("marker")
        return field.name if field else None


def is_open(config: Mapping[str, Any]) -> bool:
    """True if a submitter may fill in a section or field."""
    visibility = config.get("visibility")
    visibility = visibility if isinstance(visibility, dict) else {}
    if config.get("scope") not in (None, "submission"):
        return False
    return str(visibility.get("main") or "").lower() not in _CLOSED


def fields_of(section: str, config: Mapping[str, Any]) -> Iterable[Field]:
    """Yield the fields of a form section."""
    for row in config.get("rows") or []:
        for row_field in row.get("fields") or []:
            if not is_open(row_field):
                continue
            for choice in row_field.get("selectableMetadata") or []:
                vocabulary = choice.get("controlledVocabulary") or choice.get("authority")
                types = tuple(map(str, row_field.get("typeBind") or ()))
                yield Field(str(choice["metadata"]), section, bool(row_field.get("repeatable")), vocabulary, types)


def values(form: Form, description: Description, vocabularies: Mapping[str, Sequence[str]]) -> dict[Field, list[str]]:
    """Return the values for each field of a form."""
    type_ = _type(form.field_for("type"), vocabularies)
    texts_by_name: dict[str, Iterable[str | None]] = {
        "title": [description.title],
        "creators": description.creators or [description.blog_title],
        "date": [description.date],
        "publisher": [description.blog_title],
        "type": [type_],
        "language": [_language(form.field_for("language"), description.language, vocabularies)],
        "subjects": description.tags,
        "abstract": [description.beginning],
        "marker": [description.marker],
        "url": [description.url],
        "blog": [description.blog],
    }
    texts_by_field: dict[Field, list[str]] = {}
    for name, texts in texts_by_name.items():
        field = form.field_for(name, type_)
        if field is not None:
            field_texts = texts_by_field.setdefault(field, [])
            field_texts += [text for text in texts if text and text not in field_texts]
    return {field: texts if field.is_repeatable else texts[:1] for field, texts in texts_by_field.items()}


def _type(field: Field | None, vocabularies: Mapping[str, Sequence[str]]) -> str | None:
    allowed = vocabularies.get(field.vocabulary or "") if field else None
    if allowed is None:
        return "Blog post"
    return _chosen(_TYPES, allowed)


def _language(field: Field | None, tag: str | None, vocabularies: Mapping[str, Sequence[str]]) -> str | None:
    """The language in the form's spelling: en_GB, else en, else eng."""
    allowed = vocabularies.get(field.vocabulary or "") if field else None
    if allowed is None or not tag:
        return tag
    spelled = tag.replace("-", "_")
    return _chosen([spelled, tag, spelled.partition("_")[0], iso_639_3(tag) or ""], allowed)


def _chosen(candidates: Iterable[str], allowed: Sequence[str]) -> str | None:
    by_name = {value.lower(): value for value in allowed if value}
    return next((by_name[candidate.lower()] for candidate in candidates if candidate.lower() in by_name), None)
