"""Deposits in a DSpace, whatever happens on the way."""

from __future__ import annotations

import json
from io import BytesIO

import pytest

from blogcrawler.backend import FileStore
from blogcrawler.deposit import Depositor, Pace
from blogcrawler.deposit.client import FilePart
from blogcrawler.deposit.dspace import Dspace
from blogcrawler.deposit.repository import DepositFile
from blogcrawler.errors import DepositRefused, NotPermitted, RepositoryUnavailable
from tests.deposit.archives import HASTE, HOME, LATER, PNG, a_post, bring_all, opened
from tests.deposit.dspace_server import COLLECTION, PASSWORD, UI, USER, DspaceServer
from tests.deposit.serving import Reply

ONCE = Pace(tries=1, delay_s=0, longest_wait_s=1, timeout_s=5, settle_s=0)


@pytest.fixture
def server():
    with DspaceServer() as serving:
        yield serving


@pytest.fixture
def archive(tmp_path):
    with opened(tmp_path, a_post(tmp_path)) as found:
        yield found


def dspace(server, **more):
    given = {"user": USER, "password": PASSWORD, "token": "", "pace": HASTE} | more
    return Dspace(f"{server.url}/server", COLLECTION, **given)


def the_item(server):
    """The only item, of which nothing is in work."""
    assert (server.workspace, server.workflow) == ({}, {})
    (item,) = server.archived()
    return item


def test_a_post_becomes_an_item_with_its_files(tmp_path, archive, server):
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    item = the_item(server)
    metadata = dict(item["metadata"])
    assert metadata.pop("dc.identifier.other")[0].startswith("urn:uuid:")
    assert metadata.pop("dc.identifier.uri")[0] == f"{HOME}a"
    assert metadata == {
        "dc.title": ["Post a"],
        "dc.contributor.author": ["Ann Lee", "Okafor, Bo"],
        "dc.date.issued": ["2014-05-02"],
        "dc.publisher": ["Ann's tea"],
        "dc.type": ["Other"],
        "dc.language.iso": ["en"],
        "dc.subject": ["tea", "green tea"],
        "dc.description.abstract": ["Water for a & more\n\nBoil it."],
    }
    kept = next(archive.records(HOME))
    picture = f"{kept.media[0].sha256}.png"
    assert [file["name"] for file in item["files"]] == ["record.json", "post.html", picture]
    assert json.loads(server.content(item["uuid"], "record.json")) == kept.to_dict()
    assert server.content(item["uuid"], picture) == PNG
    row = archive.deposits(dspace(server).name).find(1)
    assert (row.record_id, row.draft_id, row.page) == (item["uuid"], None, f"{UI}/items/{item['uuid']}")
    server.log.clear()
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    assert server.log == []


def test_what_a_form_has_no_field_for_is_not_said(tmp_path, archive):
    own = [("dc.title", False, True, None), ("dc.creator", False, False, None), ("dc.identifier", True, False, None)]
    with DspaceServer(forms={"blogs": own}, page=2) as server:
        assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
        item = the_item(server)
        urn, url = item["metadata"]["dc.identifier"]
        assert (urn.partition(":")[0], url) == ("urn", f"{HOME}a")
        assert item["metadata"]["dc.creator"] == ["Ann Lee"]
        with opened(tmp_path / "again", a_post(tmp_path / "again")) as again:
            assert bring_all(again, tmp_path / "again", dspace(server)) == ["deposited"]
        the_item(server)


def test_what_a_template_says_stays_where_a_post_says_nothing(tmp_path):
    template = {"dc.subject": ["Weblogs"], "dc.publisher": ["Library"]}
    with DspaceServer(template=template) as server, opened(tmp_path, a_post(tmp_path, tags=[])) as archive:
        assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
        said = the_item(server)["metadata"]
    assert (said["dc.subject"], said["dc.publisher"]) == (["Weblogs"], ["Ann's tea"])


def test_a_changed_post_becomes_a_new_version_and_what_is_as_it_was_is_not_sent_again(tmp_path, archive, server):
    bring_all(archive, tmp_path, dspace(server))
    first = the_item(server)
    server.log.clear()
    archive.save_record(a_post(tmp_path, title="Changed", tags=[]), now=LATER)
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    second = the_item(server)
    assert second["history"] == server.items[first["uuid"]]["history"] is not None
    assert (second["metadata"]["dc.title"], "dc.subject" in second["metadata"]) == (["Changed"], False)
    assert first["metadata"]["dc.title"] == ["Post a"]
    assert json.loads(server.content(second["uuid"], "record.json"))["title"] == "Changed"
    assert json.loads(server.content(first["uuid"], "record.json"))["title"] == "Post a"
    assert len(second["files"]) == 3
    assert sum(line.startswith("POST /server/api/submission/workspaceitems/") for line in server.log) == 2


