"""The settings that users choose, with what each does. Any of them can be given with `-s NAME=VALUE`.

Others, which few users need, are in `advanced_settings`; settings that neither module names have Scrapy's defaults.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler import __version__
from blogcrawler.advanced_settings import *  # noqa: F403
from blogcrawler.early_signals import heed_early_signals

if TYPE_CHECKING:
    from blogcrawler.setting_types import (
        Count,
        Flag,
        Interval,
        LogFormat,
        LogLevel,
        Port,
        PositiveCount,
        PositiveSeconds,
        Probability,
        Processes,
        Rendering,
        Seconds,
        SecondsOfADay,
        SecondsOfAYear,
        Text,
        Texts,
    )

if "scrapy.cmdline" in sys.modules and (Path(__file__).parent / f"commands/{''.join(sys.argv[1:2])}.py").exists():
    heed_early_signals()  # Scrapy's own program reads this first, and imports all commands then for a second or more

# --- Where to keep it -------------------------------------------------------------------------------------------------

# The database that keeps blogs, posts and the state of crawls, as an SQLAlchemy URL.
DATABASE_URL: Text = "sqlite:///archive/archive.db"
# The folder of stored files.
ARCHIVE: Text = "archive/"
# Where files are stored: a folder, s3://BUCKET/FOLDER/ or gs://BUCKET/FOLDER/ (see Scrapy's settings AWS_… and
# GCS_PROJECT_ID); empty for the folder of ARCHIVE.
FILES_STORE: Text = ""
# Where posts go at the end of a crawl: the archive, which is always first, and repositories, such as
# "invenio URL COMMUNITY", "dspace URL COLLECTION" or the class of your own, as in "my_module.MyRepository".
PROPAGATE_TO: Texts = ["archive"]

# --- What to keep -----------------------------------------------------------------------------------------------------

# Whether the files of posts are kept: images, sounds, films, what links offer for download, enclosures of feeds.
MEDIA: Flag = True
# Media types that are kept, as patterns; the type is detected from the content.
MEDIA_TYPES: Texts = ["image/*", "audio/*", "video/*", "application/*", "text/*", "font/*"]
# Bytes of the largest file that is kept.
MEDIA_MAX_BYTES: Count = 64 * 1024 * 1024
# Whether the comments of posts are read from the feeds and public endpoints that tell them (about a request for each
# post that has some), and else from their pages.
COMMENTS: Flag = True
# Whether what servers send is kept as it was sent, in WARC files, to which records refer.
WARC: Flag = True
# Whether a picture of each rendered post, of the whole page, is kept below ARCHIVE and named in the record's `media`;
# images and fonts are fetched for it.
SCREENSHOTS: Flag = False
# Confidence, 0 to 1, below which a field of a record is left empty.
CONFIDENCE_MINIMUM: Probability = 0.3
# Whether each crawl leaves a report of itself in ARCHIVE, a page of HTML and the same as JSON; see docs/report.md.
REPORTS: Flag = True
# The newest reports of a blog that are kept; 0 keeps all.
REPORTS_KEPT: Count = 20

# --- Politeness -------------------------------------------------------------------------------------------------------

# A web or mail address for owners of crawled sites; goes into the user agent, and into exports that say who made them.
CONTACT: Text = ""
# Name of the organisation that hands exports over; goes into formats that say who does (bagit, mets).
ORGANISATION: Text = ""
# What servers are told about the crawler; CONTACT is added at the end.
USER_AGENT: Text = f"blogcrawler/{__version__} (blog archiving)"
# Whether robots.txt is obeyed.
ROBOTSTXT_OBEY: Flag = True
# Seconds between two requests to one host, at least; ± DOWNLOAD_DELAY_JITTER.
DOWNLOAD_DELAY: Seconds = 0.5
# Whether the delay follows the time that a host takes to answer.
AUTOTHROTTLE_ENABLED: Flag = True
# Requests under way at once, over all hosts; files and comments of other hosts than the blog's come on top.
CONCURRENT_REQUESTS: PositiveCount = 4
# Seconds that a crawl waits for a server of the blog that has stopped answering, before the crawl ends.
SERVER_PATIENCE: SecondsOfADay = 60

# --- Limits -----------------------------------------------------------------------------------------------------------

# Pages after which a crawl stops; 0 for no limit.
PAGE_LIMIT: Count = 0
# Seconds after which a crawl stops; 0 for no limit.
TIME_LIMIT: Seconds = 0
# Pages over which the yield of new posts is watched: a crawl stops when a window of so many pages brought none, or
# sooner when pages led to most of the known posts again and to no other; 0 stops for neither; updatecrawl sets 100.
HARVEST_WINDOW: Count = 500
# Bytes of the largest body that is fetched, also after decompression.
DOWNLOAD_MAXSIZE: Count = 32 * 1024 * 1024
# Whether certificates of https servers are verified; False also fetches from blogs whose certificate has run out.
DOWNLOAD_VERIFY_CERTIFICATES: Flag = True
# Hosts, host:port pairs and networks that a crawl may reach although they are not on the public internet.
ALLOWED_PRIVATE_HOSTS: Texts = []
# Whether a start URL that is not on the public internet may be crawled; turn off when strangers choose start URLs.
ALLOW_PRIVATE_START: Flag = True

# --- Rendering --------------------------------------------------------------------------------------------------------

# Which pages are shown in a browser before they are read: `auto` (of blogs, or posts' comments, that only scripts
# show), `always` or `never`.
RENDER: Rendering = "auto"
# The browser, a Chromium or Chrome; none looks for Playwright's own, then for the system's.
RENDER_BROWSER: Text = ""
# Seconds after which a page is taken as it is then.
RENDER_TIMEOUT: PositiveSeconds = 60
# What is not fetched for pages in the browser: kinds of files ("stylesheet", "script", "xhr", "fetch", "texttrack" and
# "other" may be named, too), what counts visitors or shows adverts ("tracker"), and frames of other sites that hold no
# comments ("frame").
RENDER_BLOCKED: Texts = ["image", "font", "media", "tracker", "frame"]

# --- Many blogs -------------------------------------------------------------------------------------------------------

# Crawls that `monitor` has under way at once, over all monitors of an archive.
MONITOR_CRAWLS: Processes = 2
# Seconds between two crawls of a blog that `monitor` starts, at least; after a crawl that failed it waits as long, and
# twice as long with each further failure.
UPDATE_INTERVAL_MIN: Interval = 60 * 60
# The same at most, however seldom the blog has a new post, or however often its crawls have failed; a hundred years
# if it is to be never.
UPDATE_INTERVAL_MAX: Interval = 7 * 24 * 60 * 60
# The queue of `monitor`, `worker`, `status` and `metrics`, unless --queue names another one.
QUEUE_URL: Text = ""
# Crawls of a blog that may fail in a row before `worker` gives it up, until somebody puts it back.
QUEUE_ATTEMPTS: PositiveCount = 8
# Seconds of silence after which a worker, or a process that fetches pages for another one (FRONTIER_URL), is taken for
# lost, and others do what it was at; the same for all. From 1 to 31536000, a year; with FRONTIER_URL more than
# BACKEND_PATIENCE, or all are taken for lost where Redis was away.
WORKER_LOST_AFTER: SecondsOfAYear = 60.0
# Seconds that a crawl waits for a server that it needs and that is away, before it ends: of the database, of the Redis
# that crawlers share, or of the object store.
BACKEND_PATIENCE: SecondsOfADay = 30
# The Redis through which crawlers of several processes or machines keep the delays of hosts together, such as
# redis://localhost:6379/0; none keeps them within each process.
GATE_URL: Text = ""
# The Redis through which the process that crawls a blog has others, given the same command, fetch and read pages for
# it; none crawls alone. Unless GATE_URL names another one, it also keeps the delays of hosts.
FRONTIER_URL: Text = ""
# The port at which `worker`, `monitor --every` and `metrics` serve figures for Prometheus, unless --port names another
# one; with 0, `metrics` uses 9464, and the others serve none.
METRICS_PORT: Port = 0
# The address of this machine at which they do.
METRICS_ADDRESS: Text = "127.0.0.1"

# --- Logs -------------------------------------------------------------------------------------------------------------

# The least important messages that are logged.
LOG_LEVEL: LogLevel = "INFO"
# The format of a line of the log: `text`, `json` for one JSON object in a line, or a format of Python's logging.
LOG_FORMAT: LogFormat = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Whether the summary on a terminal shows where posts and fields came from, as with --verbose. Logs and reports always
# do.
VERBOSE: Flag = False
