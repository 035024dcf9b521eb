"""Somebody else's Python: what a name such as ``module:Class`` means, and its errors in one line."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

from cfr.system.errors import BadInputError


def named_class(name: str, what: str = "player") -> Any:
    """What ``module:Class`` or ``folder/module.py:Class`` names; modules of the working directory are found, too.

    Raises:
        BadInputError: there is no such class; the message begins with ``what`` it is.
    """
    module, _, wanted = name.rpartition(":")
    here = Path.cwd()
    if module.endswith(".py"):
        path = Path(module)
        here, module = path.resolve().parent, path.stem
    if str(here) not in sys.path:
        sys.path.append(str(here))
    try:
        return getattr(import_module(module), wanted)
    except ImportError as error:
        raise BadInputError(f"{what} {name}: {error}; expected module:Class") from error
    except (AttributeError, ValueError, TypeError):
        raise BadInputError(f"{what} {name}: no {wanted!r} in {module!r}; expected module:Class") from None
    except Exception as error:
        raise BadInputError(f"{what} {name}: {what_went_wrong(error)}") from error


def what_went_wrong(error: Exception) -> str:
    """One line about an error of somebody else's code: what it says and where it was raised."""
    last = extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
