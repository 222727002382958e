"""`searchsocket cache`: the embedding cache, which all projects of a user share."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import WholeNumber, is_quiet, json_option, load_project, project_option, result_options
from searchsocket.cli.output import count, print_json, safe, say
from searchsocket.models.embedders.cache import CachedModel, EmbeddingCache

_DAY_S = 86_400


@click.group()
def cache() -> None:
    """Show and shrink the embedding cache.

    All projects of a user share it. It is stored in the user's cache folder, or in $SEARCHSOCKET_CACHE.

    \b
    Example:
      searchsocket cache status
    """


@cache.command()
@project_option
@json_option
def status(root: Path, as_json: bool) -> None:
    """Show the path, the size and the models of the cache.

    \b
    Example:
      searchsocket cache status --json
    """
    with _open(root) as embeddings:
        models, size = embeddings.models(), embeddings.size_bytes()
        if as_json:
            print_json({"path": str(embeddings.path), "bytes": size, "models": [_model(model) for model in models]})
            return
        click.echo(f"{embeddings.path}  {size / 1e6:,.1f} MB")
        for model in models:
            used = _date(model.last_used_day)
            click.echo(
                f"  {safe(model.model_id)}  {count(model.texts, 'text')}, {count(model.tokens, 'token')}, "
                f"{model.bytes / 1e6:,.1f} MB{f', last used {used}' if used else ''}"
            )


@cache.command()
@project_option
@click.option("--unused-days", type=WholeNumber(1), help="Delete embeddings not used for N days.")
@click.option("--model", "model_id", metavar="ID", help="Delete the embeddings of this model; see `cache status`.")
@click.option("--max-mb", type=WholeNumber(0), help="Delete the oldest embeddings until the cache has this size.")
@click.option(
    "--all", "everything", is_flag=True, help="Delete everything; the next runs embed, and pay for, every text again."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@result_options
def clear(
    root: Path,
    unused_days: int | None,
    model_id: str | None,
    max_mb: int | None,
    everything: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete embeddings of all projects, the least recently used first.

    \b
    Example:
      searchsocket cache clear --unused-days 90
    """
    if everything == (unused_days is not None or model_id is not None or max_mb is not None):
        raise click.UsageError("select what to delete: --unused-days, --model or --max-mb, or only --all")
    if not yes:
        if as_json or is_quiet():
            raise click.UsageError(f"{'--json' if as_json else '--quiet'} cannot ask for confirmation; add --yes")
        click.confirm(
            "Deleted embeddings are computed, and paid for, again when they are needed. Delete them?", abort=True
        )
    with _open(root) as embeddings:
        removed = embeddings.prune(
            unused_days=unused_days or 0,
            model_id=model_id,
            max_bytes=None if max_mb is None else max_mb * 1_000_000,
        )
        size = embeddings.size_bytes()
    if as_json:
        print_json({"removed": removed, "bytes": size})
        return
    say(f"removed {count(removed, 'embedding')}; {size / 1e6:,.1f} MB remain")


def _open(root: Path) -> EmbeddingCache:
    return Backends(load_project(root), os.environ).open_cache()


def _model(model: CachedModel) -> dict[str, object]:
    return {
        "modelId": model.model_id,
        "dimensions": model.dimensions,
        "texts": model.texts,
        "tokens": model.tokens,
        "bytes": model.bytes,
        "lastUsed": _date(model.last_used_day) or None,
    }


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY_S, UTC).date().isoformat() if day else ""
