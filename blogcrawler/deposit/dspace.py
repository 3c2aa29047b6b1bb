"""DSpace 7 to 10: a post is an item of a collection; what a post says later is a new version of it.

What is in work is known by its item, which stays the same from the first draft to the archive. So the next call finds
how far an earlier one came, wherever that was cut: by the item, and where even its making was cut, by our identifier in
its metadata, or as a draft of ours with nothing in it.
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
"""What is asked for at once of a list."""
_MOST_PAGES = 1000
_WORKSPACE, _WORKFLOW = "submission/workspaceitems", "workflow/workflowitems"
_MINE = {"configuration": "workspace"}
"""That of MyDSpace: searches what one account has submitted, in work or archived."""
_SAID = {
    "error.validation.required": "it lacks a value that it must have",
    "error.validation.filerequired": "it must have a file",
    "error.validation.license.notgranted": "the licence is not granted",
    "error.validation.license.required": "the licence is not granted",
    "error.validation.regex": "its value has not the form that it must have",
}
"""What DSpace has codes for."""


class Dspace(WebRepository):
    """A collection of a DSpace."""

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
        # A server may read files for metadata.
        draft = self._describe(form, deposit.description, path, draft, is_version=is_version)
        if deposit.is_draft:
            progress.keep(stage=KEPT, sha256=deposit.sha256)
        else:
            self._submit(deposit, progress, path, draft)

    # ------------------------------------------------------------------------------------------- the draft

    def _draft(self, deposit: Deposit, progress: Progress) -> dict[str, Any] | None:
        """The draft to work on: the one that there is, or a new one. None where nothing is left to do, or can be."""
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
        """The draft that was begun. What became of it else is kept."""
        item = self._item(progress.draft_id)
        if item is None:  # somebody has discarded it
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
                f"The item {progress.draft_id} of {self._client.address} is neither in work nor in the archive there; "
                "was it withdrawn?"
            )
        progress.keep(stage=SUBMITTED, sha256=progress.row.sha256)  # before a curator, nobody else may change it
        return None

    def _find(self, deposit: Deposit, progress: Progress) -> None:
        """What an archive that is lost has made of the post, or a call whose end nobody knows."""
        for configuration in ({}, _MINE):  # what everybody may read, and what this account has submitted
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
            raise DepositRefused(f"{self._client.address} answers without a draft; is it a DSpace?")
        progress.keep(draft_id=self._item_of(f"{_WORKSPACE}/{draft['id']}"), stage=DRAFTED)
        return draft

    def _new_version(self, deposit: Deposit, progress: Progress) -> dict[str, Any] | None:
        """The draft of an item's next version, which begins with what the last one has."""
        item = self._item(progress.record_id)
        if item is None or item.get("withdrawn"):
            fate = "deleted" if item is None else "withdrawn"
            raise DepositRefused(
                f"The item {progress.record_id} of {self._client.address} was {fate} there, and such an item has no "
                "new version."
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
                f"{self._client.address} refuses a new version of item {progress.record_id} ({answer.told}). Ask its "
                "administrator to set versioning.enabled and versioning.submitterCanCreateNewVersion."
            )
        if answer.status == 422:
            item_id = self._version_begun(progress) or self._in_work_among(self._hits(progress.marker, **_MINE))
        else:
            item_id = self._item_of(f"versioning/versions/{answer.json().get('id')}")
        if item_id is None or item_id in progress.drafts_of_others():
            raise DepositRefused(
                f"{self._client.address} has a new version of the item {progress.record_id} in work already "
                f"({answer.told}), which this account does not see; try again when that is finished."
            )
        progress.keep(draft_id=item_id, stage=DRAFTED)
        return self._resume(progress)

    def _version_begun(self, progress: Progress) -> str | None:
        """The item of the version that is in work."""
        nobody = (204, 401, 403, *GONE)
        answer = self._client.request("GET", f"core/items/{progress.record_id}/version", ok=(200, *nobody))
        version = answer.json().get("id")
        answer = self._client.request("GET", f"versioning/versions/{version}/versionhistory", ok=(200, *nobody))
        history = answer.json().get("id")
        path = f"versioning/versionhistories/{history}/draftVersion"
        draft = self._client.request("GET", path, ok=(200, *nobody)).json()
        if not draft.get("id"):
            return None
        kind = _WORKFLOW if draft.get("type") == "workflowitem" else _WORKSPACE
        return self._item_of(f"{kind}/{draft['id']}")

    # ------------------------------------------------------------------------------------------- what is there

    def _item(self, item_id: str | None) -> dict[str, Any] | None:
        """An item of ours. In the archive, unlike before, it may be one that only others may read."""
        answer = self._client.request("GET", f"core/items/{quoted(item_id)}", ok=(200, 204, 403, *GONE))
        if answer.status == HTTPStatus.FORBIDDEN:
            return {"inArchive": True}
        return answer.json() if answer.status == HTTPStatus.OK else None

    def _in_work(self, kind: str, item_id: str | None) -> dict[str, Any] | None:
        """What is in work of an item: a draft of ours, or what is before a curator."""
        query = {"uuid": item_id or ""}
        answer = self._client.request("GET", f"{kind}/search/item", query=query, ok=(200, 204, *GONE))
        found = answer.json()
        return found if found.get("id") else None

    def _item_of(self, path: str) -> str:
        item = self._client.request("GET", f"{path}/item").json()
        if not item.get("uuid"):
            raise DepositRefused(f"{self._client.address} does not say which item {path} is; is it a DSpace?")
        return str(item["uuid"])

    def _in_work_among(self, hits: Iterable[Mapping[str, Any]]) -> str | None:
        """The item of the first hit that is in work."""
        kinds = {"workspaceitem": _WORKSPACE, "workflowitem": _WORKFLOW}
        found = ((kinds.get(str(hit.get("type"))), hit.get("id")) for hit in hits)
        return next((self._item_of(f"{kind}/{number}") for kind, number in found if kind and number), None)

    def _hits(self, marker: str, **more: str) -> list[dict[str, Any]]:
        field = self._read_form().marker
        if field is None:
            return []
        query = {"query": f'{field}:"{marker}"', "scope": self._collection, "size": "10", **more}
        answer = self._client.request("GET", "discover/search/objects", query=query)
        result = _embedded(answer.json(), "searchResult")
        objects = _embedded(result, "objects") if isinstance(result, dict) else None
        return [_embedded(one, "indexableObject") or {} for one in objects or []]

    def _find_begun(self, progress: Progress) -> str | None:
        """A draft of ours whose making was cut: with our identifier, or nobody's, with nothing in it.

        Another process may just be about to fill it; it has until then.
        """
        found = self._empty_drafts(progress)
        if found:
            self._client.pause(self._client.pace.settle_s)
            still = self._empty_drafts(progress)
            return next((item_id for item_id in found if item_id in still), None)
        return None

    def _empty_drafts(self, progress: Progress) -> list[str]:
        form, others = self._read_form(), progress.drafts_of_others()
        path = f"{_WORKSPACE}/search/findBySubmitter"
        found = []
        for draft in self._list(path, "workspaceitems", uuid=self._account_id()):
            sections = draft.get("sections") or {}
            is_ours = progress.marker in _texts(sections, form)
            if not is_ours and (_files(sections, form.upload) or _texts(sections, form, "title", "url", "marker")):
                continue
            if sections.get("collection", self._collection) != self._collection:
                continue
            item_id = self._item_of(f"{_WORKSPACE}/{draft['id']}")
            if item_id not in others:
                found.append(item_id)
        return found

    def _account_id(self) -> str:
        if not self._account:
            status = self._client.request("GET", "authn/status").json()
            person = _embedded(status, "eperson") or {}
            link = ((status.get("_links") or {}).get("eperson") or {}).get("href", "")
            self._account = str(person.get("uuid") or urlsplit(link).path.rpartition("/")[2])
        return self._account

    def _has_item(self, item_id: str, files: Sequence[DepositFile]) -> bool:
        """True if an archived item has the same files: nothing else says of what it was made."""
        there: list[tuple[str, str]] = []
        try:
            for bundle in self._list(f"core/items/{item_id}/bundles", "bundles"):
                if bundle.get("name") == "ORIGINAL":
                    path = f"core/bundles/{bundle.get('uuid')}/bitstreams"
                    there += [(str(one.get("name")), _md5(one)) for one in self._list(path, "bitstreams")]
        except NotPermitted:  # only others may read it: a version more is better than an item more
            return False
        return sorted(there) == sorted((file.name, file.md5) for file in files)

    def _list(self, path: str, name: str, **query: str) -> Iterator[dict[str, Any]]:
        """All of a list, page by page."""
        for number in range(_MOST_PAGES):
            asked = {**query, "page": str(number), "size": str(_PAGE)}
            answer = self._client.request("GET", path, query=asked).json()
            parts = answer.get("_embedded") or {}
            rows = parts.get(name) or next((rows for rows in parts.values() if isinstance(rows, list)), [])
            yield from (row for row in rows if isinstance(row, dict))
            if number + 1 >= int((answer.get("page") or {}).get("totalPages") or 1):
                return

    # ------------------------------------------------------------------------------------------- the forms

    def _read_form(self) -> Form:
        """What the collection's submissions consist of."""
        if self._form is None:
            form = Form()
            for section in self._sections():
                if section.type == "upload":
                    form.upload = section.name
                elif section.type == "license":
                    form.license = section.name
                elif section.type == "submission-form":
                    told = self._client.request("GET", section.config).json()
                    for place in fields_of(section.name, told):
                        form.fields.setdefault(place.name, place)
            if not form.fields or form.upload is None:
                raise NotPermitted(
                    f"The submissions of the collection {self._collection} in {self._client.address} have no form that "
                    "this account can fill in, or no place for files."
                )
            self._read_vocabularies(form)
            self._form = form
        return self._form

    def _sections(self) -> Iterator[Section]:
        query = {"uuid": self._collection}
        path = "config/submissiondefinitions/search/findByCollection"
        answer = self._client.request("GET", path, query=query, ok=(200, 204, 400, 404, 422))
        told = answer.json()
        if answer.status != 200 or not (told.get("id") or told.get("name")):
            raise NotPermitted(
                f"{self._client.address} has no collection {self._collection}, or does not show it to this account; "
                "its number is the end of its address there."
            )
        definition = quoted(str(told.get("id") or told.get("name")))
        for one in self._list(f"config/submissiondefinitions/{definition}/sections", "submissionsections"):
            if is_open(one):
                link = ((one.get("_links") or {}).get("config") or {}).get("href") or ""
                config = f"config/{link.partition('/config/')[2]}"
                yield Section(str(one.get("id")), str(one.get("sectionType")), config)

    def _read_vocabularies(self, form: Form) -> None:
        """What the fields take that take not any value."""
        for said in ("type", "language"):
            place = form.field_for(said)
            if place is not None and place.vocabulary is not None:
                path = f"submission/vocabularies/{quoted(place.vocabulary)}/entries"
                entries = self._list(path, "entries")
                self._vocabularies[place.vocabulary] = [str(one.get("value") or "") for one in entries]

    def _describe(
        self, form: Form, said: Description, path: str, draft: dict[str, Any], *, is_version: bool
    ) -> dict[str, Any]:
        """Say what it is, as far as the draft does not, and grant the licence."""
        sections = draft.get("sections") or {}
        wanted = values(form, said, self._vocabularies)
        patch = list(_changes(wanted, sections, is_version=is_version))
        if form.license is not None and not (sections.get(form.license) or {}).get("granted"):
            patch.append({"op": "add", "path": f"/sections/{form.license}/granted", "value": True})
        if not patch:
            return draft
        return self._client.request("PATCH", path, value=patch, kind=_PATCH, is_repeatable=False).json()

    # ------------------------------------------------------------------------------------------- files

    def _upload(self, form: Form, files: Sequence[DepositFile], path: str, draft: dict[str, Any]) -> dict[str, Any]:
        """Give the draft these files, and no others; those that it has are not sent again."""
        wanted = {(file.name, file.md5): file for file in files}
        there = _files(draft.get("sections") or {}, form.upload)
        spare = []
        for number, one in enumerate(there):
            if wanted.pop((_name(one), _md5(one)), None) is None:
                spare.append(number)
        if spare:  # the last one first: those behind it move up
            patch = [{"op": "remove", "path": f"/sections/{form.upload}/files/{number}"} for number in reversed(spare)]
            answer = self._client.request("PATCH", path, value=patch, kind=_PATCH, is_repeatable=False)
            draft = answer.json()
        for file in wanted.values():
            draft = self._send(path, FilePart(file))
            self._check(form, file, path, draft)
        return draft

    def _send(self, path: str, part: FilePart) -> dict[str, Any]:
        return self._client.request("POST", path, stream=lambda: part, kind=part.type, ok=(200, 201)).json()

    def _check(self, form: Form, file: DepositFile, path: str, draft: dict[str, Any]) -> None:
        """Check that a file has arrived unchanged. Raises DepositRefused."""
        there = [(_name(one), _md5(one)) for one in _files(draft.get("sections") or {}, form.upload)]
        if (file.name, file.md5) in there:
            return
        numbers = [number for number, (name, _) in enumerate(there) if name == file.name]
        if not numbers:
            raise DepositRefused(
                f"{self._client.address} does not keep {file.name}: {_faults(draft) or 'it says no why'}."
            )
        patch = [{"op": "remove", "path": f"/sections/{form.upload}/files/{numbers[-1]}"}]
        self._client.request("PATCH", path, value=patch, kind=_PATCH, is_repeatable=False)
        raise DepositRefused(
            f"{file.name} has arrived damaged ({there[numbers[-1]][1]}, and not {file.md5}); it was taken back, and is "
            "sent again when the same is asked for again."
        )

    # ------------------------------------------------------------------------------------------- publication

    def _submit(self, deposit: Deposit, progress: Progress, path: str, draft: dict[str, Any]) -> None:
        """Hand the draft in: without a workflow it is in the archive at once, else a curator has to accept it."""
        self._refuse_faults(draft)
        progress.keep(stage=SUBMITTING, sha256=deposit.sha256)
        answer = self._client.request(
            "POST", _WORKFLOW, text=f"{self._client.address}/{path}", ok=(200, 201, 204, 422), is_repeatable=False
        )
        if answer.status == 422:
            self._refuse_faults(self._client.request("GET", path).json())
            raise DepositRefused(f"{self._client.address} does not take what is said of the post ({answer.told}).")
        item = self._item(progress.draft_id)
        if item is not None and item.get("inArchive"):
            self._note_archived(progress)
        else:
            progress.keep(stage=SUBMITTED, sha256=deposit.sha256)

    def _refuse_faults(self, draft: Mapping[str, Any]) -> None:
        told = _faults(draft)
        if told:
            raise DepositRefused(f"{self._client.address} does not take the post as it is: {told}.")

    def _note_archived(self, progress: Progress) -> None:
        item_id = str(progress.draft_id)
        progress.keep(stage=DEPOSITED, record_id=item_id, draft_id=None, page=self._page(item_id))

    def _page(self, item_id: str) -> str:
        """Where people see an item."""
        site = str(self._login.root.get("dspaceUI") or self._client.address.removesuffix("/api"))
        return f"{site.rstrip('/')}/items/{item_id}"


