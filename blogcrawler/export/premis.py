"""PREMIS 3.0: what is kept of a post, what has happened to it, and who did that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler import __version__
from blogcrawler.export.pronom import format_of
from blogcrawler.export.xml import XSI, element

if TYPE_CHECKING:
    from lxml import etree

    from blogcrawler.export.fixity import Written
    from blogcrawler.export.sender import Sender

_PREMIS = "http://www.loc.gov/premis/v3"
_NAMESPACES: dict[str | None, str] = {"premis": _PREMIS, "xsi": XSI}
_EVENT_TYPES = "http://id.loc.gov/vocabulary/preservation/eventType"
_PROGRAM = "blogcrawler"


@dataclass(frozen=True)
class Event:
    """Something that has happened to what is kept."""

    #: unique in its document
    name: str
    #: a word of the Library of Congress's vocabulary of event types
    kind: str
    #: ISO 8601
    moment: str
    detail: str
    #: what came of it
    outcome: str = "success"
    #: of which object, by its identifier
    of: str | None = None


def representation(identifier: str, original: str | None = None) -> etree._Element:
    """The post as a whole."""
    return _object(
        "representation", _identifier("objectIdentifier", "URI", identifier), _told_if("originalName", original)
    )


def file_object(identifier: str, written: Written, media_type: str, original: str | None = None) -> etree._Element:
    """A file: its digest, size and format, and the address that it had on the web."""
    known = format_of(media_type, written.head)
    digest = _made(
        "fixity", _told("messageDigestAlgorithm", "SHA-256"), _told("messageDigest", written.digests["sha256"])
    )
    version = None if known is None else known.version
    designation = _made("formatDesignation", _told("formatName", media_type), _told_if("formatVersion", version))
    registry = (
        None
        if known is None
        else _made("formatRegistry", _told("formatRegistryName", "PRONOM"), _told("formatRegistryKey", known.puid))
    )
    return _object(
        "file",
        _identifier("objectIdentifier", "local", identifier),
        _made(
            "objectCharacteristics",
            digest,
            _told("size", str(written.size)),
            _made("format", designation, registry),
        ),
        _told_if("originalName", original),
    )


def event(told: Event, of: str) -> etree._Element:
    """What has happened, done by this program; `of` is the post as a whole."""
    kind = _told("eventType", told.kind)
    kind.set("authority", "eventType")
    kind.set("authorityURI", _EVENT_TYPES)
    linked = _identifier("linkingObjectIdentifier", "local" if told.of else "URI", told.of or of)
    return _made(
        "event",
        _identifier("eventIdentifier", "local", told.name),
        kind,
        _told("eventDateTime", told.moment),
        _made("eventDetailInformation", _told("eventDetail", told.detail)),
        _made("eventOutcomeInformation", _told("eventOutcome", told.outcome)),
        _identifier("linkingAgentIdentifier", "local", _PROGRAM),
        linked,
    )


def agent() -> etree._Element:
    """This program."""
    return _made(
        "agent",
        _identifier("agentIdentifier", "local", _PROGRAM),
        _told("agentName", _PROGRAM),
        _told("agentType", "software"),
        _told("agentVersion", __version__),
    )


def organisation(sender: Sender) -> etree._Element:
    """Who hands the post over."""
    name = sender.organisation or ""
    note = _told_if("agentNote", sender.contact)
    return _made(
        "agent",
        _identifier("agentIdentifier", "local", name),
        _told("agentName", name),
        _told("agentType", "organization"),
        note,
    )


def _object(category: str, *content: etree._Element | None) -> etree._Element:
    made = _made("object", *content)
    made.set(f"{{{XSI}}}type", f"premis:{category}")
    return made


def _identifier(name: str, kind: str, value: str) -> etree._Element:
    return _made(name, _told(f"{name}Type", kind), _told(f"{name}Value", value))


def _made(name: str, *content: etree._Element | None) -> etree._Element:
    return element(f"{{{_PREMIS}}}{name}", *content, namespaces=_NAMESPACES)


def _told(name: str, value: str) -> etree._Element:
    return element(f"{{{_PREMIS}}}{name}", value, namespaces=_NAMESPACES)


def _told_if(name: str, value: str | None) -> etree._Element | None:
    return None if value is None else _told(name, value)
