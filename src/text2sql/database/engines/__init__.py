"""One package per engine. Nothing imports them directly; `dialects.py` names them."""
