# The code location for Dagster, its webserver and its daemon: docker build -f deploy/dagster.Dockerfile -t searchsocket-dagster .
# The same image runs every command of searchsocket, for example `index` in a job of its own.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ARG EXTRAS=mcp,code,documents,s3,gcs,milvus,pgvector,openai
COPY LICENSE README.md pyproject.toml workspace.yaml /src/
COPY searchsocket /src/searchsocket
COPY searchsocket_assets /src/searchsocket_assets
COPY search_api /src/search_api
COPY clients/js/dist /src/clients/js/dist
RUN python3 -m venv /opt/searchsocket \
    && /opt/searchsocket/bin/pip install --no-cache-dir "/src[${EXTRAS}]" dagster-postgres psycopg2-binary

FROM ${PYTHON_IMAGE}
RUN apt-get update && apt-get install -y --no-install-recommends git && git config --system --add safe.directory "*" && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home --home-dir /var/lib/searchsocket searchsocket
COPY --from=build /opt/searchsocket /opt/searchsocket
COPY --chown=10001 deploy/dagster /opt/dagster
ENV PATH=/opt/searchsocket/bin:$PATH DAGSTER_HOME=/opt/dagster SEARCHSOCKET_PROJECT=/site
USER 10001
WORKDIR /site
EXPOSE 3000 4000
CMD ["dagster", "code-server", "start", "--host", "0.0.0.0", "--port", "4000", "--module-name", "searchsocket_assets.definitions"]