@pytest.mark.parametrize(
    ("change", "after"), [(False, False), (False, True), (True, True)], ids=["new before", "new after", "changed after"]
)
def test_one_item_comes_of_a_post_at_whichever_request_it_is_cut(tmp_path, server, after, change):
    """Each request of a deposit is cut in turn, which ends it; the same is asked for again, by another process."""
    paths = [f"{number}" for number in range(30)]
    with opened(tmp_path, *(a_post(tmp_path, path) for path in paths)) as archive:
        (blog,) = archive.blogs()

        def bring(path):
            repository = dspace(server, pace=ONCE)
            post = archive.post(HOME, f"{HOME}{path}")
            try:
                return Depositor(archive, repository, FileStore(tmp_path / "archive")).bring(post, blog).stage
            finally:
                repository.close()

        for number, path in enumerate(paths, 1):
            if change:
                bring(path)
                archive.save_record(a_post(tmp_path, path, content_text="Changed"), now=LATER)
            fault = server.fail(".*", first=number, after=after)
            try:
                assert bring(path) == "deposited"
                is_over = fault.seen < number
            except RepositoryUnavailable:
                is_over = False
            server.faults.clear()
            assert bring(path) == "deposited"
            assert (server.workspace, server.workflow) == ({}, {}), path
            if is_over:
                break
    assert is_over, "a deposit has more requests than were cut"
    assert sorted(item["metadata"]["dc.title"][0] for item in server.archived()) == sorted(
        f"Post {path}" for path in paths[:number]
    )
    assert len(server.items) == number * (1 + change)
    for item in server.archived():
        assert len(item["files"]) == 3
        assert (json.loads(server.content(item["uuid"], "record.json"))["content_text"] == "Changed") == change


TROUBLE = {
    "500": {"reply": Reply(500, {"status": 500, "message": "Internal server error"})},
    "429": {"reply": Reply(429, {"status": 429, "message": "Too many requests"}, {"Retry-After": "0"}), "times": 2},
    "409": {"reply": Reply(409, {"status": 409, "message": "Conflict"})},
    "401": {"reply": Reply(401, {"status": 401, "message": "Authentication is required"})},
    "403": {"reply": Reply(403, {"status": 403, "message": "Invalid CSRF token."}, {"DSPACE-XSRF-TOKEN": "stale"})},
}


@pytest.mark.parametrize("trouble", TROUBLE)
def test_one_run_gets_over_trouble_at_any_request_that_writes(tmp_path, server, trouble):
    paths = [f"{number}" for number in range(7)]
    with opened(tmp_path, *(a_post(tmp_path, path) for path in paths)) as archive:
        repository = dspace(server)
        depositor = Depositor(archive, repository, FileStore(tmp_path / "archive"))
        (blog,) = archive.blogs()
        for number, path in enumerate(paths):
            if trouble == "403":
                server.rotate()
            else:
                server.fail("(POST|PATCH) .*items.*", first=number + 1, **TROUBLE[trouble])
            assert depositor.bring(archive.post(HOME, f"{HOME}{path}"), blog).stage == "deposited"
            server.faults.clear()
        repository.close()
    assert (server.workspace, len(server.archived()), len(server.items)) == ({}, 7, 7)


def test_what_an_archive_that_is_lost_has_deposited_is_found(tmp_path, archive, server):
    bring_all(archive, tmp_path, dspace(server))
    (tmp_path / "again").mkdir()
    with opened(tmp_path / "again", a_post(tmp_path / "again"), a_post(tmp_path / "again", "b")) as again:
        assert bring_all(again, tmp_path / "again", dspace(server)) == ["deposited"] * 2
        assert (len(server.items), server.workspace) == (2, {})
    (tmp_path / "other").mkdir()
    with opened(tmp_path / "other", a_post(tmp_path / "other", title="Changed")) as other:
        assert bring_all(other, tmp_path / "other", dspace(server)) == ["deposited"]
    assert (len(server.items), len(server.archived())) == (3, 2)


def test_drafts_of_a_lost_archive_are_found_and_other_peoples_are_left_alone(tmp_path, archive, server):
    others = server._new_item({"dc.title": ["A thesis"]}, [], None)
    bring_all(archive, tmp_path, dspace(server), is_draft=True)
    assert len(server.workspace) == 2
    (tmp_path / "again").mkdir()
    with opened(tmp_path / "again", a_post(tmp_path / "again"), a_post(tmp_path / "again", "b")) as again:
        server.fail("POST /server/api/submission/workspaceitems")
        assert bring_all(again, tmp_path / "again", dspace(server)) == ["deposited"] * 2
    assert (list(server.workspace), len(server.archived())) == ([others], 2)


