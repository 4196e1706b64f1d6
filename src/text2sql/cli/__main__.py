"""`python -m text2sql.cli`: the command line interface without the installed script."""

import sys

from text2sql.cli import main

sys.exit(main())
