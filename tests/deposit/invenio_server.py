"""A stand-in for an InvenioRDM (v12 to v14), built from docs/reference/rest_api_*.md and metadata.md of its documents."""

from __future__ import annotations

import copy
import hashlib
import itertools
import re
import time
from datetime import date
from typing import Any
from urllib.parse import unquote

from tests.deposit.serving import Reply, Request, Server

TOKEN = "tok-Zx81"
COMMUNITY = "2f1c9a52-4b7e-4f7e-9a0e-6b1f6f3f0c11"
SLUG = "weblogs"
#: what the vocabularies have of what is used
RESOURCE_TYPES = {"publication", "publication-article", "publication-other", "other"}
LANGUAGES = {"eng", "deu", "fra", "jpn", "por"}
RELATIONS = {"isderivedfrom", "isvariantformof", "ispartof", "cites"}
DATE_TYPES = {
    "accepted",
    "available",
    "collected",
    "copyrighted",
    "created",
    "issued",
    "other",
    "submitted",
    "updated",
    "valid",
    "withdrawn",
}
SCHEMES = {"url": r"https?://\S+", "urn": r"urn:[a-z0-9][a-z0-9-]{0,31}:\S+", "doi": r"10\.\S+"}
FIELDS = {
    "resource_type", "title", "creators", "publication_date", "publisher", "description", "languages", "subjects",
    "version", "dates", "identifiers", "related_identifiers",
}  # fmt: skip
EDTF = r"\d{4}(-\d\d(-\d\d)?)?"


def error(status: int, message: str, *errors: dict[str, Any]) -> Reply:
    return Reply(status, {"status": status, "message": message, **({"errors": list(errors)} if errors else {})})


def not_found() -> Reply:
    return error(404, "The persistent identifier does not exist.")