def test_a_draft_that_somebody_discards_or_publishes(tmp_path, archive, server):
    assert bring_all(archive, tmp_path, dspace(server), is_draft=True) == ["kept as draft"]
    (key,) = server.workspace
    del server.items[server.workspace.pop(key)]
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
    assert bring_all(archive, tmp_path, dspace(server), is_draft=True) == ["kept as draft"]
    (key,) = server.workspace
    server._archive(server.items[server.workspace.pop(key)])
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    assert (the_item(server)["metadata"]["dc.title"], len(server.items)) == (["Changed"], 2)


# ---------------------------------------------------------------------------------------------------- curators, versions


def test_a_collection_with_a_curator(tmp_path, archive):
    with DspaceServer(has_curator=True) as server:
        assert bring_all(archive, tmp_path, dspace(server)) == ["submitted"]
        archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
        assert bring_all(archive, tmp_path, dspace(server)) == ["submitted"]  # nobody else may change it now
        assert len(server.items) == 1
        server.accept()
        assert bring_all(archive, tmp_path, dspace(server)) == ["submitted"]
        server.reject()
        server.log.clear()
        assert bring_all(archive, tmp_path, dspace(server)) == ["submitted"]
        assert (server.log, len(server.items)) == ([], 2)
        archive.save_record(a_post(tmp_path, title="Again"), now=LATER)
        assert bring_all(archive, tmp_path, dspace(server)) == ["submitted"]
        server.accept()
    assert (the_item(server)["metadata"]["dc.title"], len(server.items)) == (["Again"], 2)


def test_a_repository_that_lets_nobody_make_versions_says_how_to_go_on(tmp_path, archive, server):
    bring_all(archive, tmp_path, dspace(server))
    archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
    server.versions = False
    with pytest.raises(DepositRefused, match=r"versioning\.submitterCanCreateNewVersion"):
        bring_all(archive, tmp_path, dspace(server))
    assert the_item(server)["metadata"]["dc.title"] == ["Post a"]
    server.versions = True
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]


@pytest.mark.parametrize("fate", ["deleted", "withdrawn"])
def test_an_item_that_is_not_there_any_more_is_not_made_again(tmp_path, archive, server, fate):
    bring_all(archive, tmp_path, dspace(server))
    (key,) = server.items
    if fate == "deleted":
        del server.items[key]
    else:
        server.items[key]["state"] = "withdrawn"
    archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
    with pytest.raises(DepositRefused, match=f"was {fate} there"):
        bring_all(archive, tmp_path, dspace(server))
    assert server.workspace == {}


def test_a_collection_whose_items_only_others_may_read(tmp_path, archive, server):
    server.is_closed = True
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    archive.save_record(a_post(tmp_path, title="Changed"), now=LATER)
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    assert (the_item(server)["metadata"]["dc.title"], len(server.items)) == (["Changed"], 2)
    (tmp_path / "again").mkdir()
    with opened(tmp_path / "again", a_post(tmp_path / "again")) as again:
        assert bring_all(again, tmp_path / "again", dspace(server)) == ["deposited"]
    assert (the_item(server)["metadata"]["dc.title"], len(server.items)) == (["Post a"], 3)


# ---------------------------------------------------------------------------------------------------- who we are


def test_a_token_that_runs_out_is_renewed(tmp_path, server):
    now = [1_800_000_000.0]
    server.now = lambda: now[0]
    with opened(tmp_path, *(a_post(tmp_path, path) for path in "abc")) as archive:
        repository = dspace(server, clock=lambda: now[0])
        depositor = Depositor(archive, repository)
        (blog,) = archive.blogs()
        for path, seconds in ("a", 0), ("b", 1700), ("c", 100):
            now[0] += seconds
            depositor.bring(archive.post(HOME, f"{HOME}{path}"), blog)
        assert len(server.logins) == 2
        server.tokens.clear()  # before its time
        archive.save_record(a_post(tmp_path, "a", title="Changed"), now=LATER)
        depositor.bring(archive.post(HOME, f"{HOME}a"), blog)
        assert len(server.logins) == 3
        repository.close()


def test_a_token_of_another_way_in(tmp_path, archive, server):
    server.lifetime_s = 60
    token = server.issue()
    server.lifetime_s = 1800
    assert bring_all(archive, tmp_path, dspace(server, user="", password="", token=token)) == ["deposited"]
    assert server.logins == [{}]
    the_item(server)


