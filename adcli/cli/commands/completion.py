"""Prints the script that makes a shell complete commands, options and their
values.  Put this line into ~/.bashrc or ~/.zshrc: eval "$(adcli completion bash)".
Fish reads files in ~/.config/fish/completions.

\b
Examples:
  adcli completion bash
  adcli completion zsh -o adcli.zsh
  adcli completion fish -o adcli.fish
"""

from __future__ import annotations

from ...errors import RequestError
from ..options import Command, NothingToRead, argument, text
from ..shared_options import OutputOptions
from ..stream import Stream

SHELLS = ("bash", "zsh", "fish")


class CompletionRequest(OutputOptions):
    """Options of `adcli completion`."""

    shell = argument()
    output = text("-o", "--output", metavar="FILE", help="Write to FILE.")


def run(stream: Stream, options: CompletionRequest) -> None:
    """Write the completion script of a shell to `stream`.

    Raises NothingToRead if no shell is named, RequestError for a text other than bash, zsh and fish in lower case.
    """
    if options.shell is None:
        raise NothingToRead
    if options.shell not in SHELLS:
        raise RequestError(f"there is no completion for {options.shell}", help=f"use one of {', '.join(SHELLS)}")
    from ..click_adapter import completion_script

    stream.write(completion_script(options.shell))


COMMAND = Command(__doc__, CompletionRequest, run)
