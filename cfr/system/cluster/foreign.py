"""Somebody else's Python: what a name such as ``module:Class`` means, and its errors in one line."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from cfr.system.errors import BadInputError

_NOT_THEIRS = ("<frozen importlib", f"{Path(__file__).parents[2]}{os.sep}")  # beginnings of files in a traceback
ERRORS = (Exception, SystemExit, GeneratorExit)  # what such code may raise; KeyboardInterrupt is the user's


def named_class(name: str, what: str = "player") -> Any:
    """What ``module:Class`` or ``folder/module.py:Class`` names; modules of the working directory are found, too.

    A file is loaded as it is, whatever other modules have its name.

    Raises:
        BadInputError: there is no such class; the message begins with ``what`` it is.
    """
    module, _, wanted = name.rpartition(":")
    if is_python(name):
        module, wanted = name, ""
    here, path = Path.cwd(), None
    if module.endswith(".py"):
        path = Path(module)
        if not path.is_file():
            raise BadInputError(f"{what} {name}: there is no file {module}; expected FILE.py:Class")
        if not wanted:
            raise BadInputError(f"{what} {name}: a Python file; name the class in it, too: {name}:Class")
        path = path.resolve()
        here = path.parent
    if str(here) not in sys.path:
        sys.path.append(str(here))
    if not module or module.startswith("."):
        raise BadInputError(f"{what} {name}: {module!r} is no module; expected module:Class")
    try:
        found = import_module(module) if path is None else _module_in(path)
    except ERRORS as error:
        if path is None and isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise BadInputError(f"{what} {name}: {error}; expected module:Class") from error
        raise BadInputError(f"{what} {name}: {what_went_wrong(error)}") from error
    try:
        return getattr(found, wanted)
    except AttributeError:
        near = get_close_matches(wanted, [each for each in vars(found) if not each.startswith("_")], 1)
        meant = f"did you mean {near[0]}?" if near else "expected module:Class"
        raise BadInputError(f"{what} {name}: no {wanted!r} in {module!r}; {meant}") from None


def _module_in(path: Path) -> ModuleType:
    """The module in a file: by its own name where that leads to the file, else by the whole path."""
    name = path.stem
    if name not in sys.modules and name.isidentifier():
        found = find_spec(name)
        if found is not None and found.origin is not None and Path(found.origin).resolve() == path:
            return import_module(name)
    for each in (name, str(path)):
        held = sys.modules.get(each)
        if held is not None and getattr(held, "__file__", None) and Path(str(held.__file__)).resolve() == path:
            return held
    spec = spec_from_file_location(str(path), path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def is_python(name: str) -> bool:
    """Whether a name is that of a Python file, without the class in it."""
    return name.endswith(".py")


def made_with(make: Any, about: Any) -> Any:
    """What ``make``, a class or a function, makes when called with ``about``, or with nothing if it takes nothing."""
    try:
        takes = signature(make).parameters
    except (TypeError, ValueError):  # of C, or no function
        return make(about)
    return make(about) if takes else make()


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
