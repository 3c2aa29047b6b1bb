"""What an update crawl does besides: news of the feed, comments, gaps, rechecks, another design."""
