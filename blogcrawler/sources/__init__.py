"""Places where pages come from when the web does not answer: WARC and WACZ files, and web archives.

Each place lists the captures of an address, and reads one of them. Everything above works with captures like with
responses of the live web.
"""
