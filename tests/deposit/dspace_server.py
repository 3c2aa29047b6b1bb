"""A stand-in for a DSpace (7.6 to 10), built from its REST contract (github.com/DSpace/RestContract) and its server.

Of the contract: csrf-tokens, authentication, workspaceitems with workspaceitem-data-*, submissiondefinitions,
submissionsections, submissionforms, vocabularies, workflowitems, items, bundles, bitstreams, versions,
versionhistories, search-endpoint, patch.
"""

from __future__ import annotations

import base64
import copy
import email
import email.policy
import hashlib
import itertools
import json
import re
import time
import uuid
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from tests.deposit.serving import Reply, Request, Server

USER, PASSWORD = "ann@example.org", "pässword&1"
ACCOUNT = "335647b6-8a52-4ecb-a8c1-7ebabb199bda"
COLLECTION = "1c11f3f1-ba1f-4f36-908a-3f1ea9a557eb"
UI = "https://repo.example.org"
LANGUAGES = ["", "en_US", "en", "es", "de", "fr", "pt_BR"]
TYPES = ["Animation", "Article", "Book", "Image", "Other", "Thesis", "Working Paper"]
PAGE_ONE = [
    ("dc.contributor.author", True, False, None), ("dc.title", False, True, None),
    ("dc.date.issued", False, True, None), ("dc.publisher", False, False, None),
    ("dc.identifier.issn|dc.identifier.other|dc.identifier.uri", True, False, None),
    ("dc.type", True, False, "common_types"), ("dc.language.iso", False, False, "common_iso_languages"),
]  # fmt: skip
PAGE_TWO = [("dc.subject", True, False, None), ("dc.description.abstract", False, False, None)]


def error(status: int, message: str) -> Reply:
    """As Spring answers."""
    return Reply(status, {"timestamp": "2026-11-24T05:00:00.000+00:00", "status": status, "message": message})


def gone() -> Reply:
    return error(404, "The requested resource was not found.")


