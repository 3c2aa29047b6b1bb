"""Deposits in an InvenioRDM, whatever happens on the way."""

from __future__ import annotations

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from blogcrawler.backend import FileStore
from blogcrawler.deposit import Depositor
from blogcrawler.deposit.invenio import Invenio
from blogcrawler.errors import DepositRefused, NotPermitted, RepositoryUnavailable
from blogcrawler.items import Media
from tests.deposit.archives import HASTE, HOME, LATER, PNG, a_post, bring_all, opened
from tests.deposit.invenio_server import COMMUNITY, SLUG, TOKEN, InvenioServer
from tests.deposit.serving import Reply


@pytest.fixture
def server():
    with InvenioServer() as serving:
        yield serving


@pytest.fixture
def archive(tmp_path):
    with opened(tmp_path, a_post(tmp_path)) as found:
        yield found


def invenio(server, community=None, **more):
    return Invenio(server.url, community, **({"token": TOKEN, "pace": HASTE} | more))


def the_record(server):
    """The only record, of which nothing is in work."""
    assert server.drafts == {}
    (record,) = server.published()
    return record


def test_a_post_becomes_a_record_with_its_files(tmp_path, archive, server):
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    record = the_record(server)
    marker = record["metadata"].pop("identifiers")[0]
    assert marker["scheme"] == "urn"
    assert marker["identifier"].startswith("urn:uuid:")
    assert record["metadata"] == {
        "resource_type": {"id": "publication-other"},
        "title": "Post a",
        "creators": [
            {"person_or_org": {"type": "personal", "family_name": "Ann Lee"}},
            {"person_or_org": {"type": "personal", "family_name": "Okafor", "given_name": "Bo"}},
        ],
        "publication_date": "2014-05-02",
        "publisher": "Ann's tea",
        "description": "<p>Water for a &amp; more</p><p>Boil it.</p>",
        "languages": [{"id": "eng"}],
        "subjects": [{"subject": "tea"}, {"subject": "green tea"}],
        "version": "2026-11-21",
        "dates": [
            {"date": "2026-11-21", "type": {"id": "collected"}},
            {"date": "2014-06-01", "type": {"id": "updated"}},
        ],
        "related_identifiers": [
            {"identifier": f"{HOME}a", "scheme": "url", "relation_type": {"id": "isderivedfrom"}},
            {"identifier": HOME, "scheme": "url", "relation_type": {"id": "ispartof"}},
        ],
    }
    kept = next(archive.records(HOME))
    picture = f"{kept.media[0].sha256}.png"
    assert list(server.files[record["id"]]) == ["record.json", "post.html", picture]
    assert json.loads(server.content(record["id"], "record.json")) == kept.to_dict()
    page = server.content(record["id"], "post.html").decode()
    assert f'<img src="{picture}">' in page
    assert "<p>Fine.</p>" in page
    assert server.content(record["id"], picture) == PNG
    row = archive.deposits(invenio(server).name).find(1)
    assert (row.record_id, row.draft_id, row.page) == (record["id"], None, f"{server.url}/records/{record['id']}")


def test_of_a_post_of_which_nothing_is_known(tmp_path, server):
    from blogcrawler.items import Record

    with opened(tmp_path, Record(HOME, f"{HOME}b"), Record(HOME, f"{HOME}c", title="Hi")) as archive:
        assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"] * 2
    said = [record["metadata"] for record in server.published()]
    assert [one["title"] for one in said] == ["[no title]", "Hi (Ann's tea)"]
    assert said[0]["publication_date"] == "2026-11-21"
    assert said[0]["creators"] == [{"person_or_org": {"type": "organizational", "name": "Ann's tea"}}]


def test_the_same_again_is_no_request(tmp_path, archive, server):
    bring_all(archive, tmp_path, invenio(server))
    server.log.clear()
    archive.save_record(a_post(tmp_path, updated="2014-07-01", provenance=a_post(tmp_path, "z").provenance), now=LATER)
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    assert server.log == []


