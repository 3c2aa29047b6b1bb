"""One crawl of a blog: fetching, classifying pages, and the steps of new and update crawls."""
