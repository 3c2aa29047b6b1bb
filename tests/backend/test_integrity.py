"""Posts that are not what their digests say."""

from __future__ import annotations

from tests.export.archives import ANN, LATER, a_record, filled


def test_posts_of_any_kind_are_what_their_digests_say(tmp_path):
    with filled(tmp_path) as archive:
        archive.save_record(a_record("half", title="\ud800 half\0", content_text="1\ud83d"), now=LATER)
        archive.save_record(a_record("half", title="whole", content_text="2"), now=LATER)
        assert len(archive.versions(ANN, f"{ANN}half")) == 1
        assert list(archive.altered_posts()) == []
        assert archive.damages() == []
