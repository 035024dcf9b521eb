"""Commands as processes of their own."""

import subprocess
import sys


def shell(*arguments, **options):
    """Run a command as a process of its own."""
    command = [sys.executable, "-m", "cfr", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, **options)
