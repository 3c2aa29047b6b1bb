"""The parts of an update crawl: news of the feed, comments, gaps, rechecks, and a new design."""