def test_a_changed_post_becomes_a_new_version_and_what_is_as_it_was_is_not_sent_again(tmp_path, archive, server):
    bring_all(archive, tmp_path, invenio(server))
    first = the_record(server)
    server.log.clear()
    archive.save_record(a_post(tmp_path, title="Changed", media=a_post(tmp_path).media), now=LATER)
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    second = the_record(server)
    assert (second["versions"]["index"], second["parent"]["id"]) == (2, first["parent"]["id"])
    assert second["metadata"]["title"] == "Changed"
    assert second["metadata"]["publication_date"] == "2014-05-02"
    assert json.loads(server.content(second["id"], "record.json"))["title"] == "Changed"
    assert json.loads(server.content(first["id"], "record.json"))["title"] == "Post a"
    sent = [line.split("/")[-2] for line in server.log if line.startswith("PUT") and line.endswith("/content")]
    assert sent == ["record.json", "post.html"]


TROUBLE = {
    "cut before": {},
    "cut after": {"after": True},
    "500": {"reply": Reply(500, {"status": 500, "message": "Internal server error"})},
    "429": {"reply": Reply(429, {"status": 429, "message": "Too many requests"}, {"Retry-After": "0"}), "times": 2},
    "409": {"reply": Reply(409, {"status": 409, "message": "Conflict"})},
}


@pytest.mark.parametrize(
    ("trouble", "community", "change"),
    [
        *((name, None, False) for name in TROUBLE),
        ("cut before", SLUG, False),
        ("cut after", SLUG, False),
        ("cut after", None, True),
    ],
    ids=str,
)
def test_one_record_comes_of_a_post_whichever_request_fails(tmp_path, server, trouble, community, change):
    """Each request of a deposit fails in turn: the first one of the first post, the second one of the second, …"""
    paths = [f"{number}" for number in range(20)]
    with opened(tmp_path, *(a_post(tmp_path, path) for path in paths)) as archive:
        depositor = Depositor(archive, invenio(server, community), FileStore(tmp_path / "archive"))
        (blog,) = archive.blogs()
        if change:
            for path in paths:
                depositor.bring(archive.post(HOME, f"{HOME}{path}"), blog)
                archive.save_record(a_post(tmp_path, path, content_text="Changed"), now=LATER)
        for number, path in enumerate(paths):
            fault = server.fail(".*", first=number + 1, **TROUBLE[trouble])
            assert depositor.bring(archive.post(HOME, f"{HOME}{path}"), blog).stage == "deposited"
            has_failed = fault.seen > number
            server.faults.clear()
    assert not has_failed, "a deposit has more requests than were made to fail"
    assert server.drafts == {}
    assert sorted(record["metadata"]["title"] for record in server.published()) == sorted(
        f"Post {path}" for path in paths
    )
    assert len(server.records) == len(paths) * (1 + change)
    for record in server.published():
        assert [entry["status"] for entry in server.files[record["id"]].values()] == ["completed"] * 3
        assert (json.loads(server.content(record["id"], "record.json"))["content_text"] == "Changed") == change


def test_a_draft_whose_answer_was_lost_is_found_though_the_index_is_late(tmp_path, archive):
    with InvenioServer(index_delay_s=0.3) as server:
        server.fail("POST /api/records", after=True)
        late = type(HASTE)(tries=5, delay_s=0.001, settle_s=0.5, timeout_s=5)
        assert bring_all(archive, tmp_path, invenio(server, pace=late)) == ["deposited"]
        the_record(server)
        assert server.log.count("POST /api/records") == 1


def test_what_an_archive_that_is_lost_has_deposited_is_found(tmp_path, archive, server):
    bring_all(archive, tmp_path, invenio(server))
    (tmp_path / "again").mkdir()
    with opened(tmp_path / "again", a_post(tmp_path / "again"), a_post(tmp_path / "again", "b")) as again:
        assert bring_all(again, tmp_path / "again", invenio(server)) == ["deposited"] * 2
        assert (len(server.records), server.drafts) == (2, {})
    (tmp_path / "other").mkdir()
    with opened(tmp_path / "other", a_post(tmp_path / "other", title="Changed")) as other:
        assert bring_all(other, tmp_path / "other", invenio(server)) == ["deposited"]
    assert sorted(record["versions"]["index"] for record in server.published()) == [1, 2]


def test_a_post_that_is_changed_while_its_draft_is_in_work_is_published_as_it_is(tmp_path, archive, server):
    server.fail("POST .*/publish", Reply(500), times=9)
    with pytest.raises(RepositoryUnavailable):
        bring_all(archive, tmp_path, invenio(server))
    archive.save_record(a_post(tmp_path, title="Changed", media=[]), now=LATER)
    server.faults.clear()
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    record = the_record(server)
    assert record["metadata"]["title"] == "Changed"
    assert list(server.files[record["id"]]) == ["record.json", "post.html"]


