"""EPUB 3.3: the posts as a book, a chapter each, for readers of books."""
