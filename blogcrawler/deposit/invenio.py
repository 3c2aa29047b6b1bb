"""InvenioRDM: a post is a record; a later change of the post is a new version of the record.

After an interruption, the next call finds what earlier calls have done: a draft by our identifier in its metadata,
files by their checksums, and a publication by the record's address.
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

    from blogcrawler.deposit.client import Pace, ServerResponse
    from blogcrawler.deposit.repository import Deposit, DepositFile, Description, Progress

TOKEN = "INVENIO_TOKEN"  # noqa: S105  the name of a variable
_SHORTEST_TITLE = 3
_PERSON = re.compile(r"([^,]+),\s*([^,]+)")


class Invenio(WebRepository):
    """An InvenioRDM server, and optionally the community to which posts are submitted."""

    most_files = 100
    """InvenioRDM's default quota of files per record."""

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
        if draft is None:  # the record found on the server is published and has the same content
            return
        draft = self._describe(deposit, progress, draft)
        self._upload(deposit.files, progress, draft)
        if deposit.is_draft:
            progress.keep(stage=KEPT, sha256=deposit.sha256)
        else:
            self._publish(deposit, progress, draft)

    def _draft(self, deposit: Deposit, progress: Progress) -> dict[str, Any] | None:
        """Return the draft to work on, an existing or a new one; None if nothing is left to do."""
        if progress.draft_id is not None:
            answer = self._client.request("GET", self._draft_path(progress), ok=(200, *GONE))
            if answer.status not in GONE:
                return answer.json()
            if self._is_published(progress):  # a person published a draft that we left unpublished
                self._note_published(progress)
                if progress.row.sha256 == deposit.sha256:
                    return None
            else:  # somebody deleted it
                progress.keep(draft_id=None, stage=BEGUN)
        if progress.record_id is None:
            record = self._find(progress)
            if record is not None and not _is_published(record):
                return self._drafted(progress, record)
            if record is not None:
                progress.keep(record_id=str(record["id"]), page=_page(record))
                if self._has_record(str(record["id"]), deposit):
                    progress.keep(stage=DEPOSITED, sha256=deposit.sha256)
                    return None
        if progress.record_id is not None:
            return self._drafted(progress, self._new_version(progress))
        progress.keep(stage=BEGUN)
        answer = self._client.request("POST", "records", value=self._metadata(deposit.description), ok=(201,))
        return self._drafted(progress, answer.json())

    def _find(self, progress: Progress) -> dict[str, Any] | None:
        """Find the record or draft of a post after a lost response; wait once, since the search index is updated with a
        delay."""
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
        """Return the draft of the record's next version; repeated calls return the same draft until it is published."""
        answer = self._client.request(
            "POST", f"records/{quoted(progress.record_id)}/versions", ok=(201, *GONE), is_repeatable=True
        )
        if answer.status in GONE:
            raise DepositRefused(
                f"The record {progress.record_id} of {self._client.address} was deleted there; a deleted record "
                "cannot have a new version."
            )
        return answer.json()

    def _drafted(self, progress: Progress, draft: dict[str, Any]) -> dict[str, Any]:
        if not draft.get("id"):
            raise DepositRefused(f"{self._client.address} sent a response without a draft; is it an InvenioRDM server?")
        progress.keep(draft_id=str(draft["id"]), stage=DRAFTED, page=_page(draft))
        return draft

    def _describe(self, deposit: Deposit, progress: Progress, draft: dict[str, Any]) -> dict[str, Any]:
        """Write the metadata. The server saves invalid drafts too, and returns their validation errors."""
        value = self._metadata(deposit.description)
        value |= {name: draft[name] for name in ("pids", "custom_fields") if draft.get(name)}
        draft = self._client.request("PUT", self._draft_path(progress), value=value).json()
        faults = [fault for fault in draft.get("errors") or [] if not str(fault.get("field", "")).startswith("files")]
        if faults and not deposit.is_draft:
            errors = "; ".join(
                f"{fault.get('field')}: {' '.join(map(str, fault.get('messages', [])))}" for fault in faults
            )
            raise DepositRefused(f"{self._client.address} rejects the metadata of the post: {errors}")
        return draft

    def _upload(self, files: Iterable[DepositFile], progress: Progress, draft: dict[str, Any]) -> None:
        """Make the draft's files equal to these files; files that are already there are not sent again."""
        missing_files = {file.name: file for file in files}
        path = f"{self._draft_path(progress)}/files"
        uploaded_files = self._entries(path)
        if not uploaded_files and _index(draft) > 1:
            self._import_files(progress)
            uploaded_files = self._entries(path)
        for name, entry in uploaded_files.items():
            file = missing_files.get(name)
            is_done = entry.get("status") == "completed"
            if file is None or (is_done and not _has(entry, file)):
                self._client.request("DELETE", f"{path}/{quoted(name)}", ok=(204, *GONE))
            elif is_done:
                del missing_files[name]
        new_entries = [
            {"key": name}
            for name in missing_files
            if name not in uploaded_files or uploaded_files[name].get("status") == "completed"
        ]
        if new_entries:
            self._client.request("POST", path, value=new_entries, ok=(201,))
        for file in missing_files.values():
            self._send(f"{path}/{quoted(file.name)}", file)

    def _entries(self, path: str) -> dict[str, dict[str, Any]]:
        entries = self._client.request("GET", path).json().get("entries") or []
        return {str(entry["key"]): entry for entry in entries}

    def _import_files(self, progress: Progress) -> None:
        """Copy the files of the last version into the new version, so that unchanged files are not sent again."""
        path = f"{self._draft_path(progress)}/actions/files-import"
        self._client.request("POST", path, ok=(200, 201, 400, 404, 409), is_repeatable=True)

    def _send(self, path: str, file: DepositFile) -> None:
        self._client.request("PUT", f"{path}/content", stream=file.open)
        entry = self._client.request("POST", f"{path}/commit").json()
        if not _has(entry, file):
            self._client.request("DELETE", path, ok=(204, *GONE))
            raise DepositRefused(
                f"{file.name} arrived damaged (checksum {entry.get('checksum')} instead of md5:{file.md5}) and was "
                "deleted; run the same command again to send it again."
            )

    def _publish(self, deposit: Deposit, progress: Progress, draft: dict[str, Any]) -> None:
        if self._community is not None and _index(draft) == 1:
            self._submit(deposit, progress)
            return
        progress.keep(stage=SUBMITTING, sha256=deposit.sha256)
        answer = self._client.request("POST", f"{self._draft_path(progress)}/actions/publish", ok=(202, 200, 201))
        self._note_published(progress, _page(answer.json()))

    def _submit(self, deposit: Deposit, progress: Progress) -> None:
        """Submit the draft to the community: members with the right to do so publish at once, else a curator must
        accept it."""
        path = f"{self._draft_path(progress)}/review"
        review = self._client.request("GET", path, ok=(200, 404))
        is_open = review.status != 404 and review.json().get("is_open")
        if not is_open:
            value = {"receiver": {"community": self._receiver()}, "type": "community-submission"}
            self._client.request("PUT", path, value=value)
            progress.keep(stage=SUBMITTING, sha256=deposit.sha256)
            comment = {"payload": {"content": "Deposited by blogcrawler.", "format": "html"}}
            self._client.request("POST", f"{self._draft_path(progress)}/actions/submit-review", value=comment)
        if self._is_published(progress):
            self._note_published(progress)
        else:
            progress.keep(stage=SUBMITTED, sha256=deposit.sha256)

    def _receiver(self) -> str:
        """Id of the community, which stays the same when the community's name changes."""
        if self._community_id is None:
            answer = self._client.request("GET", f"communities/{quoted(self._community)}", ok=(200, *GONE))
            if answer.status in GONE:
                raise NotPermitted(
                    f"{self._client.address} has no community {self._community!r}, or hides it from this account; the "
                    "last part of the community's web address is its name."
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
        """True if a published record has the same files. The files are the only evidence of what it was published
        from."""
        uploaded_files = self._entries(f"records/{quoted(record_id)}/files")
        return len(uploaded_files) == len(deposit.files) and all(
            file.name in uploaded_files and _has(uploaded_files[file.name], file) for file in deposit.files
        )

    def _draft_path(self, progress: Progress) -> str:
        return f"records/{quoted(progress.draft_id)}/draft"

    def _metadata(self, description: Description) -> dict[str, Any]:
        """Metadata and access settings of the record."""
        language = iso_639_3(description.language)
        metadata: dict[str, Any] = {
            "resource_type": {"id": self._resource_type},
            "title": description.title
            if len(description.title) >= _SHORTEST_TITLE
            else f"{description.title} ({description.blog_title})",
            "creators": [_creator(name) for name in description.creators] or [_organisation(description.blog_title)],
            "publication_date": description.date,
            "publisher": description.blog_title,
            "description": _paragraphs(description.beginning),
            "languages": [{"id": language}] if language else [],
            "subjects": [{"subject": tag} for tag in description.tags],
            "version": description.captured,
            "dates": [
                {"date": description.captured, "type": {"id": "collected"}},
                *([{"date": description.updated, "type": {"id": "updated"}}] if description.updated else []),
            ],
            "identifiers": [
                {"identifier": description.marker, "scheme": "urn"},
                {"identifier": description.url, "scheme": "url"},
            ],
            "related_identifiers": [
                {"identifier": description.url, "scheme": "url", "relation_type": {"id": "isderivedfrom"}},
                {"identifier": description.blog, "scheme": "url", "relation_type": {"id": "ispartof"}},
            ],
        }
        return {
            "access": {"record": "public", "files": "public"},
            "files": {"enabled": True},
            "metadata": {name: value for name, value in metadata.items() if value},
        }


class _Token:
    """A personal access token. No message and no `repr` contains it."""

    def __init__(self, token: str) -> None:
        self._token = token

    def headers(self, method: str) -> dict[str, str]:  # noqa: ARG002
        if not self._token or not self._token.isascii() or any(sign.isspace() for sign in self._token):
            raise NotPermitted(
                f"The environment variable {TOKEN} contains no token; create one in the repository, under Settings, "
                "Applications, Personal access tokens."
            )
        return {"Authorization": f"Bearer {self._token}"}

    def heed(self, answer: ServerResponse) -> None:
        """Do nothing: the token stays the same."""

    def renew(self, answer: ServerResponse) -> bool:  # noqa: ARG002
        return False

    def hint(self) -> str:
        return (
            f"check that the token in {TOKEN} belongs to this repository, is valid, and may upload, also to "
            "the community?"
        )


def _creator(name: str) -> dict[str, Any]:
    """A creator; with family and given name if the blog writes "Family, Given"."""
    parts = _PERSON.fullmatch(name)
    named = {"family_name": parts[1].strip(), "given_name": parts[2].strip()} if parts else {"family_name": name}
    return {"person_or_org": {"type": "personal", **named}}


def _organisation(name: str) -> dict[str, Any]:
    return {"person_or_org": {"type": "organizational", "name": name}}


def _paragraphs(text: str | None) -> str:
    return "".join(f"<p>{escape(part)}</p>" for part in (text or "").split("\n\n") if part.strip())


def _hits(answer: ServerResponse) -> list[dict[str, Any]]:
    hits = (answer.json().get("hits") or {}).get("hits") or []
    return [hit for hit in hits if isinstance(hit, dict) and hit.get("id")]


def _identifiers(hit: dict[str, Any]) -> set[str]:
    return {str(identifier.get("identifier")) for identifier in hit.get("metadata", {}).get("identifiers") or []}


def _is_published(record: dict[str, Any]) -> bool:
    return bool(record.get("is_published"))


def _index(record: dict[str, Any]) -> int:
    return int((record.get("versions") or {}).get("index") or 1)


def _page(record: dict[str, Any]) -> str | None:
    page = (record.get("links") or {}).get("self_html")
    return str(page) if page else None


def _has(entry: dict[str, Any], file: DepositFile) -> bool:
    return entry.get("checksum") == f"md5:{file.md5}"
