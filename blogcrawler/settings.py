"""Every setting of blogcrawler, with what it does.

Any of them can be given with `-s NAME=VALUE`. Settings that are not listed have Scrapy's defaults.
"""

from __future__ import annotations

import sys
from pathlib import Path

from blogcrawler import __version__
from blogcrawler.early_signals import heed_early_signals

if "scrapy.cmdline" in sys.modules and (Path(__file__).parent / f"commands/{''.join(sys.argv[1:2])}.py").exists():
    heed_early_signals()  # Scrapy's own program reads this first, and imports all commands then for a second or more

# --- The archive -----------------------------------------------------------------------------------------------------

# The database that keeps blogs, posts and the state of crawls, as an SQLAlchemy URL.
DATABASE_URL = "sqlite:///archive/archive.db"
# The folder of stored files.
ARCHIVE = "archive/"

# --- The crawl -------------------------------------------------------------------------------------------------------

# Pages after which a crawl stops; 0 for no limit.
PAGE_LIMIT = 0
# Seconds after which a crawl stops; 0 for no limit.
TIME_LIMIT = 0
# Pages over which the yield of new posts is watched: a crawl stops when a window of so many pages brought none, or
# sooner when pages led to most of the known posts again and to no other; 0 stops for neither; updatecrawl sets 100.
HARVEST_WINDOW = 500

# --- Many blogs -------------------------------------------------------------------------------------------------------

# Crawls that `monitor` has under way at once, over all monitors of an archive.
MONITOR_CRAWLS = 2
# Seconds between two crawls of a blog that `monitor` starts, at least; after a crawl that failed it waits as long, and
# twice as long with each further failure.
UPDATE_INTERVAL_MIN = 60 * 60
# The same at most, however seldom the blog has a new post, or however often its crawls have failed; a hundred years
# if it is to be never.
UPDATE_INTERVAL_MAX = 7 * 24 * 60 * 60
# Crawls of a blog that may fail in a row before `worker` gives it up, until somebody puts it back.
QUEUE_ATTEMPTS = 8
# Seconds of silence after which a worker, or a process that fetches pages for another one (FRONTIER_URL), is taken for
# lost, and others do what it was at; the same for all. From 1 to 31536000, a year; with FRONTIER_URL more than
# BACKEND_PATIENCE, or all are taken for lost where Redis was away.
WORKER_LOST_AFTER = 60.0
# The queue of `monitor`, `worker`, `status` and `metrics` where --queue names none.
QUEUE_URL = ""
# The port at which `worker`, and `monitor --every`, tell Prometheus what they do, and at which `metrics` does where
# --port names none; 0 for none, and for 9464 with `metrics`.
METRICS_PORT = 0
# The address of this machine at which they do.
METRICS_ADDRESS = "127.0.0.1"

# Seconds that a crawl waits for a server that it needs and that is away, before it ends: of the database, of the Redis
# that crawlers share, or of the object store.
BACKEND_PATIENCE = 30

# --- Many machines ---------------------------------------------------------------------------------------------------

# The Redis through which crawlers of several processes or machines keep the delays of hosts together, such as
# redis://localhost:6379/0; none keeps them within each process.
GATE_URL = ""
# The Redis through which the process that crawls a blog has others, given the same command, fetch and read pages for
# it; none crawls alone. Unless GATE_URL names another one, it also keeps the delays of hosts.
FRONTIER_URL = ""
# Seconds between two requests of the whole fleet to hosts of one registered domain (blogspot.com), which may be one
# server, however many blogs it has.
GATE_SERVER_DELAY = 0.1

# --- Comments ---------------------------------------------------------------------------------------------------------

# Whether the comments of posts are read from the feeds and public endpoints that tell them (about a request for each
# post that has some), and else from their pages.
COMMENTS = True

# --- Pages that live by scripts ---------------------------------------------------------------------------------------

