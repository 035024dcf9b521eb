"""The parser of the command line: one line for each mistake, with what was perhaps meant; version and completion."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

BAD_INPUT = 2
_NEAR = 0.65  # of the letters are shared
_FORMS = {  # what is plainly a flag's value: cards of a hand, those of a board, a betting line, a number
    "--hand": re.compile(r"([2-9TJQKA][cdhs]){2}|[2-9TJQKA]{2}[so]?"),
    "--board": re.compile(r"([2-9TJQKA][cdhs]){3,5}"),
    "--line": re.compile(r"[fcrkxb/]+"),
    "--hands": re.compile(r"[0-9][0-9,]*"),
    "--port": re.compile(r"[0-9]{2,5}"),
}
_MISSING = "the following arguments are required"  # argparse's own words
COMMAND = "COMMAND"  # the name of a command among the arguments


class Parser(argparse.ArgumentParser):
    """An ``argparse.ArgumentParser`` whose mistakes are one line on stderr and exit code 2."""

    _given: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        if message.startswith(_MISSING):
            # What is missing was perhaps mistyped; argparse asks for it before it says so.
            unknown = [each for each in self._given if each.startswith("--") and not self._knows(each)]
            missing = message.removeprefix(f"{_MISSING}: ").split(", ")
            meant = next(filter(None, (self.flag_before(each, missing) for each in self._given)), f"; {self.epilog}")
            message = self._unrecognized(unknown) if unknown else f"{message}{meant}"
        self.exit(BAD_INPUT, f"{self.prog}: {' '.join(message.split())}; see {self.prog} --help\n")

    def _knows(self, word: str) -> bool:
        """Whether a word is a flag, or how one begins; a value may stand behind it."""
        return any(flag.startswith(word.partition("=")[0]) for flag in self._option_string_actions)

    def _unrecognized(self, unknown: Sequence[str]) -> str:
        flags = [flag for each in unknown if (flag := each.partition("=")[0]).startswith("-")]
        meant = nearest(flags[0], self._option_string_actions) if flags else self.flag_before(unknown[0])
        return f"unrecognized arguments: {' '.join(unknown)}{meant}"

    def flag_before(self, word: str, flags: Iterable[str] = _FORMS) -> str:
        """A clause that says which of the command's ``flags`` a word without one belongs to; empty if none is plain."""
        for flag in flags:
            if flag in self._option_string_actions and flag in _FORMS and _FORMS[flag].fullmatch(word):
                return f"; did you mean {flag} {word}?"
        return ""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        sys.stdout.flush()  # so that an error is told
        super().exit(status, message)

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            file.write(message)  # argparse's own passes over an error
        else:
            super()._print_message(message, file)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        # A command's parser knows which flags it has; the one above it would not.
        self._given = args or ()
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(self._unrecognized(unknown))
        return found, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            expected = "" if len(choices) > 12 else f" (choose from {', '.join(map(repr, choices))})"
            if action.metavar == COMMAND:
                self.error(f"{value!r} is no command{nearest(str(value), choices)}; commands are {', '.join(choices)}")
            name = action.metavar or "/".join(action.option_strings) or action.dest
            self.error(f"argument {name}: invalid choice: {value!r}{expected}{nearest(str(value), choices)}")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        # Python takes the value of `--board=--` for the mark that ends the flags, and then misses the value.
        if action.option_strings and arg_strings == ["--"]:
            self.error(f"argument {'/'.join(action.option_strings)}: '--' is no value")
        return super()._get_values(action, arg_strings)


class ShowVersion(argparse.Action):
    """Prints the version, and which build of the kernel this processor runs; looked up only when asked."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        import platform

        from cfr.kernel.builds import level
        from cfr.system.version import VERSION

        print(f"cfr {VERSION}, kernel {level()}, Python {platform.python_version()}")
        parser.exit()


class PrintCompletion(argparse.Action):
    """Prints a script that completes commands and flags in a shell."""

    def __call__(self, parser: argparse.ArgumentParser, _: object, shell: Any, __: object = None) -> NoReturn:
        try:
            import shtab
        except ModuleNotFoundError:
            from cfr.system.extras import install_hint

            parser.error(f"completion needs shtab: {install_hint('completion')}")
        print(shtab.complete(parser, shell))
        parser.exit()


def nearest(word: str, known: Iterable[str]) -> str:
    """A clause that names what comes nearest to a word, dashes before it left out; empty where nothing is near."""
    plain = {each.lstrip("-"): each for each in known}
    near = get_close_matches(word.lstrip("-"), list(plain), 1, _NEAR)
    return f"; did you mean {plain[near[0]]}?" if near else ""
