"""Posts that are not what their digests say."""

from __future__ import annotations

from tests.export.archives import ANN, LATER, a_record, fill


def test_posts_of_any_kind_are_what_their_digests_say(archive):
    fill(archive)
    archive.save_record(a_record("half", title="\ud800 half\0", content_text="1\ud83d"), now=LATER)
    archive.save_record(a_record("half", title="whole", content_text="2"), now=LATER)
    assert len(archive.versions(ANN, f"{ANN}half")) == 1
    assert list(archive.altered_posts()) == []
    assert archive.damages() == []


def test_posts_that_were_altered_are_found(archive):
    fill(archive)
    with archive.transaction() as connection:
        connection.exec_driver_sql("UPDATE post SET title = 'Another' WHERE title = 'Post b'")
        connection.exec_driver_sql("UPDATE post_version SET content_sha256 = 'none'")
    version, post = sorted(fault.where for fault in archive.altered_posts())[::-1]
    assert post.endswith("/b")
    assert version == "post_version 1"
