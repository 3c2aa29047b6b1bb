"""Crawls the same blogs with two revisions of the package, and compares what they archive and what they ask for."""
