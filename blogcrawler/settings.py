"""The documented settings. `-s NAME=VALUE` sets any of them.

`advanced_settings` has further ones, which few users need. All other settings have Scrapy's defaults.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler import __version__
from blogcrawler.advanced_settings import *  # noqa: F403
from blogcrawler.early_signals import heed_early_signals

if TYPE_CHECKING:
    from blogcrawler import setting_types as types

if "scrapy.cmdline" in sys.modules and (Path(__file__).parent / f"commands/{''.join(sys.argv[1:2])}.py").exists():
    heed_early_signals()  # the scrapy command reads this module first, then imports all commands for a second or more

# --- Where to keep it -------------------------------------------------------------------------------------------------

# The database of blogs, posts and the state of crawls, as an SQLAlchemy URL.
DATABASE_URL: types.Text = "sqlite:///archive/archive.db"
# The folder for files, WARC files, reports and logs.
ARCHIVE: types.Text = "archive/"
# Where media files are stored: a folder, s3://BUCKET/FOLDER/ or gs://BUCKET/FOLDER/ (see Scrapy's settings AWS_… and
# GCS_PROJECT_ID). Empty: the folder of ARCHIVE.
FILES_STORE: types.Text = ""
# Where posts go at the end of a crawl. The archive is always first. Repositories are written as "invenio URL
# COMMUNITY", "dspace URL COLLECTION" or a class of your own, such as "my_module.MyRepository".
PROPAGATE_TO: types.Texts = ["archive"]

# --- What to keep -----------------------------------------------------------------------------------------------------

# Save the media files of posts: images, audio, video, linked attachments, enclosures of the feed.
MEDIA: types.Flag = True
# The media types that are saved, as patterns. The type is detected from the content.
MEDIA_TYPES: types.Texts = ["image/*", "audio/*", "video/*", "application/*", "text/*", "font/*"]
# Largest media file that is saved, in bytes.
MEDIA_MAX_BYTES: types.Count = 64 * 1024 * 1024
# Archive the comments of posts: from feeds and public endpoints (about one request per post with comments), otherwise
# from the pages.
COMMENTS: types.Flag = True
# Save the original responses of servers in WARC files, which records refer to.
WARC: types.Flag = True
# Save a full-page screenshot of each rendered post, listed in the record's `media`. Its images and fonts are fetched.
SCREENSHOTS: types.Flag = False
# Fields with a lower confidence (0 to 1) are left empty.
CONFIDENCE_MINIMUM: types.Probability = 0.3
# Write a report of each crawl below ARCHIVE, as HTML and JSON; see docs/report.md.
REPORTS: types.Flag = True
# Number of reports that are kept per blog, newest first; 0 keeps all.
REPORTS_KEPT: types.Count = 20

# --- Politeness -------------------------------------------------------------------------------------------------------

# Your web or mail address, for the owners of crawled sites. It is added to the user agent, and to exports that name
# their maker.
CONTACT: types.Text = ""
# The name of your organisation, for exports that name it (bagit, mets).
ORGANISATION: types.Text = ""
# The user agent sent to servers; CONTACT is added at the end.
USER_AGENT: types.Text = f"blogcrawler/{__version__} (blog archiving)"
# Obey robots.txt.
ROBOTSTXT_OBEY: types.Flag = True
# Minimum seconds between two requests to a host, varied at random by DOWNLOAD_DELAY_JITTER.
DOWNLOAD_DELAY: types.Seconds = 0.5
# Seconds between two requests to a web archive from which captures are read.
CAPTURES_DELAY: types.Seconds = 1.0
# Wait longer between requests to a host that answers slowly.
AUTOTHROTTLE_ENABLED: types.Flag = True
# Maximum concurrent requests to the blog's hosts. Media files and comments on other hosts are not counted.
CONCURRENT_REQUESTS: types.PositiveCount = 4
# Seconds to wait for a server of the blog that has stopped answering, before the crawl ends.
SERVER_PATIENCE: types.SecondsOfADay = 60

# --- Limits -----------------------------------------------------------------------------------------------------------

# Stop a crawl after this many pages; 0 for no limit.
PAGE_LIMIT: types.Count = 0
# Stop a crawl after this many seconds; 0 for no limit.
TIME_LIMIT: types.Seconds = 0
# Stop a crawl when this many pages in a row led to no new post, or earlier, when pages led only to known posts, and to
# most of them. 0: do not stop for these reasons. updatecrawl uses 100.
HARVEST_WINDOW: types.Count = 500
# Largest response body that is fetched, in bytes, before and after decompression.
DOWNLOAD_MAXSIZE: types.Count = 32 * 1024 * 1024
# Verify the certificates of https servers. False also crawls blogs with an expired certificate.
DOWNLOAD_VERIFY_CERTIFICATES: types.Flag = True
# Hosts, host:port pairs and networks outside the public internet that a crawl may reach.
ALLOWED_PRIVATE_HOSTS: types.Texts = []
# Allow start URLs outside the public internet. Turn this off if strangers choose start URLs.
ALLOW_PRIVATE_START: types.Flag = True

# --- Rendering --------------------------------------------------------------------------------------------------------

# Which pages are opened in a browser: `auto` (only if their posts or comments need scripts), `always` or `never`.
RENDER: types.Rendering = "auto"
# Path of a Chromium or Chrome. Empty: Playwright's own browser, otherwise the system's.
RENDER_BROWSER: types.Text = ""
# Maximum seconds in the browser; then the page is used in its current state.
RENDER_TIMEOUT: types.PositiveSeconds = 60
# What the browser does not fetch: kinds of files ("image", "font", "media", "stylesheet", "script", "xhr", "fetch",
# "texttrack", "other"), visitor counters and advertisements ("tracker"), frames of other sites without comments
# ("frame").
RENDER_BLOCKED: types.Texts = ["image", "font", "media", "tracker", "frame"]

# --- Many blogs -------------------------------------------------------------------------------------------------------

# Maximum concurrent crawls, over all monitors of an archive.
MONITOR_CRAWLS: types.Processes = 2
# Minimum seconds between two crawls of a blog that `monitor` starts. After a failed crawl it waits this long, and twice
# as long after each further failure.
UPDATE_INTERVAL_MIN: types.Interval = 60 * 60
# Maximum seconds between two crawls of a blog, however rarely it has new posts or however often its crawls fail. To
# never crawl again: a hundred years.
UPDATE_INTERVAL_MAX: types.Interval = 7 * 24 * 60 * 60
# The queue of `monitor`, `worker`, `status` and `metrics`, if --queue is not given.
QUEUE_URL: types.Text = ""
# Consecutive failed crawls of a blog after which `worker` gives it up, until somebody requeues it.
QUEUE_ATTEMPTS: types.PositiveCount = 8
# Seconds without a sign of life after which a worker, or a process that helps with a crawl (FRONTIER_URL), counts as
# dead and others take over its work. From 1 to 31536000 (a year). Use one value everywhere; with FRONTIER_URL, more
# than BACKEND_PATIENCE.
WORKER_LOST_AFTER: types.SecondsOfAYear = 60.0
# Seconds to wait for an unavailable database, Redis or object store before a crawl ends.
BACKEND_PATIENCE: types.SecondsOfADay = 30
# The Redis through which crawls in several processes or machines share the delays of hosts, such as
# redis://localhost:6379/0. Empty: each process keeps its own delays.
GATE_URL: types.Text = ""
# The Redis through which several processes, given the same command, crawl one blog together. Empty: one process crawls
# it. Also used as GATE_URL if that is empty.
FRONTIER_URL: types.Text = ""
# The port at which `worker`, `monitor --every` and `metrics` serve metrics for Prometheus, unless an option sets it.
# With 0, `metrics` uses 9464, and the others serve none.
METRICS_PORT: types.Port = 0
# The local address at which metrics are served.
METRICS_ADDRESS: types.Text = "127.0.0.1"

# --- Logs -------------------------------------------------------------------------------------------------------------

# The lowest level that is logged.
LOG_LEVEL: types.LogLevel = "INFO"
# The format of a log line: `text`, `json` for one JSON object per line, or a format of Python's logging.
LOG_FORMAT: types.LogFormat = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Show the sources of posts and fields in the summary on a terminal, as --verbose does. Logs and reports always have
# them.
VERBOSE: types.Flag = False
