"""The archive: posts and the state of crawls in a database, and stored files."""

from __future__ import annotations

from blogcrawler.backend.archive import (
    CAPTURED_FEEDS,
    COMMENT_FEED,
    NAMED_BY,
    Archive,
    BlogRow,
    FeedState,
    KeptPost,
    KnownPost,
)
from blogcrawler.backend.copying import copy_archive, rows_of
from blogcrawler.backend.corrections import KeptCorrection
from blogcrawler.backend.deposits import DepositRow
from blogcrawler.backend.failures import Failed
from blogcrawler.backend.files import Files, FileStore, StoredFile, path_of
from blogcrawler.backend.fixity import Fault, damaged_files, missing_files, size_of_files
from blogcrawler.backend.hold import Hold
from blogcrawler.backend.holder import Holder
from blogcrawler.backend.late import LATE_COMMENTS, LATE_MEDIA, LatePosts
from blogcrawler.backend.media import KeptMedia, MediaFiles
from blogcrawler.backend.missing import FIELDS
from blogcrawler.backend.objects import Bucket, ObjectStore
from blogcrawler.backend.queries import Numbers
from blogcrawler.backend.register import Due, WantedBlog
from blogcrawler.backend.schedule import Bounds
from blogcrawler.backend.search import BEGIN_MARK, END_MARK

__all__ = [
    "BEGIN_MARK",
    "CAPTURED_FEEDS",
    "COMMENT_FEED",
    "END_MARK",
    "FIELDS",
    "LATE_COMMENTS",
    "LATE_MEDIA",
    "NAMED_BY",
    "Archive",
    "BlogRow",
    "Bounds",
    "Bucket",
    "DepositRow",
    "Due",
    "Failed",
    "Fault",
    "FeedState",
    "FileStore",
    "Files",
    "Hold",
    "Holder",
    "KeptCorrection",
    "KeptMedia",
    "KeptPost",
    "KnownPost",
    "LatePosts",
    "MediaFiles",
    "Numbers",
    "ObjectStore",
    "StoredFile",
    "WantedBlog",
    "copy_archive",
    "damaged_files",
    "missing_files",
    "path_of",
    "rows_of",
    "size_of_files",
]
