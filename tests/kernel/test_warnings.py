"""The headers of the native code compile without a warning, for every level of vectors."""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

EXT = Path(__file__).parents[2] / "ext"
# A header's functions are for whoever includes it, and how vectors pass between them matters to nobody else.
STRICT = ["-fsyntax-only", "-fopenmp", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-psabi"]
LEVELS = {"base": [], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4"], "double": ["-DCFR_REAL=double"]}
HEADERS = {path: path.read_text("utf-8") for path in EXT.rglob("*.h")}
WHOLE = [path for path in HEADERS if not any(f'{path.name}"' in text for text in HEADERS.values())]  # included by none


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("header", WHOLE, ids=lambda header: header.name)
def test_no_warning(header, level):
    if level.startswith("v") and os.uname().machine != "x86_64":
        pytest.skip("these are levels of x86-64")
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()
    command = [*compiler, *STRICT, *LEVELS[level], f"-I{header.parent}", "-x", "c", str(header)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
