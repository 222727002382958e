"""`searchsocket cache`: the embedding cache, which all projects of a user share."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import is_quiet, json_option, load_project, project_option, result_options
from searchsocket.cli.output import count, print_json, safe, say
from searchsocket.models.embedders.cache import CachedModel, EmbeddingCache
from searchsocket.models.embedders.cache_place import Homes
from searchsocket.pipeline.branches.unused_embeddings import prune_unused

_DAY_S = 86_400


@click.group()
def cache() -> None:
    """Inspect, export, import and shrink the embedding cache.

    All projects of a user share it. It is stored in the user's cache folder, or in $SEARCHSOCKET_CACHE.

    \b
    Example:
      searchsocket cache info
    """


@cache.command()
@project_option
@json_option
def info(root: Path, as_json: bool) -> None:
    """Show the path, the size and the models of the cache.

    \b
    Example:
      searchsocket cache info --json
    """

    with _open(root) as embeddings:
        models, size, homes = embeddings.models(), embeddings.size_bytes(), Homes(embeddings.path).all()
        if as_json:
            used_by = [{"state": str(home.state), "lastSeen": home.seen} for home in homes]
            listed = [_model(model) for model in models]
            print_json({"path": str(embeddings.path), "bytes": size, "models": listed, "homes": used_by})
            return
        click.echo(f"{embeddings.path}  {size / 1e6:,.1f} MB")
        for model in models:
            used = _date(model.last_used_day)
            click.echo(
                f"  {safe(model.model_id)}  {count(model.texts, 'text')}, {count(model.tokens, 'token')}, "
                f"{model.bytes / 1e6:,.1f} MB{f', last used {used}' if used else ''}"
            )
        for home in homes:
            click.echo(f"  used by {safe(str(home.state))}, last seen {safe(home.seen)}")


@cache.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@project_option
@result_options
def export_(file: Path, root: Path, as_json: bool) -> None:
    """Write the whole cache to one file.

    \b
    Example:
      searchsocket cache export embeddings.db
    """
    with _open(root) as embeddings:
        written = embeddings.export_to(file)
    if as_json:
        print_json({"path": str(file), "texts": written})
        return
    say(f"wrote {count(written, 'embedding')} to {file}")


@cache.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@project_option
@result_options
def import_(file: Path, root: Path, as_json: bool) -> None:
    """Add the embeddings of an exported file to the cache.

    Import only files from people you trust.

    \b
    Example:
      searchsocket cache import embeddings.db
    """
    with _open(root) as embeddings:
        added, refused = embeddings.import_from(file)
    if as_json:
        print_json({"path": str(file), "added": added, "refused": refused})
        return
    say(f"added {count(added, 'embedding')}" + (f"; skipped {refused:,} damaged ones" if refused else ""))


@cache.command()
@project_option
@click.option("--unused-days", type=click.IntRange(min=1), help="Delete embeddings not used for N days.")
@click.option("--model", "model_id", metavar="ID", help="Delete the embeddings of this model; see `cache info`.")
@click.option(
    "--max-mb", type=click.IntRange(min=0), help="Delete the oldest embeddings until the cache has this size."
)
@click.option(
    "--all", "everything", is_flag=True, help="Delete everything; the next runs embed, and pay for, every text again."
)
@click.option("--unused", is_flag=True, help="Delete embeddings that no project uses; a dry run without --apply.")
@click.option("--apply", "applies", is_flag=True, help="With --unused: delete.")
@click.option(
    "--forget-home",
    "gone",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="With --unused: this state folder no longer exists; repeat for several.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@result_options
def prune(
    root: Path,
    unused: bool,
    applies: bool,
    gone: tuple[Path, ...],
    unused_days: int | None,
    model_id: str | None,
    max_mb: int | None,
    everything: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete embeddings of all projects.

    \b
    Example:
      searchsocket cache prune --unused-days 90
      searchsocket cache prune --unused --apply
    """
    by_use = everything or yes or unused_days is not None or model_id is not None or max_mb is not None
    if unused:
        if by_use:
            raise click.UsageError("--unused can be combined only with --apply and --forget-home")
        _prune_unused(root, applies, gone, as_json)
        return
    if applies or gone:
        raise click.UsageError("--apply and --forget-home need --unused")
    if everything == (unused_days is not None or model_id is not None or max_mb is not None):
        raise click.UsageError(
            "select what to delete: --unused-days, --model or --max-mb, or only --all, or only --unused"
        )
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


def _prune_unused(root: Path, applies: bool, gone: tuple[Path, ...], as_json: bool) -> None:

    with _open(root) as embeddings:
        unused = prune_unused(embeddings, apply=applies, gone=[path.absolute() for path in gone])
        size = embeddings.size_bytes()
    if as_json:
        removed = unused.texts if applies else 0
        numbers = {
            "unused": unused.texts,
            "vectorBytes": unused.bytes,
            "unknown": unused.unknown,
            "homes": unused.homes,
        }
        print_json({"applied": applies, "removed": removed, "bytes": size, **numbers})
        return
    say(
        f"{'removed' if applies else 'would remove'} {count(unused.texts, 'embedding')} ({unused.bytes / 1e6:,.1f} MB) "
        f"that no scope of {count(unused.homes, 'state folder')} "
        f"uses" + ("" if applies else "; run with --apply to delete them")
    )
    if unused.unknown:
        say(f"{count(unused.unknown, 'embedding')} may still be in use and are kept; delete them with --unused-days")


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
