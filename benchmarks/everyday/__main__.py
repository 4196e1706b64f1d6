"""Build the databases of the everyday set in the folder that is named."""

import sys
from pathlib import Path

from everyday.databases import build

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m everyday DIR")
    for path in build(Path(sys.argv[1])):
        print(path)
