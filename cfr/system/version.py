"""The version of cfr."""

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

try:
    VERSION = version("cfr-holdem")
except PackageNotFoundError:  # run from a checkout that is not installed
    VERSION = "unknown"


@cache
def code_version() -> str:
    """The version and a checksum of the modules, which differs where versions of a checkout differ."""
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{VERSION} ({digest.hexdigest()[:8]})"
