"""The demo database and its schema context, as the tests of `schema/` use them."""

from schema.conftest import known, shop

__all__ = ["known", "shop"]
