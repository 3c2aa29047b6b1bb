"""InvenioRDM: a post is a record; what a post says later is a new version of it.

What each step asks of the server is found again by the next call, wherever this one is cut: a draft by our identifier
in its metadata, files by their checksums, publication by the record's address.
"""

from __future__ import annotations

import os
import re
from html import escape
from typing import TYPE_CHECKING, Any

from blogcrawler.deposit.client import GONE, WebRepository, quoted
from blogcrawler.deposit.repository import BEGUN, DEPOSITED, DRAFTED, KEPT, SUBMITTED, SUBMITTING
from blogcrawler.errors import DepositRefused, NotPermitted
from blogcrawler.export.languages import iso_639_3

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.deposit.client import Answer, Pace
    from blogcrawler.deposit.repository import Deposit, DepositFile, Description, Progress

TOKEN = "INVENIO_TOKEN"  # noqa: S105  the name of a variable
_SHORTEST_TITLE = 3
_PERSON = re.compile(r"([^,]+),\s*([^,]+)")


class Invenio(WebRepository):
    """An InvenioRDM, and the community that posts are handed to, if any."""

    most_files = 100
    """The quota that it comes with."""

    def __init__(
        self,
        address: str,
        community: str | None = None,
        *,
        token: str | None = None,
        pace: Pace | None = None,
        resource_type: str = "publication-other",
    ) -> None:
        address = address.rstrip("/").removesuffix("/api")
        name = " ".join(filter(None, ["invenio", address, community]))
        super().__init__(name, f"{address}/api", _Token(token or os.environ.get(TOKEN, "")), pace)
        self._community = community
        self._community_id: str | None = None
        self._resource_type = resource_type

    def _bring(self, deposit: Deposit, progress: Progress) -> None:
        if progress.stage in (SUBMITTING, SUBMITTED) and self._is_published(progress):
            self._note_published(progress)
            if progress.row.sha256 == deposit.sha256:
                return
        draft = self._draft(deposit, progress)
        if draft is None:  # what was found is published, and says the same
            return
        draft = self._describe(deposit, progress, draft)
        self._upload(deposit.files, progress, draft)
        if deposit.is_draft:
            progress.keep(stage=KEPT, sha256=deposit.sha256)
        else:
            self._publish(deposit, progress, draft)

    # ------------------------------------------------------------------------------------------- the draft

    def _draft(self, deposit: Deposit, progress: Progress) -> dict[str, Any] | None:
        """The draft to work on: the one that there is, or a new one. None where nothing is left to do."""
        if progress.draft_id is not None:
            answer = self._client.request("GET", self._draft_path(progress), ok=(200, *GONE))
            if answer.status not in GONE:
                return answer.json()
            if self._is_published(progress):  # by somebody, where it was kept as a draft
                self._note_published(progress)
                if progress.row.sha256 == deposit.sha256:
                    return None
            else:  # somebody has discarded it
                progress.keep(draft_id=None, stage=BEGUN)
        if progress.record_id is None:
            found = self._find(progress)
            if found is not None and not _is_published(found):
                return self._drafted(progress, found)
            if found is not None:
                progress.keep(record_id=str(found["id"]), page=_page(found))
                if self._has_record(str(found["id"]), deposit):
                    progress.keep(stage=DEPOSITED, sha256=deposit.sha256)
                    return None
        if progress.record_id is not None:
            return self._drafted(progress, self._new_version(progress))
        progress.keep(stage=BEGUN)
        answer = self._client.request("POST", "records", value=self._metadata(deposit.description), ok=(201,))
        return self._drafted(progress, answer.json())

    def _find(self, progress: Progress) -> dict[str, Any] | None:
        """What was made of the post by a call whose end nobody knows; the index takes a moment to know of it."""
        was_cut = progress.stage == BEGUN
        for is_again in (False, True) if was_cut else (False,):
            if is_again:
                self._client.pause(self._client.pace.settle_s)
            query = {"q": f'metadata.identifiers.identifier:"{progress.marker}"', "size": "10", "allversions": "true"}
            answer = self._client.request("GET", "user/records", query=query)
            hits = [hit for hit in _hits(answer) if progress.marker in _identifiers(hit)]
            if hits:
                return max(hits, key=lambda hit: (_index(hit), not _is_published(hit)))
        return None

    def _new_version(self, progress: Progress) -> dict[str, Any]:
        """The draft of a record's next version; the same one for each call until it is published."""
        answer = self._client.request(
            "POST", f"records/{quoted(progress.record_id)}/versions", ok=(201, *GONE), is_repeatable=True
        )
        if answer.status in GONE:
            raise DepositRefused(
                f"The record {progress.record_id} of {self._client.address} was deleted there, and a deleted record "
                "has no new version."
            )
        return answer.json()

    def _drafted(self, progress: Progress, draft: dict[str, Any]) -> dict[str, Any]:
        if not draft.get("id"):
            raise DepositRefused(f"{self._client.address} answers without a draft; is it an InvenioRDM?")
        progress.keep(draft_id=str(draft["id"]), stage=DRAFTED, page=_page(draft))
        return draft

    def _describe(self, deposit: Deposit, progress: Progress, draft: dict[str, Any]) -> dict[str, Any]:
        """Say what it is. The server keeps a draft that it would not publish, and tells why."""
        value = self._metadata(deposit.description)
        value |= {name: draft[name] for name in ("pids", "custom_fields") if draft.get(name)}
        draft = self._client.request("PUT", self._draft_path(progress), value=value).json()
        faults = [fault for fault in draft.get("errors") or [] if not str(fault.get("field", "")).startswith("files")]
        if faults and not deposit.is_draft:
            told = "; ".join(
                f"{fault.get('field')}: {' '.join(map(str, fault.get('messages', [])))}" for fault in faults
            )
            raise DepositRefused(f"{self._client.address} does not take what is said of the post: {told}")
        return draft

    # ------------------------------------------------------------------------------------------- files

    def _upload(self, files: Iterable[DepositFile], progress: Progress, draft: dict[str, Any]) -> None:
        """Give the draft these files, and no others; those that it has are not sent again."""
        wanted = {file.name: file for file in files}
        path = f"{self._draft_path(progress)}/files"
        there = self._entries(path)
        if not there and _index(draft) > 1:
            self._import_files(progress)
            there = self._entries(path)
        for name, entry in there.items():
            file = wanted.get(name)
            is_done = entry.get("status") == "completed"
            if file is None or (is_done and not _has(entry, file)):
                self._client.request("DELETE", f"{path}/{quoted(name)}", ok=(204, *GONE))
            elif is_done:
                del wanted[name]
        new = [{"key": name} for name in wanted if name not in there or there[name].get("status") == "completed"]
        if new:
            self._client.request("POST", path, value=new, ok=(201,))
        for file in wanted.values():
            self._send(f"{path}/{quoted(file.name)}", file)

    def _entries(self, path: str) -> dict[str, dict[str, Any]]:
        entries = self._client.request("GET", path).json().get("entries") or []
        return {str(entry["key"]): entry for entry in entries}

    def _import_files(self, progress: Progress) -> None:
        """Have the new version begin with the files of the last one: what has not changed is not sent again."""
        path = f"{self._draft_path(progress)}/actions/files-import"
        self._client.request("POST", path, ok=(200, 201, 400, 404, 409), is_repeatable=True)

    def _send(self, path: str, file: DepositFile) -> None:
        self._client.request("PUT", f"{path}/content", stream=file.open)
        entry = self._client.request("POST", f"{path}/commit").json()
        if not _has(entry, file):
            self._client.request("DELETE", path, ok=(204, *GONE))
            raise DepositRefused(
                f"{file.name} has arrived damaged ({entry.get('checksum')}, and not md5:{file.md5}); it was taken "
                "back, and is sent again when the same is asked for again."
            )

    # ------------------------------------------------------------------------------------------- publication

    def _publish(self, deposit: Deposit, progress: Progress, draft: dict[str, Any]) -> None:
        if self._community is not None and _index(draft) == 1:
            self._submit(deposit, progress)
            return
        progress.keep(stage=SUBMITTING, sha256=deposit.sha256)
        answer = self._client.request("POST", f"{self._draft_path(progress)}/actions/publish", ok=(202, 200, 201))
        self._note_published(progress, _page(answer.json()))

    def _submit(self, deposit: Deposit, progress: Progress) -> None:
        """Hand the draft to the community; who may do so publishes it at once, else a curator has to."""
        path = f"{self._draft_path(progress)}/review"
        review = self._client.request("GET", path, ok=(200, 404))
        is_open = review.status != 404 and review.json().get("is_open")
        if not is_open:
            value = {"receiver": {"community": self._receiver()}, "type": "community-submission"}
            self._client.request("PUT", path, value=value)
            progress.keep(stage=SUBMITTING, sha256=deposit.sha256)
            said = {"payload": {"content": "Deposited by blogcrawler.", "format": "html"}}
            self._client.request("POST", f"{self._draft_path(progress)}/actions/submit-review", value=said)
        if self._is_published(progress):
            self._note_published(progress)
        else:
            progress.keep(stage=SUBMITTED, sha256=deposit.sha256)

    def _receiver(self) -> str:
        """The number of the community, whose name may change."""
        if self._community_id is None:
            answer = self._client.request("GET", f"communities/{quoted(self._community)}", ok=(200, *GONE))
            if answer.status in GONE:
                raise NotPermitted(
                    f"{self._client.address} has no community {self._community!r}, or does not show it to you; the "
                    "end of its address there is its name."
                )
            self._community_id = str(answer.json()["id"])
        return self._community_id

    def _is_published(self, progress: Progress) -> bool:
        answer = self._client.request("GET", f"records/{quoted(progress.draft_id)}", ok=(200, *GONE))
        return answer.status not in GONE and _is_published(answer.json())

    def _note_published(self, progress: Progress, page: str | None = None) -> None:
        page = page or f"{self._client.address.removesuffix('/api')}/records/{progress.draft_id}"
        progress.keep(stage=DEPOSITED, record_id=progress.draft_id, draft_id=None, page=page)

    def _has_record(self, record_id: str, deposit: Deposit) -> bool:
        """True if a published record has the same files: nothing else says what came of a publication."""
        there = self._entries(f"records/{quoted(record_id)}/files")
        return len(there) == len(deposit.files) and all(
            file.name in there and _has(there[file.name], file) for file in deposit.files
        )

    def _draft_path(self, progress: Progress) -> str:
        return f"records/{quoted(progress.draft_id)}/draft"

    # ------------------------------------------------------------------------------------------- metadata

    def _metadata(self, said: Description) -> dict[str, Any]:
        """The record, without files."""
        language = iso_639_3(said.language)
        known: dict[str, Any] = {
            "resource_type": {"id": self._resource_type},
            "title": said.title if len(said.title) >= _SHORTEST_TITLE else f"{said.title} ({said.blog_title})",
            "creators": [_creator(name) for name in said.creators] or [_organisation(said.blog_title)],
            "publication_date": said.date,
            "publisher": said.blog_title,
            "description": _paragraphs(said.beginning),
            "languages": [{"id": language}] if language else [],
            "subjects": [{"subject": tag} for tag in said.tags],
            "version": said.captured,
            "dates": [
                {"date": said.captured, "type": {"id": "collected"}},
                *([{"date": said.updated, "type": {"id": "updated"}}] if said.updated else []),
            ],
            "identifiers": [{"identifier": said.marker, "scheme": "urn"}, {"identifier": said.url, "scheme": "url"}],
            "related_identifiers": [
                {"identifier": said.url, "scheme": "url", "relation_type": {"id": "isderivedfrom"}},
                {"identifier": said.blog, "scheme": "url", "relation_type": {"id": "ispartof"}},
            ],
        }
        return {
            "access": {"record": "public", "files": "public"},
            "files": {"enabled": True},
            "metadata": {name: value for name, value in known.items() if value},
        }


