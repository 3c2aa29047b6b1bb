"""Output for users: counts, progress line and summary of a crawl, logs, and error messages."""

from __future__ import annotations

from blogcrawler.reporting.counts import Counts
from blogcrawler.reporting.exit_on_error import exit_on_error
from blogcrawler.reporting.json_log import JSON
from blogcrawler.reporting.logs import check_logs, leave_out_set_up, logs_of, new_log, start_log
from blogcrawler.reporting.tally import Tally
from blogcrawler.reporting.terminal import advancing, plain_console, table
from blogcrawler.sentences import (
    BEGINNING,
    FAILED,
    TEMPORARY_FAILURE,
    WRONG_USAGE,
    acknowledge,
    answer,
    end,
    interruptible,
    printable,
    say,
    show,
)

__all__ = [
    "BEGINNING",
    "FAILED",
    "JSON",
    "TEMPORARY_FAILURE",
    "WRONG_USAGE",
    "Counts",
    "Tally",
    "acknowledge",
    "advancing",
    "answer",
    "check_logs",
    "end",
    "exit_on_error",
    "interruptible",
    "leave_out_set_up",
    "logs_of",
    "new_log",
    "plain_console",
    "printable",
    "say",
    "show",
    "start_log",
    "table",
]