class InvenioServer(Server):
    """One account's records, and one community, which accepts at once or waits for a curator."""

    def __init__(self, *, accepts: bool = True, index_delay_s: float = 0.0, most_files: int = 100) -> None:
        super().__init__()
        self.accepts, self.index_delay_s, self.most_files = accepts, index_delay_s, most_files
        self.damages = False
        self.drafts: dict[str, dict[str, Any]] = {}
        self.records: dict[str, dict[str, Any]] = {}
        self.deleted: set[str] = set()
        #: by id of draft or record: files by key
        self.files: dict[str, dict[str, dict[str, Any]]] = {}
        self.reviews: dict[str, dict[str, Any]] = {}
        self._ids = itertools.count(1)
        pid, key = r"([^/]+)", r"([^/]+)"
        draft = rf"/api/records/{pid}/draft"
        self.routes = [
            (r"POST /api/records", self.create),
            (rf"GET {draft}", self.get_draft),
            (rf"PUT {draft}", self.put_draft),
            (rf"DELETE {draft}", self.delete_draft),
            (rf"GET {draft}/files", self.list_files),
            (rf"POST {draft}/files", self.start_files),
            (rf"PUT {draft}/files/{key}/content", self.put_content),
            (rf"POST {draft}/files/{key}/commit", self.commit_file),
            (rf"DELETE {draft}/files/{key}", self.delete_file),
            (rf"POST {draft}/actions/files-import", self.import_files),
            (rf"POST {draft}/actions/publish", self.publish),
            (rf"GET {draft}/review", self.get_review),
            (rf"PUT {draft}/review", self.put_review),
            (rf"POST {draft}/actions/submit-review", self.submit_review),
            (rf"POST /api/records/{pid}/versions", self.new_version),
            (rf"GET /api/records/{pid}", self.get_record),
            (rf"GET /api/records/{pid}/files", self.record_files),
            (r"GET /api/user/records", self.search),
            (rf"GET /api/communities/{pid}", self.community),
        ]

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            told = "The server could not verify that you are authorized to access the URL requested."
            return error(401, told)
        return super().answer(request)

    # what people see

    def published(self) -> list[dict[str, Any]]:
        """The newest version of each record."""
        return [record for record in self.records.values() if record["versions"]["is_latest"]]

    def content(self, pid: str, key: str) -> bytes:
        return self.files[pid][key]["content"]

    def accept(self, pid: str) -> None:
        """What a curator does."""
        self.reviews[pid] |= {"status": "accepted", "is_open": False, "is_closed": True}
        self.drafts[pid]["parent"]["communities"] = {"ids": [COMMUNITY]}
        self._publish(pid)

    def decline(self, pid: str) -> None:
        self.reviews[pid] |= {"status": "declined", "is_open": False, "is_closed": True}

    # drafts

    def create(self, request: Request) -> Reply:
        pid = f"{next(self._ids):05}-abcde"
        return self._new_draft(pid, request.json(), {"id": f"p{pid}", "communities": {}}, 1)

    def _new_draft(self, pid: str, value: dict[str, Any], parent: dict[str, Any], index: int) -> Reply:
        self.drafts[pid] = {
            "id": pid, "is_published": False, "is_draft": True, "parent": parent, "pids": {}, "custom_fields": {},
            "made": time.monotonic(), "versions": {"index": index, "is_latest": False, "is_latest_draft": True},
        }  # fmt: skip
        self.files[pid] = {}
        self._fill(pid, value)
        return Reply(201, self._shown(self.drafts[pid]))

    def _fill(self, pid: str, value: dict[str, Any]) -> None:
        draft = self.drafts[pid]
        draft |= {name: value.get(name, {}) for name in ("access", "files", "metadata")}

    def _shown(self, record: dict[str, Any]) -> dict[str, Any]:
        pid = record["id"]
        shown = {name: value for name, value in copy.deepcopy(record).items() if name != "made"}
        html = "records" if record["is_published"] else "uploads"
        shown["links"] = {"self_html": f"{self.url}/{html}/{pid}", "self": f"{self.url}/api/records/{pid}"}
        errors = [] if record["is_published"] else self._faults(record)
        if errors:
            shown["errors"] = errors
        return shown

    def _faults(self, draft: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"field": f"metadata.{name}", "messages": [message]} for name, message in faults(draft["metadata"])]

    def get_draft(self, request: Request, pid: str) -> Reply:
        return Reply(200, self._shown(self.drafts[pid])) if pid in self.drafts else not_found()

    def put_draft(self, request: Request, pid: str) -> Reply:
        if pid not in self.drafts:
            return not_found()
        self._fill(pid, request.json())
        return Reply(200, self._shown(self.drafts[pid]))

    def delete_draft(self, request: Request, pid: str) -> Reply:
        if self.drafts.pop(pid, None) is None:
            return not_found()
        self.files.pop(pid)
        return Reply(204)

    # files

    def _entry(self, pid: str, key: str) -> dict[str, Any]:
        entry = self.files[pid][key]
        return {name: value for name, value in entry.items() if name != "content"}

    def _listing(self, pid: str) -> dict[str, Any]:
        entries = [self._entry(pid, key) for key in self.files[pid]]
        return {"enabled": True, "default_preview": None, "order": [], "entries": entries, "links": {}}

    def list_files(self, request: Request, pid: str) -> Reply:
        return Reply(200, self._listing(pid)) if pid in self.drafts else not_found()

    def record_files(self, request: Request, pid: str) -> Reply:
        return Reply(200, self._listing(pid)) if pid in self.records else not_found()

    def start_files(self, request: Request, pid: str) -> Reply:
        if pid not in self.drafts:
            return not_found()
        keys = [entry["key"] for entry in request.json()]
        if known := [key for key in keys if key in self.files[pid]]:
            return error(400, f"File with key {known[0]} already exists.")
        if len(self.files[pid]) + len(keys) > self.most_files:
            return error(
                400, f"Uploading selected files will result in {len(keys)} files. Maximum is {self.most_files}."
            )
        for key in keys:
            self.files[pid][key] = {"key": key, "status": "pending", "metadata": None}
        return Reply(201, self._listing(pid))

    def put_content(self, request: Request, pid: str, key: str) -> Reply:
        key = unquote(key)
        if pid not in self.drafts or key not in self.files[pid]:
            return not_found()
        if request.headers.get("Content-Type") != "application/octet-stream":
            return error(415, "Unsupported media type.")
        if self.files[pid][key]["status"] != "pending":
            return error(400, "File content has already been uploaded.")
        self.files[pid][key]["content"] = request.body
        return Reply(200, self._entry(pid, key))

    def commit_file(self, request: Request, pid: str, key: str) -> Reply:
        key = unquote(key)
        if pid not in self.drafts or key not in self.files[pid]:
            return not_found()
        entry = self.files[pid][key]
        if entry["status"] != "pending" or "content" not in entry:
            return error(400, "File upload could not be completed.")
        content = entry["content"] + (b"?" if self.damages else b"")
        digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
        entry |= {"status": "completed", "checksum": f"md5:{digest}", "size": float(len(content))}
        return Reply(200, self._entry(pid, key))

    def delete_file(self, request: Request, pid: str, key: str) -> Reply:
        if pid not in self.drafts or self.files[pid].pop(unquote(key), None) is None:
            return not_found()
        return Reply(204)

    def import_files(self, request: Request, pid: str) -> Reply:
        if pid not in self.drafts:
            return not_found()
        if self.files[pid]:
            return error(400, "Please remove all files first.")
        draft = self.drafts[pid]
        last = next(
            r
            for r in self.records.values()
            if r["parent"]["id"] == draft["parent"]["id"] and r["versions"]["is_latest"]
        )
        self.files[pid] = copy.deepcopy(self.files[last["id"]])
        return Reply(201, self._listing(pid))

    # publication

    def publish(self, request: Request, pid: str) -> Reply:
        if pid not in self.drafts:
            return not_found()
        if (review := self.reviews.get(pid)) is not None and review["status"] != "accepted":
            return error(400, "You cannot publish a draft that has a review; submit it for review instead.")
        if (refusal := self._refusal(pid)) is not None:
            return refusal
        self._publish(pid)
        return Reply(202, self._shown(self.records[pid]))

    def _refusal(self, pid: str) -> Reply | None:
        found = self._faults(self.drafts[pid])
        if not self.files[pid]:
            found.append(
                {
                    "field": "files.enabled",
                    "messages": [
                        "Missing uploaded files. To disable files for this record please mark it as metadata-only."
                    ],
                }
            )
        if any(entry["status"] != "completed" for entry in self.files[pid].values()):
            found.append(
                {
                    "field": "files.enabled",
                    "messages": ["One or more files have not completed their transfer, please wait."],
                }
            )
        return error(400, "A validation error occurred.", *found) if found else None

    def _publish(self, pid: str) -> None:
        record = self.drafts.pop(pid)
        for other in self.records.values():
            if other["parent"]["id"] == record["parent"]["id"]:
                other["versions"]["is_latest"] = False
        record |= {"is_published": True, "is_draft": False, "made": time.monotonic()}
        record["versions"] |= {"is_latest": True}
        self.records[pid] = record

    def new_version(self, request: Request, pid: str) -> Reply:
        if pid in self.deleted:
            return error(410, "The record has been deleted.")
        if pid not in self.records:
            return not_found()
        record = self.records[pid]
        for draft in self.drafts.values():
            if draft["parent"]["id"] == record["parent"]["id"]:
                return Reply(201, self._shown(draft))
        value = copy.deepcopy({name: record[name] for name in ("access", "files", "metadata")})
        for name in ("publication_date", "version"):
            value["metadata"].pop(name, None)
        return self._new_draft(f"{next(self._ids):05}-abcde", value, record["parent"], record["versions"]["index"] + 1)

    def get_record(self, request: Request, pid: str) -> Reply:
        if pid in self.deleted:
            return error(410, "The record has been deleted.")
        return Reply(200, self._shown(self.records[pid])) if pid in self.records else not_found()

    # reviews

    def community(self, request: Request, name: str) -> Reply:
        if name not in (SLUG, COMMUNITY):
            return not_found()
        return Reply(200, {"id": COMMUNITY, "slug": SLUG, "metadata": {"title": "Weblogs"}})

    def get_review(self, request: Request, pid: str) -> Reply:
        if pid not in self.drafts:
            return not_found()
        return Reply(200, self.reviews[pid]) if pid in self.reviews else error(404, "Review not found.")

    def put_review(self, request: Request, pid: str) -> Reply:
        if pid not in self.drafts:
            return not_found()
        if self.drafts[pid]["versions"]["index"] > 1:
            return error(400, "You cannot create a review for an already published record.")
        if self.reviews.get(pid, {}).get("is_open"):
            return error(400, "You cannot update a review that is open.")
        value = request.json()
        if value["type"] != "community-submission" or value["receiver"] != {"community": COMMUNITY}:
            return error(400, "A validation error occurred.", {"field": "receiver", "messages": ["Invalid value."]})
        self.reviews[pid] = {"id": f"r{pid}", "status": "created", "is_open": False, "is_closed": False, **value}
        return Reply(200, self.reviews[pid])

    def submit_review(self, request: Request, pid: str) -> Reply:
        if pid not in self.drafts:
            return not_found()
        if pid not in self.reviews or self.reviews[pid]["status"] != "created":
            return error(400, "The draft has no review that can be submitted.")
        if (refusal := self._refusal(pid)) is not None:
            return refusal
        self.reviews[pid] |= {"status": "submitted", "is_open": True}
        if self.accepts:
            self.accept(pid)
        return Reply(202, self.reviews[pid])

    # search

    def search(self, request: Request) -> Reply:
        found = re.fullmatch(r'metadata\.identifiers\.identifier:"([^"]+)"', request.query["q"])
        assert found, request.query
        before = time.monotonic() - self.index_delay_s
        every = [*self.drafts.values(), *self.records.values()]
        hits = [self._shown(one) for one in every if one["made"] <= before and found[1] in identifiers(one)]
        return Reply(200, {"hits": {"hits": hits[: int(request.query["size"])], "total": len(hits)}, "links": {}})


