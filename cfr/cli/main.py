"""The command line: parse, call, print. What a command needs is imported when it runs, so that all start at once."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from cfr.cli.flag_names import in_one_line
from cfr.cli.help import add_help
from cfr.cli.parser import BAD_INPUT, COMMAND, Parser, PrintCompletion, ShowVersion
from cfr.system.errors import CfrError, DamagedFileError
from cfr.system.interrupts import terminable

FAILURE, INTERRUPTED = 1, 130
# Modules in the order of the help text, and their commands.
COMMANDS = {
    "solve": ("solve",),
    "spot": ("spot",),
    "refine": ("refine",),
    "query": ("query",),
    "chart": ("chart",),
    "study": ("export", "flops", "plot"),
    "exploit": ("exploit", "versus"),
    "play": ("play",),
    "train": ("train",),
    "serve": ("serve",),
    "match": ("match",),
    "equity": ("equity",),
    "importing": ("import",),
    "info": ("info", "games"),
    "acpc": ("acpc",),
    "review": ("review",),
    "opponents": ("model", "counter"),
    "learning": ("learn",),
    "agent": ("mcp",),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0, 1 for a failure, 2 for bad input, 130 after Ctrl-C or SIGTERM."""
    _mend_streams()
    has_begun = False
    try:
        words = sys.argv[1:] if arguments is None else arguments
        options = _parser(words[0] if words else "").parse_args(words)
        run: Callable[[argparse.Namespace], None] = options.run
        has_begun = True
        with terminable():
            run(options)
            sys.stdout.flush()
    except BrokenPipeError:
        _leave_output()  # whoever read the output has gone
        return FAILURE
    except KeyboardInterrupt as stop:
        return _complain(
            str(stop) or ("stopped" if has_begun else "stopped before it began; nothing was kept"), INTERRUPTED
        )
    except CfrError as error:
        from cfr.system.errors import SaveError

        return _complain(str(error), FAILURE if isinstance(error, DamagedFileError | SaveError) else BAD_INPUT)
    except OSError as error:
        from cfr.system.disk.files import is_full, reason

        if is_full(error) and not error.filename:  # what writes files names them
            _leave_output()
            return _complain(f"cannot write standard output: {reason(error)}", FAILURE)
        where = f"{error.filename}: " if error.filename else ""
        is_misnamed = isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError)
        is_first = error.filename is not None and error.filename == getattr(options, "file", None)
        meant = options.flag_before(str(error.filename)) if is_misnamed and is_first else ""  # no file, but a line
        return _complain(f"{where}{error.strerror or error}{meant}", BAD_INPUT if is_misnamed else FAILURE)
    except MemoryError:
        return _complain("not enough memory", FAILURE)
    return 0


def _mend_streams() -> None:
    """Replace closed standard streams by the null device, and let the others escape what they cannot encode."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace" if name == "stdin" else "backslashreplace")


def _leave_output() -> None:
    """Drop what standard output still holds: Python must not complain about it when it closes the stream."""
    with suppress(OSError):  # a stream without a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str, code: int) -> int:
    with suppress(OSError):  # nobody can be told
        print(f"cfr: {in_one_line(message)}", file=sys.stderr)
    return code


def _parser(first: str = "") -> argparse.ArgumentParser:
    """The parser of all commands, or of those in one module if ``first`` is one of them: one is ready sooner."""
    parser = Parser(
        prog="cfr",
        description="Solve heads-up limit hold'em on your own machine, look at the solution, and play it.",
        epilog="first steps: cfr query --hand AsKh --line r; cfr chart --line r; cfr play; cfr help lines",
    )
    what = "show the version, and the kernel that this processor runs, and exit"
    parser.add_argument("--version", action=ShowVersion, nargs=0, help=what)
    what = "print a script that completes commands and flags: bash, zsh or tcsh; needs shtab"
    shells = ("bash", "zsh", "tcsh")
    parser.add_argument("--print-completion", action=PrintCompletion, choices=shells, metavar="SHELL", help=what)
    parser.set_defaults(run=lambda _: parser.print_help())
    commands = parser.add_subparsers(title="commands", metavar=COMMAND, parser_class=Parser)

    def command(name: str, run: Callable[[argparse.Namespace], None], what: str, example: str) -> Parser:
        title = f"{what[0].upper()}{what[1:]}."
        added = commands.add_parser(name, help=what, description=title, epilog=f"example: {example}")
        added.set_defaults(run=run, flag_before=added.flag_before)
        return added

    for module in [name for name, found in COMMANDS.items() if first in found] or COMMANDS:
        import_module(f"cfr.cli.commands.{module}").add_commands(command)
    add_help(command, commands.choices)
    return parser
