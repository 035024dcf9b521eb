"""Somebody else's Python: what a name such as ``module:Class`` means, and its errors in one line."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

from cfr.system.errors import BadInputError

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
    try:
        return getattr(import_module(module), wanted)
    except ImportError as error:
        raise BadInputError(f"{what} {name}: {error}; expected module:Class") from error
    except (AttributeError, ValueError, TypeError):
        raise BadInputError(f"{what} {name}: no {wanted!r} in {module!r}; expected module:Class") from None
    except ERRORS as error:
        raise BadInputError(f"{what} {name}: {what_went_wrong(error)}") from error


def is_python(name: str) -> bool:
    """Whether a name is that of a Python file, without the class in it."""
    return name.endswith(".py")


def what_went_wrong(error: BaseException) -> str:
    """One line about an error of somebody else's code: what it says and where it was raised."""
    last = extract_tb(error.__traceback__)[-1]
    said = f": {error}" if str(error) else ""
    return f"{type(error).__name__}{said} ({Path(last.filename).name}, line {last.lineno})"
