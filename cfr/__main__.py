"""``python -m cfr``."""

import sys

from cfr.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
