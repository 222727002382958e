"""`searchsocket completion`: scripts for shells to complete commands and options."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Example:
      eval "$(searchsocket completion bash)"                  # in ~/.bashrc
      eval "$(searchsocket completion zsh)"                   # in ~/.zshrc, after compinit
      searchsocket completion fish | source                   # in ~/.config/fish/config.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "searchsocket", "_SEARCHSOCKET_COMPLETE").source())
