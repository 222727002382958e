"""The `searchsocket` command. Importing it loads no parser, engine, server or orchestrator: `--help` is instant."""

import errno
import io
import os
import sys
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from searchsocket import __version__
from searchsocket.cli import exits
from searchsocket.cli.commands import COMMANDS
from searchsocket.cli.exits import received_signal, watch_signals
from searchsocket.cli.log_lines import log_lines
from searchsocket.cli.options import JSON_FLAG, remember_json, wants_json
from searchsocket.cli.output import print_error
from searchsocket.commit import COMMIT
from searchsocket.errors import ConfigMissing, SearchSocketError, StateUnavailable
from searchsocket.system.errors import system_error


class Commands(click.Group):
    """The group of all commands; typed and system errors end a command with a code and a message, not a traceback."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        remember_json(ctx, JSON_FLAG in args)  # also for a command with invalid options
        try:
            return super().parse_args(ctx, args)
        except SearchSocketError as error:  # the overview needs the extensions of other distributions
            print_error(error.code, str(error))
            ctx.exit(exits.exit_status(error.code))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if not (wants_json() or log_lines()):
                raise
            print_error("INVALID_REQUEST", error.format_message())
            ctx.exit(exits.USAGE)
        except (SearchSocketError, OSError, ModuleNotFoundError) as error:
            if isinstance(error, ModuleNotFoundError):
                error = _not_installed(error)
            elif isinstance(error, OSError):
                if error.errno == errno.EPIPE:  # the reader of the output has exited
                    raise
                if error.filename:
                    error = system_error("cannot use", Path(os.fsdecode(error.filename)), error)
                else:  # such as an output file on a full disk
                    error = StateUnavailable(f"cannot read or write: {error.strerror or error}")
            print_error(error.code, str(error))
            ctx.exit(exits.exit_status(error.code))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order of use, not of the alphabet

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in COMMANDS.described().items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        described = COMMANDS.described().items()
        names = [CompletionItem(name, help=each.summary) for name, each in described if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


def _not_installed(error: ModuleNotFoundError) -> ConfigMissing:
    """Return an error that names what to install: the extra for agents, or for indexing what `serve/` leaves out."""
    module = (error.name or "").partition(".")[0]
    if module == "searchsocket_assets":
        module = "dagster"
    elif module in {"searchsocket", "search_api"}:
        raise error  # a bug, not a missing package
    fix = "searchsocket instead of searchsocket-serve"
    if module in {"mcp", "mcp_types"}:
        fix = f"'{_distribution()}[mcp]'"
    return ConfigMissing(f"this command needs the Python package {module}, which is not installed; install {fix}")


def _distribution() -> str:
    from importlib.metadata import PackageNotFoundError, version  # no other command needs it

    try:
        version("searchsocket-serve")
    except PackageNotFoundError:
        return "searchsocket"
    return "searchsocket-serve"


@click.group(
    cls=Commands,
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=exits.HELP,
)
@click.version_option(__version__, message=f"searchsocket %(version)s{f' ({COMMIT})' if COMMIT else ''}")
def cli() -> None:
    """Search for a website and its source code.

    \b
    Example:
      searchsocket init
      searchsocket index
      searchsocket search "how do I install it"
    """


def _open_output() -> None:
    """Write UTF-8 in every locale, as JSON requires; nothing to a stream that the caller has closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  for the whole process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=stream.errors)


def _discard_failed_output() -> None:
    """Discard what stdout cannot take, such as a full disk: the interpreter would report it again at its exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    """Run the command of `sys.argv`; after a signal, exit with 128 + its number."""
    _open_output()
    # When numpy is loaded, its OpenBLAS starts one thread per core, and each spins for up to 0.1 s. No product here is
    # large enough to use them: vectors are scanned row by row. Child processes do not need them either.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with watch_signals():
        try:
            cli()
        except SystemExit as end:
            signal_number = received_signal()
            if signal_number and end.code:  # otherwise the command had already finished
                raise SystemExit(128 + signal_number) from None
            raise
        finally:
            _discard_failed_output()


if __name__ == "__main__":
    main()
