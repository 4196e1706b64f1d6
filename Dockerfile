# text2sql with its web page and HTTP interface. docs/docker.md shows how to run it.
FROM python:3.12-slim AS build
# `all` contains the embedded model. With a hosted model the image is 1.2 GB smaller:
#   docker build --build-arg EXTRAS=server,charts,postgres,openai .
ARG EXTRAS=all
ENV UV_NO_CACHE=1 \
    UV_COMPILE_BYTECODE=1
WORKDIR /build
RUN pip install --no-cache-dir uv==0.13.8
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY src src
# The lock file decides the versions and their digests. zhplot contains a font with Chinese characters for
# chart images; only the font file is used.
RUN uv venv /opt/text2sql && \
    uv pip install --python /opt/text2sql --constraints requirements.lock ".[${EXTRAS}]" && \
    uv pip install --python /opt/text2sql --no-deps zhplot==1.0.0

FROM python:3.12-slim
COPY --from=build /opt/text2sql /opt/text2sql
RUN useradd --create-home --uid 10001 text2sql && mkdir /data && chown text2sql /data
ENV PATH="/opt/text2sql/bin:$PATH" \
    TEXT2SQL_DATA_DIR=/data \
    TEXT2SQL_CACHE_DIR=/data/cache
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=30s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["text2sql"]
CMD ["serve", "--host", "0.0.0.0"]
