"""A static site: pages that can be read and searched in any browser, from a folder, without a server."""
