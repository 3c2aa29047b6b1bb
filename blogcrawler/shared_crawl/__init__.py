"""Several processes on one blog: one decides what is crawled, the others fetch and read pages for it."""