# Which pages are shown in a browser before they are read: `auto` (of blogs, or posts' comments, that only scripts
# show), `always` or `never`.
RENDER = "auto"
# The browser, a Chromium or Chrome; none looks for Playwright's own, then for the system's.
RENDER_BROWSER = ""
# Pages that are in the browser at once; each mostly waits, so there may be twice as many as there are cores.
RENDER_CONCURRENCY = 4
# Seconds after which a page is taken as it is then.
RENDER_TIMEOUT = 60
# What is not fetched for pages in the browser: kinds of files ("stylesheet", "script", "xhr", "fetch", "texttrack" and
# "other" may be named, too), what counts visitors or shows adverts ("tracker"), and frames of other sites that hold no
# comments ("frame").
RENDER_BLOCKED = ["image", "font", "media", "tracker", "frame"]

# --- What is kept ----------------------------------------------------------------------------------------------------

# Whether a picture of each rendered post, of the whole page, is kept below ARCHIVE and named in the record's `media`;
# images and fonts are fetched for it.
SCREENSHOTS = False
# Whether the files of posts are kept: images, sounds, films, what links offer for download, enclosures of feeds.
MEDIA = True
# Where: a folder, s3://BUCKET/FOLDER/ or gs://BUCKET/FOLDER/ (see Scrapy's settings AWS_… and GCS_PROJECT_ID); empty
# for the folder of ARCHIVE.
FILES_STORE = ""
# Media types that are kept, as patterns; what a file is its content tells.
MEDIA_TYPES = ["image/*", "audio/*", "video/*", "application/*", "text/*", "font/*"]
# Bytes of the largest file that is kept.
MEDIA_MAX_BYTES = 64 * 1024 * 1024
# Confidence, 0 to 1, below which a field of a record is left empty.
CONFIDENCE_MINIMUM = 0.3

# Whether what servers send is kept as it was sent, in WARC files, to which records refer.
WARC = True

# --- Deposit in repositories -----------------------------------------------------------------------------------------

# Where posts go at the end of a crawl: the archive, which is always first, and repositories, such as
# "invenio URL COMMUNITY", "dspace URL COLLECTION" or the class of your own, as in "my_module.MyRepository".
PROPAGATE_TO = ["archive"]
# Times that a repository is asked again after an error that may pass: after a second, then twice as long each time.
DEPOSIT_RETRIES = 4

# --- Who we are ------------------------------------------------------------------------------------------------------

# Name of the program in Scrapy's logs.
BOT_NAME = "blogcrawler"
# A web or mail address for owners of crawled sites; goes into the user agent, and into exports that say who made them.
CONTACT = ""
# Name of the organisation that hands exports over; goes into formats that say who does (bagit, mets).
ORGANISATION = ""
# What servers are told about the crawler; CONTACT is added at the end.
USER_AGENT = f"blogcrawler/{__version__} (blog archiving)"
# The name by which robots.txt addresses the crawler.
ROBOTSTXT_USER_AGENT = "blogcrawler"
# Adds CONTACT to USER_AGENT, and leaves parts of Scrapy's out that other settings have off.
ADDONS = {"blogcrawler.downloader.useragent.ContactAddon": 0, "blogcrawler.component.UnusedPartsAddon": 0}
# Sent with every request. No Accept-Language: a blog in several languages answers in its own.
# Only encodings that archives of web pages can be read back from.
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Encoding": "gzip, deflate",
}

# --- Politeness ------------------------------------------------------------------------------------------------------

# Whether robots.txt is obeyed.
ROBOTSTXT_OBEY = True
# Seconds for which a robots.txt serves later crawls unasked; updatecrawl sets 86400, the most that there is (RFC 9309).
ROBOTSTXT_LIFETIME = 0
# Requests under way at once, over all hosts; files and comments of other hosts than the blog's come on top.
CONCURRENT_REQUESTS = 4
# Requests under way at once to one host.
CONCURRENT_REQUESTS_PER_DOMAIN = 4
# Seconds between two requests to one host, at least; ± DOWNLOAD_DELAY_JITTER.
DOWNLOAD_DELAY = 0.5
# Part by which the delay varies at random.
DOWNLOAD_DELAY_JITTER = 0.5
# Whether the delay follows the time that a host takes to answer.
AUTOTHROTTLE_ENABLED = True
# Seconds between the first requests to a host, until its answering time is known.
AUTOTHROTTLE_START_DELAY = 1.0
# Seconds, the longest delay that AutoThrottle sets.
AUTOTHROTTLE_MAX_DELAY = 60.0
# Requests that a host should be answering at any time, on average.
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
# Whether what was fetched before is sent again by the server only if it has changed (If-None-Match, If-Modified-Since);
# pages are kept for that in the file http-cache.db of ARCHIVE.
HTTPCACHE_ENABLED = True
# Which pages are kept, and when they count as unchanged: only when the server says so.
HTTPCACHE_POLICY = "blogcrawler.downloader.revalidation.RevalidationPolicy"
# Where and how they are kept.
HTTPCACHE_STORAGE = "blogcrawler.downloader.http_cache.SqliteCacheStorage"

