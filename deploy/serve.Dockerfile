# The search service: docker build -f deploy/serve.Dockerfile -t searchsocket-serve .
# It has no Dagster and cannot build an index. It pulls one from SEARCHSOCKET__ARTIFACTS__URL.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ARG EXTRAS=mcp,s3,gcs,milvus,pgvector
COPY LICENSE /src/LICENSE
COPY searchsocket /src/searchsocket
COPY search_api /src/search_api
COPY clients/js/dist /src/clients/js/dist
COPY serve /src/serve
RUN python3 -m venv /opt/searchsocket && /opt/searchsocket/bin/pip install --no-cache-dir "/src/serve[${EXTRAS}]"

FROM ${PYTHON_IMAGE}
RUN useradd --uid 10001 --create-home --home-dir /var/lib/searchsocket searchsocket
COPY --from=build /opt/searchsocket /opt/searchsocket
ENV PATH=/opt/searchsocket/bin:$PATH
USER 10001
WORKDIR /var/lib/searchsocket
EXPOSE 8181 9090
HEALTHCHECK --start-period=60s CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8181/api/live', timeout=3)"]
ENTRYPOINT ["searchsocket"]
CMD ["serve", "--host", "0.0.0.0", "--metrics-port", "9090", "--drain-seconds", "10", "--log-format", "json"]
