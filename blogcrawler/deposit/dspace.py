"""DSpace 7 to 10: a post is an item of a collection; a later change of the post is a new version of the item.

A draft is identified by its item, whose id stays the same from the first draft to the archive. So the next call can
continue at any point where an earlier call was interrupted. If the earlier call was interrupted before it saved the
item's id, the next call finds the draft by our identifier in its metadata, or as an empty draft of our account.
"""

from __future__ import annotations

import os
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blogcrawler.deposit.client import GONE, FilePart, WebRepository, quoted
from blogcrawler.deposit.dspace_form import Form, Section, fields_of, is_open, values
from blogcrawler.deposit.dspace_login import PASSWORD, TOKEN, USER, Login
from blogcrawler.deposit.repository import BEGUN, DEPOSITED, DRAFTED, KEPT, SUBMITTED, SUBMITTING
from blogcrawler.errors import DepositRefused, NotPermitted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from blogcrawler.deposit.client import Pace
    from blogcrawler.deposit.dspace_form import Field
    from blogcrawler.deposit.repository import Deposit, DepositFile, Description, Progress

_PATCH = "application/json-patch+json"
_PAGE = 100
"""Page size of list requests."""
_MOST_PAGES = 1000
_WORKSPACE, _WORKFLOW = "submission/workspaceitems", "workflow/workflowitems"
_MINE = {"configuration": "workspace"}
"""The search configuration of MyDSpace, which finds the submissions of our account, both archived and in progress."""
_ERROR_TEXTS = {
    "error.validation.required": "a required value is missing",
    "error.validation.filerequired": "a file is required",
    "error.validation.license.notgranted": "the licence has not been granted",
    "error.validation.license.required": "the licence has not been granted",
    "error.validation.regex": "the value does not have the required format",
}
"""Plain texts for DSpace's error codes."""


