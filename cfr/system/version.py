"""The version of cfr."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("cfr-holdem")
except PackageNotFoundError:  # run from a checkout that is not installed
    VERSION = "unknown"
