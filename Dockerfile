# cfr in a container: the page by default, or any command of cfr.
#   docker build -t cfr .
#   docker run --init -p 127.0.0.1:8000:8000 -v cfr:/data cfr
#   docker run --rm cfr query --hand AsKh --line r
FROM python:3.11-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN python -m venv /opt/cfr && /opt/cfr/bin/pip install --no-cache-dir --constraint constraints.txt '.[web,formats]'

FROM python:3.11-slim-bookworm
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 cfr \
    && install -d -o cfr -g cfr /data
COPY --from=build /opt/cfr /opt/cfr
# Sessions, tables that take long to compute, and files that are solved here outlive the container on this volume.
ENV PATH=/opt/cfr/bin:$PATH CFR_CACHE=/data/cache
VOLUME /data
WORKDIR /data
USER 1000
EXPOSE 8000
# Only the page has a health to ask about: any other command is healthy as long as it runs.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; b'serve' in open('/proc/1/cmdline', 'rb').read() and urlopen('http://127.0.0.1:8000/api/game', timeout=9)"]
ENTRYPOINT ["cfr"]
CMD ["serve", "--host", "0.0.0.0", "--sessions", "/data/sessions.db"]
