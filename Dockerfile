# syntax=docker/dockerfile:1
# blogcrawler with a browser, for compose.yaml; see docs/containers.md.

ARG BASE=debian:12-slim

# ---------------------------------------------------------------------------------------------------------- the program
FROM ${BASE} AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /opt/blogcrawler
WORKDIR /src
# constraints.txt, if it exists, sets the versions of packages
COPY pyproject.toml README.md LICENSE constraints.tx[t] ./
COPY blogcrawler/ blogcrawler/
COPY docs/blogcrawler.1 docs/
RUN /opt/blogcrawler/bin/pip install --no-cache-dir --disable-pip-version-check \
        $(test ! -f constraints.txt || echo --constraint constraints.txt) '.[metrics,postgresql,queue,redis,s3]' \
 && /opt/blogcrawler/bin/pip freeze --exclude blogcrawler > /opt/blogcrawler/constraints.txt \
 && /opt/blogcrawler/bin/pip uninstall --yes --quiet pip setuptools

# ------------------------------------------------------------------------------------------------------------ the image
FROM ${BASE}
LABEL org.opencontainers.image.title="blogcrawler" \
      org.opencontainers.image.description="Archives blogs: makes a clean record of every post from the URL of a blog" \
      org.opencontainers.image.licenses="MIT"
# libatomic1 is for the browser's driver (Node); fonts are for screenshots
RUN apt-get update \
 && apt-get upgrade --yes \
 && apt-get install --yes --no-install-recommends \
        ca-certificates chromium-headless-shell fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji libatomic1 \
        python3 tini \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /archive --shell /usr/sbin/nologin blogcrawler \
 && install --directory --owner=blogcrawler --group=blogcrawler /archive
COPY --from=build /opt/blogcrawler /opt/blogcrawler
ENV PATH=/opt/blogcrawler/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER blogcrawler
WORKDIR /archive
VOLUME /archive
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["python3", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:9464/healthz', timeout=5)"]
ENTRYPOINT ["/usr/bin/tini", "--", "blogcrawler"]
CMD ["--help"]
