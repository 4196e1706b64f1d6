"""`python -m text2sql.cli`, for a place where scripts are not on the path."""

import sys

from text2sql.cli import main

sys.exit(main())