def test_a_draft_that_somebody_discards_is_made_again(tmp_path, archive, server):
    assert bring_all(archive, tmp_path, invenio(server), is_draft=True) == ["kept as draft"]
    server.log.clear()
    assert bring_all(archive, tmp_path, invenio(server), is_draft=True) == ["kept as draft"]
    assert server.log == []
    server.drafts.clear()
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    the_record(server)


def test_a_draft_that_somebody_publishes_is_deposited(tmp_path, archive, server):
    bring_all(archive, tmp_path, invenio(server), is_draft=True)
    server._publish(next(iter(server.drafts)))
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    assert the_record(server)["versions"]["index"] == 1


# ---------------------------------------------------------------------------------------------------- communities


@pytest.mark.parametrize("name", [SLUG, COMMUNITY])
def test_a_community_that_accepts_at_once(tmp_path, archive, server, name):
    assert bring_all(archive, tmp_path, invenio(server, name)) == ["deposited"]
    assert the_record(server)["parent"]["communities"]["ids"] == [COMMUNITY]
    archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
    assert bring_all(archive, tmp_path, invenio(server, name)) == ["deposited"]
    assert the_record(server)["versions"]["index"] == 2


def test_a_community_with_a_curator(tmp_path, archive):
    with InvenioServer(accepts=False) as server:
        assert bring_all(archive, tmp_path, invenio(server, SLUG)) == ["submitted"]
        server.log.clear()
        assert bring_all(archive, tmp_path, invenio(server, SLUG)) == ["submitted"]
        assert (server.log, server.records) == ([], {})
        archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
        assert bring_all(archive, tmp_path, invenio(server, SLUG)) == ["submitted"]
        (pid,) = server.drafts
        assert server.drafts[pid]["metadata"]["title"] == "Changed"
        server.accept(pid)
        archive.save_record(a_post(tmp_path, title="Again"), now=LATER)
        assert bring_all(archive, tmp_path, invenio(server, SLUG)) == ["deposited"]
        assert (the_record(server)["metadata"]["title"], len(server.records)) == ("Again", 2)


def test_a_post_that_a_curator_has_declined_is_handed_in_again_when_it_has_changed(tmp_path, archive):
    with InvenioServer(accepts=False) as server:
        bring_all(archive, tmp_path, invenio(server, SLUG))
        (pid,) = server.drafts
        server.decline(pid)
        archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
        assert bring_all(archive, tmp_path, invenio(server, SLUG)) == ["submitted"]
        assert server.reviews[pid]["status"] == "submitted"


def test_a_community_that_is_not_there(tmp_path, archive, server):
    with pytest.raises(NotPermitted, match="no community 'blogs'"):
        bring_all(archive, tmp_path, invenio(server, "blogs"))
    assert server.records == {}


# ---------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("pattern", "reply", "error", "said"),
    [
        ("POST /api/records", Reply(401, {"message": "no"}), NotPermitted, "INVENIO_TOKEN"),
        ("PUT .*/draft", Reply(403, {"message": "Permission denied."}), NotPermitted, "403 Forbidden: Permission denied."),
        ("PUT .*/content", Reply(413, {"message": "File is too large."}), DepositRefused, "413 .*File is too large."),
        ("POST .*/publish", Reply(400, {"message": "Bad.", "errors": [{"field": "metadata.title", "messages": ["Long."]}]}), DepositRefused, "metadata.title: Long."),
        ("POST .*/publish", Reply(409, {"message": "Conflict"}), DepositRefused, "409 Conflict"),
        ("GET /api/user/records", Reply(502, {"message": "\x1b[31mno\n"}), RepositoryUnavailable, "502 Bad Gateway"),
        ("GET /api/user/records", Reply(429, headers={"Retry-After": "3600"}), RepositoryUnavailable, "asks to wait 3600 seconds"),
        ("GET /api/user/records", Reply(429, headers={"Retry-After": "0"}), RepositoryUnavailable, "429 Too Many Requests"),
        ("GET /api/user/records", Reply(302, headers={"Location": "http://127.0.0.2:9/"}), NotPermitted, "redirects to http://127.0.0.2:9"),
        ("POST /api/records", Reply(201, [1]), DepositRefused, "is it an InvenioRDM"),
    ],
    ids=lambda value: value.status if isinstance(value, Reply) else None,
)  # fmt: skip
def test_what_is_refused_is_told_in_a_sentence(tmp_path, archive, server, pattern, reply, error, said):
    server.fail(pattern, reply, times=99)
    with pytest.raises(error, match=said) as told:
        bring_all(archive, tmp_path, invenio(server))
    assert str(told.value).isprintable()
    assert TOKEN not in str(told.value) + repr(told.value.__cause__)
    assert server.records == {}
    server.faults.clear()
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    the_record(server)


