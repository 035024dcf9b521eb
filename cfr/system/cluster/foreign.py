"""Somebody else's Python: what a name such as ``module:Class`` means, and its errors in one line."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

from cfr.system.errors import BadInputError

_NOT_THEIRS = ("<frozen importlib", f"{Path(__file__).parents[2]}{os.sep}")  # beginnings of files in a traceback
ERRORS = (Exception, SystemExit, GeneratorExit)  # what such code may raise; KeyboardInterrupt is the user's


def named_class(name: str, what: str = "player") -> Any:
    """What ``module:Class`` or ``folder/module.py:Class`` names; modules of the working directory are found, too.

    Raises:
        BadInputError: there is no such class; the message begins with ``what`` it is.
    """
    module, _, wanted = name.rpartition(":")
    if is_python(name):
        module, wanted = name, ""
    here = Path.cwd()
    if module.endswith(".py"):
        path = Path(module)
        if not path.is_file():
            raise BadInputError(f"{what} {name}: there is no file {module}; expected FILE.py:Class")
        if not wanted:
            raise BadInputError(f"{what} {name}: a Python file; name the class in it, too: {name}:Class")
        here, module = path.resolve().parent, path.stem
    if str(here) not in sys.path:
        sys.path.append(str(here))
    if not module or module.startswith("."):
        raise BadInputError(f"{what} {name}: {module!r} is no module; expected module:Class")
    try:
        found = import_module(module)
    except ERRORS as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise BadInputError(f"{what} {name}: {error}; expected module:Class") from error
        raise BadInputError(f"{what} {name}: {what_went_wrong(error)}") from error
    try:
        return getattr(found, wanted)
    except AttributeError:
        raise BadInputError(f"{what} {name}: no {wanted!r} in {module!r}; expected module:Class") from None


def is_python(name: str) -> bool:
    """Whether a name is that of a Python file, without the class in it."""
    return name.endswith(".py")


def what_went_wrong(error: BaseException, call: str = "") -> str:
    """One line about an error of somebody else's code: what it says, and where in that code it was raised.

    Args:
        error: what was caught.
        call: how the code was called, which is said where the call itself went wrong, as of a wrong signature.
    """
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError):
        return said  # with file and line
    theirs = [each for each in extract_tb(error.__traceback__) if not each.filename.startswith(_NOT_THEIRS)]
    if theirs:
        return f"{said} ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})"
    return f"{said}; expected {call}" if call else said