def _changes(
    wanted: Mapping[Field, list[str]], sections: Mapping[str, Any], *, is_version: bool
) -> Iterator[dict[str, Any]]:
    """What makes fields say what they should; adding to a field as a whole replaces all that it has.

    What a version has of the last one and the post says no more is taken out; what a collection's template says stays.
    """
    for place, texts in wanted.items():
        path = f"/sections/{place.section}/{place.name}"
        there = _said(sections, place)
        if texts and there != texts:
            yield {"op": "add", "path": path, "value": [{"value": text} for text in texts]}
        elif is_version and there and not texts:
            yield {"op": "remove", "path": path}


def _said(sections: Mapping[str, Any], place: Field) -> list[str]:
    return [str(one.get("value")) for one in (sections.get(place.section) or {}).get(place.name) or []]


def _texts(sections: Mapping[str, Any], form: Form, *names: str) -> set[str]:
    """What some fields say, or all."""
    places = filter(None, map(form.field_for, names)) if names else form.fields.values()
    return {text for place in places for text in _said(sections, place)}


def _files(sections: Mapping[str, Any], upload: str | None) -> list[dict[str, Any]]:
    part = sections.get(upload or "") or {}
    files = part.get("files") if isinstance(part, dict) else part
    return [one for one in files or [] if isinstance(one, dict)]


def _name(file: Mapping[str, Any]) -> str:
    titles = (file.get("metadata") or {}).get("dc.title") or [{}]
    return str(titles[0].get("value"))


def _md5(file: Mapping[str, Any]) -> str:
    return str((file.get("checkSum") or {}).get("value"))


def _faults(draft: Mapping[str, Any]) -> str:
    """What a server finds wrong with a draft, as part of a sentence."""
    found = []
    for fault in draft.get("errors") or []:
        if isinstance(fault, dict):
            code = str(fault.get("message") or "")
            paths = [str(path).removeprefix("/sections/") for path in fault.get("paths") or []]
            found += [f"{path}: {_SAID.get(code, code)}" for path in paths or ["the post"]]
    return "; ".join(found)


def _embedded(told: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401
    return (told.get("_embedded") or {}).get(name)