class _Token:
    """A personal access token. It is in no message, and in no representation."""

    def __init__(self, token: str) -> None:
        self._token = token

    def headers(self, method: str) -> dict[str, str]:  # noqa: ARG002
        if not self._token or not self._token.isascii() or any(sign.isspace() for sign in self._token):
            raise NotPermitted(
                f"The variable {TOKEN} of the environment has no token; make one in the repository, under Settings, "
                "Applications, Personal access tokens."
            )
        return {"Authorization": f"Bearer {self._token}"}

    def heed(self, answer: Answer) -> None:
        """Nothing changes."""

    def renew(self, answer: Answer) -> bool:  # noqa: ARG002
        return False

    def hint(self) -> str:
        return (
            f"is the token in {TOKEN} one of this repository, still valid, and its account allowed to upload, and into "
            "the community?"
        )


def _creator(name: str) -> dict[str, Any]:
    """A person; where the blog itself says which part is the family's name, in two parts."""
    parts = _PERSON.fullmatch(name)
    named = {"family_name": parts[1].strip(), "given_name": parts[2].strip()} if parts else {"family_name": name}
    return {"person_or_org": {"type": "personal", **named}}


def _organisation(name: str) -> dict[str, Any]:
    return {"person_or_org": {"type": "organizational", "name": name}}


def _paragraphs(text: str | None) -> str:
    return "".join(f"<p>{escape(part)}</p>" for part in (text or "").split("\n\n") if part.strip())


def _hits(answer: Answer) -> list[dict[str, Any]]:
    hits = (answer.json().get("hits") or {}).get("hits") or []
    return [hit for hit in hits if isinstance(hit, dict) and hit.get("id")]


def _identifiers(hit: dict[str, Any]) -> set[str]:
    return {str(one.get("identifier")) for one in hit.get("metadata", {}).get("identifiers") or []}


def _is_published(record: dict[str, Any]) -> bool:
    return bool(record.get("is_published"))


def _index(record: dict[str, Any]) -> int:
    return int((record.get("versions") or {}).get("index") or 1)


def _page(record: dict[str, Any]) -> str | None:
    page = (record.get("links") or {}).get("self_html")
    return str(page) if page else None


def _has(entry: dict[str, Any], file: DepositFile) -> bool:
    return entry.get("checksum") == f"md5:{file.md5}"