def test_a_token_goes_to_the_repository_alone(tmp_path, archive, server, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password b")
    monkeypatch.setenv("NETRC", str(netrc))
    with InvenioServer() as other:
        server.fail(".*", Reply(302, headers={"Location": f"{other.url}/api/records"}), times=99)
        with pytest.raises(NotPermitted):
            bring_all(archive, tmp_path, invenio(server))
        assert other.log == []
    assert set(server.secrets) == {f"Bearer {TOKEN}"}


@pytest.mark.parametrize("token", ["", "a b", "ä"])
def test_without_a_token(tmp_path, archive, server, monkeypatch, token):
    monkeypatch.setenv("INVENIO_TOKEN", token)
    with pytest.raises(NotPermitted, match="The environment variable INVENIO_TOKEN"):
        bring_all(archive, tmp_path, invenio(server, token=None))
    assert server.log == []


def test_a_file_that_arrives_damaged_is_taken_back(tmp_path, archive, server):
    server.damages = True
    with pytest.raises(DepositRefused, match="arrived damaged"):
        bring_all(archive, tmp_path, invenio(server))
    assert server.records == {}
    server.damages = False
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    the_record(server)


def test_a_file_that_the_archive_has_lost_is_told_and_nothing_half_is_published(tmp_path, archive, server):
    for file in (tmp_path / "archive").rglob("*"):
        if file.is_file():
            file.unlink()
    with pytest.raises(DepositRefused, match="blogcrawler verify"):
        bring_all(archive, tmp_path, invenio(server))
    assert server.log == []


def test_many_files_are_one(tmp_path, server):
    store = FileStore(tmp_path / "archive")
    kept = [store.put(f"{number}".encode()) for number in range(120)]
    media = [Media(f"{HOME}{number}", one.path, one.sha256, "text/plain", one.bytes) for number, one in enumerate(kept)]
    with opened(tmp_path, a_post(tmp_path, media=media)) as archive:
        assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    record = the_record(server)
    assert list(server.files[record["id"]]) == ["record.json", "post.html", "media.zip"]
    with ZipFile(BytesIO(server.content(record["id"], "media.zip"))) as archive_of_files:
        assert archive_of_files.namelist() == [f"{one.sha256}.txt" for one in kept]
        assert archive_of_files.read(f"{kept[7].sha256}.txt") == b"7"


def test_rate_limits_are_honoured(tmp_path, archive, server):
    import time

    server.fail(
        "GET /api/user/records",
        Reply(200, {"hits": {"hits": []}}, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(time.time() + 1.2)}),
    )
    begin = time.monotonic()
    assert bring_all(archive, tmp_path, invenio(server)) == ["deposited"]
    assert time.monotonic() - begin > 0.9


def test_deposits_are_of_one_repository(tmp_path, archive, server):
    with InvenioServer() as other:
        bring_all(archive, tmp_path, invenio(server))
        bring_all(archive, tmp_path, invenio(other))
        the_record(server)
        the_record(other)


def test_a_post_that_moves_keeps_its_record(tmp_path, archive, server):
    """Also where it was taken for another one at its new address."""
    bring_all(archive, tmp_path, invenio(server))
    archive.move(HOME, f"{HOME}a", f"{HOME}b", now=LATER)
    bring_all(archive, tmp_path, invenio(server))
    assert the_record(server)["versions"]["index"] == 2
    archive.save_record(a_post(tmp_path, "new"), now=LATER)
    archive.save_record(a_post(tmp_path, "old", title="Old"), now=LATER)
    depositor = Depositor(archive, invenio(server), FileStore(tmp_path / "archive"))
    depositor.bring(archive.post(HOME, f"{HOME}new"), archive.blogs()[0])
    archive.move(HOME, f"{HOME}old", f"{HOME}new", now=LATER)
    bring_all(archive, tmp_path, invenio(server))
    assert (len(server.published()), server.drafts) == (2, {})