class DspaceServer(Server):
    """One account, one collection, which archives at once or has a curator."""

    def __init__(
        self,
        *,
        has_curator: bool = False,
        versions: bool = True,
        index_delay_s: float = 0.0,
        lifetime_s: float = 1800,
        forms: dict[str, list[tuple[str, bool, bool, str | None]]] | None = None,
        page: int = 100,
        template: dict[str, list[str]] | None = None,
    ) -> None:
        super().__init__()
        self.has_curator, self.versions, self.index_delay_s = has_curator, versions, index_delay_s
        self.lifetime_s, self.most_of_page = lifetime_s, page
        self.forms = forms or {"traditionalpageone": PAGE_ONE, "traditionalpagetwo": PAGE_TWO}
        self.damages = False
        #: may only others read what is archived?
        self.is_closed = False
        self.template = template or {}
        self.methods = 'password realm="DSpace REST API"'
        self.now = time.time
        self.csrf = str(uuid.uuid4())
        self.tokens: dict[str, float] = {}
        self.logins: list[dict[str, str]] = []
        #: by uuid: metadata, files, state (workspace, workflow, archived, withdrawn), history
        self.items: dict[str, dict[str, Any]] = {}
        self.workspace: dict[str, str] = {}
        self.workflow: dict[str, str] = {}
        self.histories: dict[str, list[str]] = {}
        self._ids = itertools.count(1)
        work, flow, pid = r"/submission/workspaceitems", r"/workflow/workflowitems", r"([^/]+)"
        self.routes = [
            (r"GET /server/api", self.root),
            (r"GET /server/api/security/csrf", lambda request: Reply(204)),
            (r"POST /server/api/authn/login", self.login),
            (r"GET /server/api/authn/status", self.status),
            (r"GET /server/api/config/submissiondefinitions/search/findByCollection", self.definition),
            (r"GET /server/api/config/submissiondefinitions/traditional/sections", self.sections),
            (rf"GET /server/api/config/submissionforms/{pid}", self.form),
            (rf"GET /server/api/submission/vocabularies/{pid}/entries", self.vocabulary),
            (rf"POST /server/api{work}", self.create),
            (rf"GET /server/api{work}/search/findBySubmitter", self.by_submitter),
            (rf"GET /server/api{work}/search/item", lambda request: self.by_item(request, self.workspace)),
            (rf"GET /server/api{flow}/search/item", lambda request: self.by_item(request, self.workflow)),
            (rf"GET /server/api{work}/{pid}", self.get_workspace),
            (rf"PATCH /server/api{work}/{pid}", self.patch),
            (rf"POST /server/api{work}/{pid}", self.upload),
            (rf"GET /server/api{work}/{pid}/item", lambda request, key: self.item_in(self.workspace, key)),
            (rf"GET /server/api{flow}/{pid}/item", lambda request, key: self.item_in(self.workflow, key)),
            (rf"POST /server/api{flow}", self.submit),
            (rf"GET /server/api/core/items/{pid}", lambda request, key: self.item(key)),
            (rf"GET /server/api/core/items/{pid}/bundles", self.bundles),
            (rf"GET /server/api/core/items/{pid}/version", self.version_of),
            (rf"GET /server/api/core/bundles/{pid}/bitstreams", self.bitstreams),
            (r"POST /server/api/versioning/versions", self.new_version),
            (rf"GET /server/api/versioning/versions/{pid}/item", lambda request, key: self.item(key.removeprefix("v"))),
            (rf"GET /server/api/versioning/versions/{pid}/versionhistory", self.history),
            (rf"GET /server/api/versioning/versionhistories/{pid}/draftVersion", self.draft_version),
            (r"GET /server/api/discover/search/objects", self.search),
        ]

    # who asks

    def answer(self, request: Request) -> Reply:
        reply = self._guarded(request)
        cookie = SimpleCookie(request.headers.get("Cookie", "")).get("DSPACE-XSRF-COOKIE")
        if cookie is None or cookie.value != self.csrf:
            told = {"DSPACE-XSRF-TOKEN": self.csrf, "Set-Cookie": self._cookie()}
            reply = Reply(reply.status, reply.value, {**reply.headers, **told})
        return reply

    def _cookie(self) -> str:
        return f"DSPACE-XSRF-COOKIE={self.csrf}; Path=/server; HttpOnly; SameSite=Lax"

    def _guarded(self, request: Request) -> Reply:
        if request.method != "GET":
            cookie = SimpleCookie(request.headers.get("Cookie", "")).get("DSPACE-XSRF-COOKIE")
            if cookie is None or cookie.value != self.csrf or request.headers.get("X-XSRF-TOKEN") != self.csrf:
                return error(403, "Access is denied. Invalid CSRF token.")
        is_open = request.path in ("/server/api", "/server/api/authn/login", "/server/api/security/csrf")
        if not is_open and not self._is_known(request):
            return self._unknown()
        return super().answer(request)

    def _is_known(self, request: Request) -> bool:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.tokens.get(token, 0) > self.now()

    def _unknown(self) -> Reply:
        told = error(401, "Authentication is required")
        return Reply(401, told.value, {"WWW-Authenticate": self.methods})

    def rotate(self) -> None:
        """Other tokens against forged requests from now on."""
        self.csrf = str(uuid.uuid4())

    def issue(self) -> str:
        """A JWT."""
        runs_out = self.now() + self.lifetime_s
        parts = [{"alg": "HS256"}, {"eid": ACCOUNT, "sg": [], "exp": int(runs_out), "n": next(self._ids)}]
        texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
        token = ".".join([*texts, "c2ln"])
        self.tokens[token] = runs_out
        return token

    def login(self, request: Request) -> Reply:
        form = dict(parse_qsl(request.body.decode()))
        self.logins.append(form)
        given = (form.get("user", ""), form.get("password", ""))
        if given != (USER, PASSWORD) and (form or not self._is_known(request)):
            return self._unknown()
        self.rotate()
        return Reply(200, None, {"Authorization": f"Bearer {self.issue()}"})

    def status(self, request: Request) -> Reply:
        link = {"eperson": {"href": f"{self.url}/server/api/eperson/epersons/{ACCOUNT}"}}
        return Reply(200, {"okay": True, "authenticated": True, "type": "status", "_links": link})

    def root(self, request: Request) -> Reply:
        return Reply(200, {"dspaceUI": UI, "dspaceName": "Repo", "dspaceVersion": "DSpace 8.1", "type": "root"})

    # what a submission is

    def definition(self, request: Request) -> Reply:
        if request.query.get("uuid") != COLLECTION:
            return gone()
        return Reply(200, {"id": "traditional", "name": "traditional", "type": "submissiondefinition"})

    def sections(self, request: Request) -> Reply:
        hidden = {"main": "hidden", "other": "hidden"}
        rows = [{"id": "collection", "sectionType": "collection", "scope": "submission", "visibility": hidden}]
        for name in self.forms:
            link = {"config": {"href": f"https://inside.example.org/server/api/config/submissionforms/{name}"}}
            rows.append({"id": name, "sectionType": "submission-form", "scope": None, "_links": link})  # type: ignore[dict-item]
        rows.append({"id": "upload", "sectionType": "upload", "scope": None})  # type: ignore[dict-item]
        read_only = {"main": None, "other": "read-only"}
        rows.append({"id": "license", "sectionType": "license", "scope": "submission", "visibility": read_only})  # type: ignore[dict-item]
        return self._listed(request, "submissionsections", rows)

    def _listed(self, request: Request, name: str, rows: list[Any]) -> Reply:
        size = min(int(request.query.get("size", "20")), self.most_of_page)
        number = int(request.query.get("page", "0"))
        pages = -(-len(rows) // size)
        page = {"size": size, "totalElements": len(rows), "totalPages": pages, "number": number}
        return Reply(200, {"_embedded": {name: rows[number * size :][:size]}, "page": page, "_links": {}})

    def form(self, request: Request, name: str) -> Reply:
        rows = []
        for metadata, is_repeatable, is_mandatory, vocabulary in self.forms[name]:
            choices = [
                {"metadata": one, "label": None, "controlledVocabulary": vocabulary, "closed": False}
                for one in metadata.split("|")
            ]
            told = {"repeatable": is_repeatable, "mandatory": is_mandatory, "selectableMetadata": choices}
            rows.append({"fields": [{"input": {"type": "onebox"}, "label": metadata, **told}]})
        return Reply(200, {"id": name, "name": name, "rows": rows, "type": "submissionform"})

    def vocabulary(self, request: Request, name: str) -> Reply:
        known = {"common_types": TYPES, "common_iso_languages": LANGUAGES}[name]
        rows = [{"display": one or "N/A", "value": one, "type": "vocabularyEntry"} for one in known]
        return self._listed(request, "entries", rows)

    # drafts

    def create(self, request: Request) -> Reply:
        if request.headers.get("Content-Type") != "application/json":
            return error(415, "Unsupported media type.")
        if request.query.get("owningCollection") != COLLECTION:
            return error(422, "The owningCollection is not valid.")
        key = self._new_item(copy.deepcopy(self.template), [], None)
        return Reply(201, self._draft(self.workspace, key))

    def _new_item(self, metadata: dict[str, list[str]], files: list[dict[str, Any]], history: str | None) -> str:
        item, key = str(uuid.uuid4()), str(next(self._ids))
        self.items[item] = {
            "uuid": item, "metadata": metadata, "files": files, "state": "workspace", "granted": False,
            "history": history, "made": time.monotonic(),
        }  # fmt: skip
        self.workspace[key] = item
        return key

    def _draft(self, kind: dict[str, str], key: str) -> dict[str, Any]:
        item = self.items[kind[key]]
        sections: dict[str, Any] = {"collection": COLLECTION}
        for name, rows in self.forms.items():
            fields = [field for row in rows for field in row[0].split("|") if field in item["metadata"]]
            sections[name] = {
                field: [{"value": value, "language": None, "authority": None, "confidence": -1, "place": place}
                        for place, value in enumerate(item["metadata"][field])]
                for field in fields
            }  # fmt: skip
        sections["upload"] = {"files": [self._file(one) for one in item["files"]], "primary": None}
        sections["license"] = {"url": None, "acceptanceDate": None, "granted": item["granted"]}
        told = {"id": int(key), "sections": sections, "errors": self._faults(item)}
        return {**told, "type": "workspaceitem" if kind is self.workspace else "workflowitem"}

    def _file(self, file: dict[str, Any]) -> dict[str, Any]:
        metadata = {"dc.title": [{"value": file["name"]}]}
        return {
            "uuid": file["uuid"], "name": file["name"], "metadata": metadata, "sizeBytes": len(file["content"]),
            "checkSum": {"checkSumAlgorithm": "MD5", "value": file["md5"]}, "accessConditions": [],
        }  # fmt: skip

    def _faults(self, item: dict[str, Any]) -> list[dict[str, Any]]:
        missing = [
            f"/sections/{name}/{row[0]}"
            for name, rows in self.forms.items() for row in rows if row[2] and not item["metadata"].get(row[0])
        ]  # fmt: skip
        found = [{"message": "error.validation.required", "paths": missing}] if missing else []
        if not item["files"]:
            found.append({"message": "error.validation.filerequired", "paths": ["/sections/upload"]})
        if not item["granted"]:
            found.append({"message": "error.validation.license.notgranted", "paths": ["/sections/license"]})
        return found

    def get_workspace(self, request: Request, key: str) -> Reply:
        return Reply(200, self._draft(self.workspace, key)) if key in self.workspace else gone()

    def by_submitter(self, request: Request) -> Reply:
        if request.query.get("uuid") != ACCOUNT:
            return error(403, "Access is denied")
        return self._listed(request, "workspaceitems", [self._draft(self.workspace, key) for key in self.workspace])

    def by_item(self, request: Request, kind: dict[str, str]) -> Reply:
        key = next((key for key, item in kind.items() if item == request.query["uuid"]), None)
        return Reply(204) if key is None else Reply(200, self._draft(kind, key))

    def item_in(self, kind: dict[str, str], key: str) -> Reply:
        return self.item(kind[key]) if key in kind else gone()

    def patch(self, request: Request, key: str) -> Reply:
        if key not in self.workspace:
            return gone()
        item = copy.deepcopy(self.items[self.workspace[key]])
        for operation in request.json():
            refusal = self._apply(item, operation)
            if refusal is not None:
                return refusal
        self.items[self.workspace[key]] = item
        return Reply(200, self._draft(self.workspace, key))

    def _apply(self, item: dict[str, Any], operation: dict[str, Any]) -> Reply | None:
        _, begin, section, *rest = operation["path"].split("/")
        if begin != "sections" or section not in {*self.forms, "upload", "license"}:
            return error(400, "Patch path operation need to starts with 'sections'")
        kind = operation["op"]
        if section == "license" and rest == ["granted"] and kind == "add":
            item["granted"] = operation["value"]
        elif section == "upload" and kind == "remove" and rest[0] == "files":
            if int(rest[1]) >= len(item["files"]):
                return error(422, f"The index {rest[1]} is not valid.")
            del item["files"][int(rest[1])]
        elif section in self.forms:
            (name,) = rest
            if name not in {field for row in self.forms[section] for field in row[0].split("|")}:
                return error(422, f"The field {name} is not present in section {section}")
            if kind == "add":
                item["metadata"][name] = [one["value"] for one in operation["value"]]
            elif item["metadata"].pop(name, None) is None:
                return error(422, f"The field {name} has no value.")
        else:
            return error(422, f"The operation {kind} is not supported.")
        return None

    def upload(self, request: Request, key: str) -> Reply:
        if key not in self.workspace:
            return gone()
        kind = request.headers.get("Content-Type", "")
        if not kind.startswith("multipart/form-data"):
            return error(415, "Unsupported media type.")
        told = email.message_from_bytes(
            f"Content-Type: {kind}\r\n\r\n".encode() + request.body, policy=email.policy.HTTP
        )
        (part,) = told.iter_parts()  # type: ignore[attr-defined]
        assert part.get_param("name", header="content-disposition") == "file"
        content = part.get_payload(decode=True)
        kept = content + (b"?" if self.damages else b"")
        digest = hashlib.md5(kept, usedforsecurity=False).hexdigest()
        self.items[self.workspace[key]]["files"].append(
            {"uuid": str(uuid.uuid4()), "name": part.get_filename(), "content": kept, "md5": digest}
        )
        return Reply(201, self._draft(self.workspace, key))

    # submission

    def submit(self, request: Request) -> Reply:
        if request.headers.get("Content-Type") != "text/uri-list":
            return error(415, "Unsupported media type.")
        found = re.fullmatch(r".*/api/submission/workspaceitems/(\d+)", request.body.decode())
        if found is None or found[1] not in self.workspace:
            return error(422, "Workspace item is not found")
        item = self.items[self.workspace[found[1]]]
        if self._faults(item):
            return error(422, "Start workflow failed due to validation error on workspaceitem")
        del self.workspace[found[1]]
        if not self.has_curator:
            self._archive(item)
            return Reply(201)
        key = str(next(self._ids))
        self.workflow[key] = item["uuid"]
        item |= {"state": "workflow", "made": time.monotonic()}
        return Reply(201, self._draft(self.workflow, key))

    def _archive(self, item: dict[str, Any]) -> None:
        item |= {"state": "archived", "made": time.monotonic()}
        item["metadata"].setdefault("dc.identifier.uri", []).append(f"http://hdl.handle.net/1/{item['uuid'][:8]}")

    def accept(self) -> None:
        """What a curator does."""
        for key in list(self.workflow):
            self._archive(self.items[self.workflow.pop(key)])

    def reject(self) -> None:
        """The submission goes back to who submitted it."""
        for key in list(self.workflow):
            item = self.workflow.pop(key)
            self.items[item]["state"] = "workspace"
            self.workspace[key] = item

    # the archive

    def archived(self) -> list[dict[str, Any]]:
        """The newest version of each item, of which each history has one."""
        older = {item for items in self.histories.values() for item in self._shown(items)[:-1]}
        return [one for one in self.items.values() if one["state"] == "archived" and one["uuid"] not in older]

    def _shown(self, items: list[str]) -> list[str]:
        return [item for item in items if self.items.get(item, {}).get("state") == "archived"]

    def content(self, item: str, name: str) -> bytes:
        (found,) = (one["content"] for one in self.items[item]["files"] if one["name"] == name)
        return found  # type: ignore[no-any-return]

    def item(self, key: str) -> Reply:
        if key not in self.items:
            return gone()
        if self.is_closed and self.items[key]["state"] == "archived":
            return error(403, "Access is denied")
        return Reply(200, self._told(self.items[key]))

    def _told(self, item: dict[str, Any]) -> dict[str, Any]:
        metadata = {name: [{"value": value} for value in values] for name, values in item["metadata"].items()}
        state = {"inArchive": item["state"] == "archived", "withdrawn": item["state"] == "withdrawn"}
        return {"id": item["uuid"], "uuid": item["uuid"], "metadata": metadata, **state, "type": "item"}

    def bundles(self, request: Request, item: str) -> Reply:
        if self.is_closed:
            return error(403, "Access is denied")
        rows = [{"uuid": f"license-{item}", "name": "LICENSE"}, {"uuid": f"original-{item}", "name": "ORIGINAL"}]
        return self._listed(request, "bundles", rows)

    def bitstreams(self, request: Request, bundle: str) -> Reply:
        kind, _, item = bundle.partition("-")
        rows = self.items[item]["files"] if kind == "original" else []
        return self._listed(request, "bitstreams", [self._file(one) for one in rows])

    # versions

    def new_version(self, request: Request) -> Reply:
        if not self.versions:
            return error(403, "Access is denied")
        found = re.fullmatch(r".*/api/core/items/([^/]+)", request.body.decode())
        if found is None or found[1] not in self.items:
            return error(400, "The given URI list could not be properly parsed to one result")
        item = self.items[found[1]]
        history = item["history"] or f"h{next(self._ids)}"
        item["history"] = history
        versions = self.histories.setdefault(history, [item["uuid"]])
        if self._in_progress(history) is not None:
            return error(422, "It is not possible to create a new version if the latest one is in submission")
        metadata = copy.deepcopy(item["metadata"])
        metadata["dc.identifier.uri"] = [
            one for one in metadata["dc.identifier.uri"] if not one.startswith("http://hdl.handle.net")
        ]
        key = self._new_item(metadata, copy.deepcopy(item["files"]), history)
        versions.append(self.workspace[key])
        return Reply(201, {"id": f"v{self.workspace[key]}", "version": len(versions), "type": "version"})

    def _in_progress(self, history: str) -> str | None:
        states = {item: self.items.get(item, {}).get("state") for item in self.histories[history]}
        return next((item for item, state in states.items() if state in ("workspace", "workflow")), None)

    def version_of(self, request: Request, item: str) -> Reply:
        has_one = self.items[item]["history"] is not None
        return Reply(200, {"id": f"v{item}", "type": "version"}) if has_one else Reply(204)

    def history(self, request: Request, version: str) -> Reply:
        history = self.items[version.removeprefix("v")]["history"]
        has_draft = self._in_progress(history) is not None
        return Reply(200, {"id": history, "draftVersion": has_draft, "type": "versionhistory"})

    def draft_version(self, request: Request, history: str) -> Reply:
        item = self._in_progress(history)
        for kind in (self.workspace, self.workflow):
            for key, one in kind.items():
                if one == item:
                    return Reply(200, self._draft(kind, key))
        return Reply(204)

    # search

    def search(self, request: Request) -> Reply:
        found = re.fullmatch(r'(dc\.[a-z.]+):"([^"]+)"', request.query["query"])
        assert found, request.query
        assert request.query["scope"] == COLLECTION
        before = time.monotonic() - self.index_delay_s
        if request.query.get("configuration") == "workspace":
            kinds = (self.workspace, self.workflow)
            every = [(self.items[item], self._draft(kind, key)) for kind in kinds for key, item in kind.items()]
            every += [(item, self._told(item)) for item in self.archived()]
        else:
            every = [(item, self._told(item)) for item in self.archived() if not self.is_closed]
        hits = [
            told for item, told in every if item["made"] <= before and found[2] in item["metadata"].get(found[1], [])
        ]
        objects = [{"hitHighlights": None, "_embedded": {"indexableObject": told}} for told in hits]
        page = {"size": 10, "totalElements": len(hits), "totalPages": 1, "number": 0}
        return Reply(200, {"_embedded": {"searchResult": {"_embedded": {"objects": objects}, "page": page}}})