# --- When a request fails --------------------------------------------------------------------------------------------

# Times that a request is tried again after an error of network or server, or a body that breaks off: of a server that
# fails one time in ten, one page in a hundred thousand is lost. A file of a post is tried again once, at most.
RETRY_TIMES = 4
# Statuses that are tried again at once; 429 and 503 are the back-off's.
RETRY_HTTP_CODES = [500, 502, 504, 522, 524, 408]
# Times that a request is tried again, each time later, after 429 (too many requests) or 503 (unavailable).
BACKOFF_TIMES = 3
# Whether pages of every status reach the spider, which counts why a page could not be used.
HTTPERROR_ALLOW_ALL = True
# Seconds that a crawl waits for a server of the blog that has stopped answering, and asks whether it is back, before it
# ends.
SERVER_PATIENCE = 60
# Redirects that are followed in a row.
REDIRECT_MAX_TIMES = 5
# Seconds: a page that refreshes itself to another address sooner than this is a redirect.
METAREFRESH_MAXDELAY = 10

# --- Safety ----------------------------------------------------------------------------------------------------------

# Hosts, host:port pairs and networks that a crawl may reach although they are not on the public internet.
ALLOWED_PRIVATE_HOSTS: list[str] = []
# Whether a start URL that is not on the public internet may be crawled; turn off when strangers choose start URLs.
ALLOW_PRIVATE_START = True
# Looks names up, IPv4 and IPv6, and leaves out addresses that a crawl must not reach.
TWISTED_DNS_RESOLVER = "blogcrawler.downloader.resolver.GuardedResolver"
# Seconds that looking a name up may take.
DNS_TIMEOUT = 15
# What keeps requests until they may begin.
DOWNLOADER = "blogcrawler.downloader.slots.Downloader"
# What fetches a URL of which scheme: the web and nothing else.
DOWNLOAD_HANDLERS = {
    "http": "blogcrawler.downloader.handler.GuardedDownloadHandler",
    "https": "blogcrawler.downloader.handler.GuardedDownloadHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
# Whether certificates of https servers are verified; False also fetches from blogs whose certificate has run out.
DOWNLOAD_VERIFY_CERTIFICATES = True
# Bytes of the largest body that is fetched, also after decompression.
DOWNLOAD_MAXSIZE = 32 * 1024 * 1024
# Bytes of a body that is worth a warning; 0 never warns.
DOWNLOAD_WARNSIZE = 16 * 1024 * 1024
# Seconds that one download may take.
DOWNLOAD_TIMEOUT = 60
# Seconds of processor time that reading one page, file or feed may take before it is given up; 0 for no limit.
PAGE_TIME_LIMIT = 20.0
# Whether a body that is shorter than announced is an error; we retry it, then keep it with the flag "truncated".
DOWNLOAD_FAIL_ON_DATALOSS = False
# Characters of the longest URL that is followed.
URLLENGTH_LIMIT = 2083
# Whether cookies are kept: a visitor without them sees the same page each time. Sites that ask for consent may need
# them.
COOKIES_ENABLED = False
# Bytes of pages in work above which no further page is fetched.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 3_000_000
# A Python console over telnet into the running crawl.
TELNETCONSOLE_ENABLED = False
# A server on localhost that runs Python in the crawl.
REMOTE_CONTROL_ENABLED = False

# --- What is loaded --------------------------------------------------------------------------------------------------

# Where `scrapy crawl NAME` finds spiders.
SPIDER_MODULES = ["blogcrawler.spiders"]
# Where the program finds its commands.
COMMANDS_MODULE = "blogcrawler.commands"
# The event loop: asyncio's.
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
# Whether Scrapy warns of generators that return a value, for which it reads the source of callbacks for each page.
WARN_ON_GENERATOR_RETURN_VALUE = False
# The stages that a post passes, lowest number first.
ITEM_PIPELINES = {
    "blogcrawler.pipelines.render.RenderPipeline": 100,
    "blogcrawler.pipelines.content.ContentPipeline": 200,
    "blogcrawler.pipelines.comments.CommentsPipeline": 300,
    "blogcrawler.pipelines.media.MediaPipeline": 400,
    "blogcrawler.pipelines.warc.WarcPipeline": 450,
    "blogcrawler.pipelines.propagate.PropagatePipeline": 500,
}
# What a request passes on its way to the server, lowest number first, and its response on the way back.
DOWNLOADER_MIDDLEWARES = {
    "blogcrawler.downloader.kept.KeptPageMiddleware": 5,
    "blogcrawler.downloader.guard.GuardMiddleware": 10,
    "blogcrawler.downloader.removed.RemovedPostsMiddleware": 15,
    "blogcrawler.downloader.redirects.RedirectMiddleware": 20,
    "blogcrawler.downloader.kept.DelegateMiddleware": 25,
    "blogcrawler.downloader.render.RenderMiddleware": 30,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "blogcrawler.downloader.robots.RobotsTxtMiddleware": 100,
    "blogcrawler.downloader.patience.PatienceMiddleware": 540,
    "blogcrawler.downloader.foreign.ForeignHostsMiddleware": 555,
    "blogcrawler.downloader.backoff.BackoffMiddleware": 560,
    "blogcrawler.downloader.revalidation.RevalidationMiddleware": 585,
    "scrapy.downloadermiddlewares.httpcache.HttpCacheMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "blogcrawler.downloader.redirects.MetaRefreshMiddleware": 580,
    "blogcrawler.downloader.exchanges.CaptureMiddleware": 593,
    "blogcrawler.downloader.truncation.TruncationMiddleware": 595,
    "blogcrawler.downloader.redirects.CookieWallMiddleware": 602,
    "blogcrawler.downloader.exchanges.RedirectCaptureMiddleware": 605,
}
# What watches the whole crawl; Pace corrects AutoThrottle and so comes after it.
EXTENSIONS = {
    "scrapy.extensions.throttle.AutoThrottle": None,
    "blogcrawler.downloader.pace.AutoThrottle": 0,
    "blogcrawler.downloader.pace.Pace": 10,
    "blogcrawler.downloader.gate.FleetGate": 15,
    "blogcrawler.browser.Renderer": 20,
    "blogcrawler.capture.Capture": 30,
    "blogcrawler.reporting.progress.Progress": 500,
    "blogcrawler.report.CrawlReport": 505,
    "blogcrawler.reporting.summary.Summary": 510,
    "blogcrawler.reporting.counts.CountsTeller": 520,
    "scrapy.extensions.logstats.LogStats": None,
}

# --- What is written -------------------------------------------------------------------------------------------------

# Whether each crawl leaves a report of itself in ARCHIVE, a page of HTML and the same as JSON; see docs/report.md.
REPORTS = True
# The newest reports of a blog that are kept; 0 keeps all.
REPORTS_KEPT = 20
# Whether the summary on a terminal tells how all was found, as --verbose asks for; logs and reports always do.
VERBOSE = False
# The least important messages that are logged.
LOG_LEVEL = "INFO"
# How important it is that a page could not be fetched however often; what that means for the crawl is logged besides.
RETRY_GIVE_UP_LOG_LEVEL = "INFO"
# How a line of the log looks.
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Whether all counters are logged at the end; the summary has those that matter.
STATS_DUMP = False
# Where the counters are kept.
STATS_CLASS = "blogcrawler.reporting.stats.Stats"
# What writes files of JSON Lines, with -o and -O.
FEED_EXPORTERS = dict.fromkeys(("jsonlines", "jsonl", "jl"), "blogcrawler.pipelines.output.JsonLines")
# Encoding of files that -o and -O write.
FEED_EXPORT_ENCODING = "utf-8"
# Whether -o and -O also write a file when the crawl found no post: an empty file is an answer, too.
FEED_STORE_EMPTY = True
