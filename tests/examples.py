"""Commands in README and docs with what they print: ```console blocks; those that take minutes are ```sh.

`pytest -n0 --write-examples tests/test_readme.py tests/test_tutorial.py` writes what they print today, as after a new
supplied strategy. Lines with ``...`` stay if they still fit.
"""

import doctest
import re
from pathlib import Path

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(page: Path) -> list[tuple[str, str]]:
    """Each command of a page and its output."""
    return [
        (command, output)
        for block in re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def check(page: Path, command: str, expected: str, printed: str, is_written: bool = False) -> None:
    """Compare what a command printed with the page, or write it there."""
    fits = doctest.OutputChecker().check_output(expected, printed, FLAGS)
    if is_written and not fits:
        text = page.read_text("utf-8")
        page.write_text(text.replace(f"$ {command}\n{expected}", f"$ {command}\n{printed}"), "utf-8")
    else:
        assert fits, printed
