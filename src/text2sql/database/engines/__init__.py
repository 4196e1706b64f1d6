"""One module a driver; nothing outside imports them, `dialects.py` names them."""