def identifiers(record: dict[str, Any]) -> list[str]:
    return [one["identifier"] for one in record["metadata"].get("identifiers", [])]


def faults(said: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with metadata."""
    found = [(name, "Unknown field.") for name in said if name not in FIELDS]
    missing = "Missing data for required field."
    found += [
        (name, missing) for name in ("title", "publication_date", "resource_type", "creators") if not said.get(name)
    ]
    if said.get("title") is not None and len(said["title"]) < 3:
        found.append(("title", "Shorter than minimum length 3."))
    if said.get("publication_date") and not is_edtf(said["publication_date"]):
        found.append(("publication_date", "Please provide a valid date or interval."))
    if said.get("resource_type") and said["resource_type"].get("id") not in RESOURCE_TYPES:
        found.append(("resource_type", "Invalid value."))
    for number, creator in enumerate(said.get("creators", [])):
        person = creator.get("person_or_org", {})
        needed = {"personal": "family_name", "organizational": "name"}.get(person.get("type", ""))
        if needed is None:
            found.append((f"creators.{number}.person_or_org.type", "Invalid value."))
        elif not person.get(needed):
            found.append((f"creators.{number}.person_or_org.{needed}", "Family name cannot be blank."))
    found += [
        ("languages", f"Invalid value {one['id']}.") for one in said.get("languages", []) if one["id"] not in LANGUAGES
    ]
    found += [("subjects", "Missing subject.") for one in said.get("subjects", []) if not one.get("subject")]
    for one in said.get("dates", []):
        if one["type"]["id"] not in DATE_TYPES or not is_edtf(one["date"]):
            found.append(("dates", "Invalid value."))
    own, related = said.get("identifiers", []), said.get("related_identifiers", [])
    if len({one["scheme"] for one in own}) < len(own):
        found.append(("identifiers", "This field requires unique schemes."))
    for one in [*own, *related]:
        if one.get("scheme") not in SCHEMES or not re.fullmatch(SCHEMES[one["scheme"]], one["identifier"]):
            found.append(("identifiers", f"Invalid {one.get('scheme')} identifier."))
    found += [
        ("related_identifiers", "Invalid relation.") for one in related if one["relation_type"]["id"] not in RELATIONS
    ]
    return found


def is_edtf(text: str) -> bool:
    if not re.fullmatch(EDTF, text):
        return False
    try:
        date.fromisoformat((text + "-01-01")[:10])
    except ValueError:
        return False
    return True
