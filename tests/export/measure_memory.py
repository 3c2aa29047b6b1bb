"""Prints, for each format, how many KiB more memory the export of a large archive takes than that of a small one.

python -m tests.export.measure_memory FOLDER
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from blogcrawler.backend import Archive
from blogcrawler.export import FORMATS, Selection
from tests.export.archives import ANN, a_record, capture

SMALL, LARGE = 210, 700
TEXT = f"The kettle is on, and the water is not boiling yet. {'Whistle' * 14} " * 200


def make(file: Path, size: int) -> Archive:
    """An archive of posts of 60 KB each, half of it long words, which cost an index little."""
    archive = Archive.open(f"sqlite:///{file}")
    with archive.transaction():
        for number in range(size):
            post = a_record(f"{number}", content_text=f"{number} {TEXT}", content_html=f"<p>{number} {TEXT}</p>")
            capture(archive, file.parent, post, name=f"{size}-{number}.warc.gz")
    return archive


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def chosen(archive: Archive) -> Selection:
    assert archive.file is not None
    return Selection.of(archive, [ANN], warcs=archive.file.parent / "warc")


def main(folder: Path) -> None:
    with make(folder / "small.db", SMALL) as small, make(folder / "large.db", LARGE) as large:
        for name, made in FORMATS.items():
            made.export(chosen(small), str(folder / name))
        for name, made in FORMATS.items():
            before = peak()
            made.export(chosen(large), str(folder / name))
            assert (folder / name).stat().st_size
            print(name, peak() - before)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
