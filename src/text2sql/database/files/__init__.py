"""Reads everyday files (text with separated values, JSON, Parquet, Excel) and folders of them into a DuckDB
database: finds encoding, separator, header and table, decides types, and notes what it decided.
"""

from text2sql.database.files.convert import convert, is_data_file
from text2sql.database.files.notes import Notes, load_notes
from text2sql.database.files.options import read_options

__all__ = ["Notes", "convert", "is_data_file", "load_notes", "read_options"]