class Dspace(WebRepository):
    """A collection of a DSpace server."""

    def __init__(
        self,
        address: str,
        collection: str,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        address = address.rstrip("/").removesuffix("/api")
        self._login = Login(
            os.environ.get(USER, "") if user is None else user,
            os.environ.get(PASSWORD, "") if password is None else password,
            os.environ.get(TOKEN, "") if token is None else token,
            clock,
        )
        super().__init__(f"dspace {address} {collection}", f"{address}/api", self._login, pace)
        self._collection = collection
        self._form: Form | None = None
        self._vocabularies: dict[str, list[str]] = {}
        self._account = ""

    def _bring(self, deposit: Deposit, progress: Progress) -> None:
        self._login.enter(self._client)
        form = self._read_form()
        draft = self._draft(deposit, progress)
        if draft is None:
            return
        path = f"{_WORKSPACE}/{draft['id']}"
        is_version = progress.record_id is not None
        draft = self._describe(form, deposit.description, path, draft, is_version=is_version)
        draft = self._upload(form, deposit.files, path, draft)
        # DSpace may fill in metadata from the files, so the fields are written a second time.
        draft = self._describe(form, deposit.description, path, draft, is_version=is_version)
        if deposit.is_draft:
            progress.keep(stage=KEPT, sha256=deposit.sha256)
        else:
            self._submit(deposit, progress, path, draft)

    def _draft(self, deposit: Deposit, progress: Progress) -> dict[str, Any] | None:
        """Return the draft to work on, an existing or a new one; None if the post needs no draft now."""
        if progress.draft_id is None and progress.record_id is None:
            self._find(deposit, progress)
        if progress.draft_id is not None:
            draft = self._resume(progress)
            if draft is not None or progress.draft_id is not None:
                return draft
        if progress.stage == DEPOSITED and progress.row.sha256 == deposit.sha256:
            return None
        return self._new_draft(progress) if progress.record_id is None else self._new_version(deposit, progress)

    def _resume(self, progress: Progress) -> dict[str, Any] | None:
        """Return the draft that an earlier call began; None if it was archived, submitted or deleted, which is
        saved."""
        item = self._item(progress.draft_id)
        if item is None:  # somebody deleted it
            progress.keep(draft_id=None, stage=BEGUN)
            return None
        if item.get("inArchive"):
            self._note_archived(progress)
            return None
        draft = self._in_work(_WORKSPACE, progress.draft_id)
        if draft is not None:
            return draft
        if self._in_work(_WORKFLOW, progress.draft_id) is None:
            raise DepositRefused(
                f"The item {progress.draft_id} of {self._client.address} is neither in progress nor archived; "
                "was it withdrawn?"
            )
        progress.keep(stage=SUBMITTED, sha256=progress.row.sha256)  # a curator reviews it; nobody else may change it
        return None

    def _find(self, deposit: Deposit, progress: Progress) -> None:
        """Find the item or draft of a post after a lost response or a lost archive, and save its id."""
        for configuration in ({}, _MINE):  # first what everybody may read, then the submissions of our account
            hits = self._hits(progress.marker, **configuration)
            found = next((str(hit["uuid"]) for hit in hits if hit.get("type") == "item" and hit.get("uuid")), None)
            if found is not None:
                progress.keep(record_id=found, page=self._page(found))
                if self._has_item(found, deposit.files):
                    progress.keep(stage=DEPOSITED, sha256=deposit.sha256)
                return
        item_id = self._in_work_among(hits)
        if item_id is None and progress.stage == BEGUN:
            item_id = self._find_begun(progress)
        if item_id is not None:
            progress.keep(draft_id=item_id, stage=DRAFTED)

    def _new_draft(self, progress: Progress) -> dict[str, Any]:
        progress.keep(stage=BEGUN)
        query = {"owningCollection": self._collection}
        draft = self._client.request("POST", _WORKSPACE, query=query, value={}, ok=(200, 201)).json()
        if not draft.get("id"):
            raise DepositRefused(f"{self._client.address} sent a response without a draft; is it a DSpace server?")
        progress.keep(draft_id=self._item_of(f"{_WORKSPACE}/{draft['id']}"), stage=DRAFTED)
        return draft

    def _new_version(self, deposit: Deposit, progress: Progress) -> dict[str, Any] | None:
        """Return the draft of the item's next version, which starts as a copy of the last version."""
        item = self._item(progress.record_id)
        if item is None or item.get("withdrawn"):
            fate = "deleted" if item is None else "withdrawn"
            raise DepositRefused(
                f"The item {progress.record_id} of {self._client.address} was {fate} there; such an item cannot "
                "have a new version."
            )
        answer = self._client.request(
            "POST",
            "versioning/versions",
            query={"summary": f"Captured {deposit.description.captured}"},
            text=f"{self._client.address}/core/items/{progress.record_id}",
            ok=(200, 201, 403, 404, 405, 422),
            is_repeatable=True,
        )
        if answer.status in (403, 404, 405):
            raise DepositRefused(
                f"{self._client.address} refuses to create a new version of item {progress.record_id} "
                f"({answer.status_line}). Ask its administrator to set versioning.enabled and "
                "versioning.submitterCanCreateNewVersion."
            )
        if answer.status == 422:
            item_id = self._version_begun(progress) or self._in_work_among(self._hits(progress.marker, **_MINE))
        else:
            item_id = self._item_of(f"versioning/versions/{answer.json().get('id')}")
        if item_id is None or item_id in progress.drafts_of_others():
            raise DepositRefused(
                f"{self._client.address} already has an unfinished new version of the item {progress.record_id} "
                f"({answer.status_line}), which this account cannot see; try again after it is finished."
            )
        progress.keep(draft_id=item_id, stage=DRAFTED)
        return self._resume(progress)

    def _version_begun(self, progress: Progress) -> str | None:
        """Return the item of the unfinished version."""
        missing_statuses = (204, 401, 403, *GONE)
        answer = self._client.request("GET", f"core/items/{progress.record_id}/version", ok=(200, *missing_statuses))
        version = answer.json().get("id")
        answer = self._client.request(
            "GET", f"versioning/versions/{version}/versionhistory", ok=(200, *missing_statuses)
        )
        history = answer.json().get("id")
        path = f"versioning/versionhistories/{history}/draftVersion"
        draft = self._client.request("GET", path, ok=(200, *missing_statuses)).json()
        if not draft.get("id"):
            return None
        kind = _WORKFLOW if draft.get("type") == "workflowitem" else _WORKSPACE
        return self._item_of(f"{kind}/{draft['id']}")

    # drafts

    def _item(self, item_id: str | None) -> dict[str, Any] | None:
        """Return an item that we created. An archived item may be readable by other accounts only (403)."""
        answer = self._client.request("GET", f"core/items/{quoted(item_id)}", ok=(200, 204, 403, *GONE))
        if answer.status == HTTPStatus.FORBIDDEN:
            return {"inArchive": True}
        return answer.json() if answer.status == HTTPStatus.OK else None

    def _in_work(self, kind: str, item_id: str | None) -> dict[str, Any] | None:
        """Return the draft or the workflow item of an item, if there is one."""
        query = {"uuid": item_id or ""}
        answer = self._client.request("GET", f"{kind}/search/item", query=query, ok=(200, 204, *GONE))
        submission = answer.json()
        return submission if submission.get("id") else None

    def _item_of(self, path: str) -> str:
        item = self._client.request("GET", f"{path}/item").json()
        if not item.get("uuid"):
            raise DepositRefused(f"{self._client.address} did not return the item of {path}; is it a DSpace server?")
        return str(item["uuid"])

    def _in_work_among(self, hits: Iterable[Mapping[str, Any]]) -> str | None:
        """Return the item of the first search hit that is not archived yet."""
        kinds = {"workspaceitem": _WORKSPACE, "workflowitem": _WORKFLOW}
        submissions = ((kinds.get(str(hit.get("type"))), hit.get("id")) for hit in hits)
        return next((self._item_of(f"{kind}/{number}") for kind, number in submissions if kind and number), None)

    def _hits(self, marker: str, **configuration: str) -> list[dict[str, Any]]:
        field = self._read_form().marker
        if field is None:
            return []
        query = {"query": f'{field}:"{marker}"', "scope": self._collection, "size": "10", **configuration}
        answer = self._client.request("GET", "discover/search/objects", query=query)
        result = _embedded(answer.json(), "searchResult")
        objects = _embedded(result, "objects") if isinstance(result, dict) else None
        return [_embedded(hit, "indexableObject") or {} for hit in objects or []]

    def _find_begun(self, progress: Progress) -> str | None:
        """Find a draft of our account whose creation was interrupted: it has our identifier, or it is empty.

        Another process may be about to fill an empty draft, so the draft must still be empty after a pause.
        """
        before = self._empty_drafts(progress)
        if before:
            self._client.pause(self._client.pace.settle_s)
            after = self._empty_drafts(progress)
            return next((item_id for item_id in before if item_id in after), None)
        return None

    def _empty_drafts(self, progress: Progress) -> list[str]:
        form, drafts_of_others = self._read_form(), progress.drafts_of_others()
        path = f"{_WORKSPACE}/search/findBySubmitter"
        item_ids = []
        for draft in self._list(path, "workspaceitems", uuid=self._account_id()):
            sections = draft.get("sections") or {}
            is_ours = progress.marker in _texts(sections, form)
            if not is_ours and (_files(sections, form.upload) or _texts(sections, form, "title", "url", "marker")):
                continue
            if sections.get("collection", self._collection) != self._collection:
                continue
            item_id = self._item_of(f"{_WORKSPACE}/{draft['id']}")
            if item_id not in drafts_of_others:
                item_ids.append(item_id)
        return item_ids

    def _account_id(self) -> str:
        if not self._account:
            status = self._client.request("GET", "authn/status").json()
            person = _embedded(status, "eperson") or {}
            link = ((status.get("_links") or {}).get("eperson") or {}).get("href", "")
            self._account = str(person.get("uuid") or urlsplit(link).path.rpartition("/")[2])
        return self._account

    def _has_item(self, item_id: str, files: Sequence[DepositFile]) -> bool:
        """True if an archived item has the same files. The files are the only evidence of what it was created from."""
        archived_files: list[tuple[str, str]] = []
        try:
            for bundle in self._list(f"core/items/{item_id}/bundles", "bundles"):
                if bundle.get("name") == "ORIGINAL":
                    path = f"core/bundles/{bundle.get('uuid')}/bitstreams"
                    archived_files += [
                        (str(bitstream.get("name")), _md5(bitstream)) for bitstream in self._list(path, "bitstreams")
                    ]
        except NotPermitted:  # readable by other accounts only: a duplicate version is better than a duplicate item
            return False
        return sorted(archived_files) == sorted((file.name, file.md5) for file in files)

    def _list(self, path: str, name: str, **query: str) -> Iterator[dict[str, Any]]:
        """Yield all rows of a paginated list."""
        for number in range(_MOST_PAGES):
            page_query = {**query, "page": str(number), "size": str(_PAGE)}
            answer = self._client.request("GET", path, query=page_query).json()
            parts = answer.get("_embedded") or {}
            rows = parts.get(name) or next((rows for rows in parts.values() if isinstance(rows, list)), [])
            yield from (row for row in rows if isinstance(row, dict))
            if number + 1 >= int((answer.get("page") or {}).get("totalPages") or 1):
                return

    def _read_form(self) -> Form:
        """Return the fields and sections of the collection's submission form."""
        if self._form is None:
            form = Form()
            for section in self._sections():
                if section.type == "upload":
                    form.upload = section.name
                elif section.type == "license":
                    form.license = section.name
                elif section.type == "submission-form":
                    config = self._client.request("GET", section.config).json()
                    for field in fields_of(section.name, config):
                        form.fields.setdefault(field.name, field)
            if not form.fields or form.upload is None:
                raise NotPermitted(
                    f"The submissions of the collection {self._collection} in {self._client.address} have no form or "
                    "no upload section that this account may use."
                )
            self._read_vocabularies(form)
            self._form = form
        return self._form

    def _sections(self) -> Iterator[Section]:
        query = {"uuid": self._collection}
        path = "config/submissiondefinitions/search/findByCollection"
        answer = self._client.request("GET", path, query=query, ok=(200, 204, 400, 404, 422))
        definition_data = answer.json()
        if answer.status != 200 or not (definition_data.get("id") or definition_data.get("name")):
            raise NotPermitted(
                f"{self._client.address} has no collection {self._collection}, or hides it from this account; "
                "the last part of the collection's web address is its number."
            )
        definition = quoted(str(definition_data.get("id") or definition_data.get("name")))
        for section in self._list(f"config/submissiondefinitions/{definition}/sections", "submissionsections"):
            if is_open(section):
                link = ((section.get("_links") or {}).get("config") or {}).get("href") or ""
                config = f"config/{link.partition('/config/')[2]}"
                yield Section(str(section.get("id")), str(section.get("sectionType")), config)

    def _read_vocabularies(self, form: Form) -> None:
        """Read the allowed values of fields with a controlled vocabulary."""
        for name in ("type", "language"):
            field = form.field_for(name)
            if field is not None and field.vocabulary is not None:
                path = f"submission/vocabularies/{quoted(field.vocabulary)}/entries"
                entries = self._list(path, "entries")
                self._vocabularies[field.vocabulary] = [str(entry.get("value") or "") for entry in entries]

    def _describe(
        self, form: Form, description: Description, path: str, draft: dict[str, Any], *, is_version: bool
    ) -> dict[str, Any]:
        """Write the metadata fields that differ, and grant the licence."""
        sections = draft.get("sections") or {}
        wanted = values(form, description, self._vocabularies)
        patch = list(_changes(wanted, sections, is_version=is_version))
        if form.license is not None and not (sections.get(form.license) or {}).get("granted"):
            patch.append({"op": "add", "path": f"/sections/{form.license}/granted", "value": True})
        if not patch:
            return draft
        return self._client.request("PATCH", path, value=patch, kind=_PATCH, is_repeatable=False).json()

    def _upload(self, form: Form, files: Sequence[DepositFile], path: str, draft: dict[str, Any]) -> dict[str, Any]:
        """Make the draft's files equal to these files; files that are already there are not sent again."""
        missing_files = {(file.name, file.md5): file for file in files}
        uploaded_files = _files(draft.get("sections") or {}, form.upload)
        surplus_numbers = []
        for number, uploaded in enumerate(uploaded_files):
            if missing_files.pop((_name(uploaded), _md5(uploaded)), None) is None:
                surplus_numbers.append(number)
        if surplus_numbers:  # delete from the end, since a deletion shifts the numbers of later files
            patch = [
                {"op": "remove", "path": f"/sections/{form.upload}/files/{number}"}
                for number in reversed(surplus_numbers)
            ]
            answer = self._client.request("PATCH", path, value=patch, kind=_PATCH, is_repeatable=False)
            draft = answer.json()
        for file in missing_files.values():
            draft = self._send(path, FilePart(file))
            self._check(form, file, path, draft)
        return draft

    def _send(self, path: str, part: FilePart) -> dict[str, Any]:
        return self._client.request("POST", path, stream=lambda: part, kind=part.type, ok=(200, 201)).json()

    def _check(self, form: Form, file: DepositFile, path: str, draft: dict[str, Any]) -> None:
        """Check that a file arrived unchanged. Raises DepositRefused."""
        uploaded_files = [
            (_name(uploaded), _md5(uploaded)) for uploaded in _files(draft.get("sections") or {}, form.upload)
        ]
        if (file.name, file.md5) in uploaded_files:
            return
        numbers = [number for number, (name, _) in enumerate(uploaded_files) if name == file.name]
        if not numbers:
            raise DepositRefused(
                f"{self._client.address} did not store {file.name}: {_faults(draft) or 'no reason given'}."
            )
        patch = [{"op": "remove", "path": f"/sections/{form.upload}/files/{numbers[-1]}"}]
        self._client.request("PATCH", path, value=patch, kind=_PATCH, is_repeatable=False)
        raise DepositRefused(
            f"{file.name} arrived damaged (checksum {uploaded_files[numbers[-1]][1]} instead of {file.md5}) and was "
            "deleted; run the same command again to send it again."
        )

    def _submit(self, deposit: Deposit, progress: Progress, path: str, draft: dict[str, Any]) -> None:
        """Submit the draft: it is archived at once if the collection has no workflow, else a curator must accept it."""
        self._refuse_faults(draft)
        progress.keep(stage=SUBMITTING, sha256=deposit.sha256)
        answer = self._client.request(
            "POST", _WORKFLOW, text=f"{self._client.address}/{path}", ok=(200, 201, 204, 422), is_repeatable=False
        )
        if answer.status == 422:
            self._refuse_faults(self._client.request("GET", path).json())
            raise DepositRefused(f"{self._client.address} rejects the metadata of the post ({answer.status_line}).")
        item = self._item(progress.draft_id)
        if item is not None and item.get("inArchive"):
            self._note_archived(progress)
        else:
            progress.keep(stage=SUBMITTED, sha256=deposit.sha256)

    def _refuse_faults(self, draft: Mapping[str, Any]) -> None:
        faults = _faults(draft)
        if faults:
            raise DepositRefused(f"{self._client.address} rejects the post: {faults}.")

    def _note_archived(self, progress: Progress) -> None:
        item_id = str(progress.draft_id)
        progress.keep(stage=DEPOSITED, record_id=item_id, draft_id=None, page=self._page(item_id))

    def _page(self, item_id: str) -> str:
        """Web address of an item."""
        site = str(self._login.root.get("dspaceUI") or self._client.address.removesuffix("/api"))
        return f"{site.rstrip('/')}/items/{item_id}"


def _changes(
    wanted: Mapping[Field, list[str]], sections: Mapping[str, Any], *, is_version: bool
) -> Iterator[dict[str, Any]]:
    """Yield the JSON patches that write the wanted values. Adding a whole field replaces all its values.

    In a new version, fields without a value in the post are removed; in a first draft they stay, since they come from
    the collection's template.
    """
    for field, texts in wanted.items():
        path = f"/sections/{field.section}/{field.name}"
        current = _values_in(sections, field)
        if texts and current != texts:
            yield {"op": "add", "path": path, "value": [{"value": text} for text in texts]}
        elif is_version and current and not texts:
            yield {"op": "remove", "path": path}


def _values_in(sections: Mapping[str, Any], field: Field) -> list[str]:
    return [str(value.get("value")) for value in (sections.get(field.section) or {}).get(field.name) or []]


def _texts(sections: Mapping[str, Any], form: Form, *names: str) -> set[str]:
    """Values of the named fields, or of all fields."""
    fields = filter(None, map(form.field_for, names)) if names else form.fields.values()
    return {text for field in fields for text in _values_in(sections, field)}


def _files(sections: Mapping[str, Any], upload: str | None) -> list[dict[str, Any]]:
    part = sections.get(upload or "") or {}
    files = part.get("files") if isinstance(part, dict) else part
    return [file for file in files or [] if isinstance(file, dict)]


def _name(file: Mapping[str, Any]) -> str:
    titles = (file.get("metadata") or {}).get("dc.title") or [{}]
    return str(titles[0].get("value"))


def _md5(file: Mapping[str, Any]) -> str:
    return str((file.get("checkSum") or {}).get("value"))


def _faults(draft: Mapping[str, Any]) -> str:
    """The server's validation errors for a draft, as part of a sentence."""
    faults = []
    for fault in draft.get("errors") or []:
        if isinstance(fault, dict):
            code = str(fault.get("message") or "")
            paths = [str(path).removeprefix("/sections/") for path in fault.get("paths") or []]
            faults += [f"{path}: {_ERROR_TEXTS.get(code, code)}" for path in paths or ["the post"]]
    return "; ".join(faults)


def _embedded(response: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401
    return (response.get("_embedded") or {}).get(name)