@pytest.mark.parametrize(
    ("given", "methods", "said"),
    [
        ({"password": "wrong"}, 'password realm="DSpace REST API"', "rejects the account in DSPACE_USER"),
        ({}, 'shibboleth realm="DSpace REST API", location="https://x"', "by shibboleth; set DSPACE_TOKEN to a token"),
        ({"user": "", "token": "a.b.c"}, "", "DSPACE_TOKEN"),
        ({"user": "", "password": ""}, "", "the environment variables DSPACE_USER and DSPACE_PASSWORD"),
    ],
)
def test_who_is_not_known(tmp_path, archive, server, given, methods, said):
    server.methods = methods or server.methods
    if "shibboleth" in methods:
        server.fail("POST .*/login", Reply(401, None, {"WWW-Authenticate": methods}), times=9)
    with pytest.raises(NotPermitted, match=said) as told:
        bring_all(archive, tmp_path, dspace(server, **given))
    assert PASSWORD not in str(told.value)
    assert server.items == {}


# ---------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("pattern", "reply", "error", "said"),
    [
        ("GET /server/api", Reply(404, {"message": "no"}), NotPermitted, "not a DSpace of version 7"),
        ("GET .*/findByCollection", Reply(404, {"message": "no"}), NotPermitted, f"has no collection {COLLECTION}"),
        ("POST .*/workspaceitems", Reply(403, {"message": "Access is denied"}), NotPermitted, "403 Forbidden: Access is denied.*DSPACE_USER"),
        ("POST .*/workspaceitems/[0-9]+", Reply(413, {"message": "Maximum upload size exceeded"}), DepositRefused, "413 .*Maximum upload size exceeded"),
        ("PATCH .*", Reply(422, {"message": "The field dc.x is not present"}), DepositRefused, "422 .*The field dc.x"),
        ("POST .*/workflowitems", Reply(422, {"message": "Start workflow failed"}), DepositRefused, "Start workflow failed"),
        ("POST .*/workspaceitems", Reply(409, {"message": "Conflict"}), DepositRefused, "409 Conflict"),
        ("GET .*/search/objects", Reply(502, {"message": "\x1b[31mno\n"}), RepositoryUnavailable, "502 Bad Gateway"),
        ("GET .*/search/objects", Reply(429, headers={"Retry-After": "3600"}), RepositoryUnavailable, "asks to wait 3600 seconds"),
        ("POST .*/workspaceitems", Reply(302, headers={"Location": "http://127.0.0.2:9/"}), NotPermitted, "redirects to http://127.0.0.2:9"),
        ("POST .*/workspaceitems", Reply(201, [1]), DepositRefused, "is it a DSpace"),
    ],
    ids=lambda value: value.status if isinstance(value, Reply) else None,
)  # fmt: skip
def test_what_is_refused_is_told_in_a_sentence(tmp_path, archive, server, pattern, reply, error, said):
    server.fail(pattern, reply, times=99)
    with pytest.raises(error, match=said) as told:
        bring_all(archive, tmp_path, dspace(server))
    assert str(told.value).isprintable()
    assert PASSWORD not in str(told.value) + repr(told.value.__cause__)
    assert server.archived() == []
    server.faults.clear()
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    the_item(server)


def test_what_a_form_requires_that_a_post_has_not_is_told(tmp_path, archive):
    own = [
        ("dc.title", False, True, None),
        ("dc.identifier.other", True, False, None),
        ("dc.rights", False, True, None),
    ]
    with DspaceServer(forms={"blogs": own}) as server:
        with pytest.raises(DepositRefused, match=r"blogs/dc\.rights: a required value is missing\."):
            bring_all(archive, tmp_path, dspace(server))
        with pytest.raises(DepositRefused):
            bring_all(archive, tmp_path, dspace(server))
        assert (len(server.workspace), server.archived()) == (1, [])


def test_a_file_that_arrives_damaged_is_taken_back(tmp_path, archive, server):
    server.damages = True
    with pytest.raises(DepositRefused, match="arrived damaged"):
        bring_all(archive, tmp_path, dspace(server))
    assert [one["files"] for one in server.items.values()] == [[]]
    server.damages = False
    assert bring_all(archive, tmp_path, dspace(server)) == ["deposited"]
    assert len(the_item(server)["files"]) == 3


def test_a_file_is_sent_as_it_is_read():
    """However large it is: what asks for it never has more than it asked for."""
    read = []

    class Large(BytesIO):
        def read(self, size=-1):
            read.append(size)
            return super().read(size)

    content = b"tea" * 100_000
    part = FilePart(DepositFile("a.bin", "application/x-tea", len(content), lambda: Large(content)))
    sent = b"".join(part)
    assert len(sent) == len(part)
    assert content in sent
    assert max(read) <= 1 << 16
    assert min(read) >= 0
