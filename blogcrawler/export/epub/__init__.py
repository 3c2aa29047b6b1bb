"""EPUB 3.3: a book with a chapter for each post, for e-book readers."""
