"""The file of `serve --accounts`: its valid content, and that no error shows one of its passwords."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.asking import make_shop
from terminal import run
from text2sql.database import read_accounts
from text2sql.errors import UsageError
from text2sql.i18n import explain

SHOP = "postgresql://reader:shared-pw@db.example:5433/shop?sslmode=require"
ROLES = {"shop": ("clerk", "manager", "a+b"), "plain": ()}


def url(user: str, rest: str = "@db.example:5433/shop?sslmode=require", scheme: str = "postgresql") -> str:
    return f"{scheme}://{user}:role-pw{rest}"


def read(document: Any, addresses: dict[str, str] | None = None) -> Any:
    text = document if isinstance(document, str) else json.dumps(document)
    return read_accounts(text, addresses or {"shop": SHOP}, ROLES)


def test_an_account_is_found_by_the_sorted_roles() -> None:
    document = {"shop": {"clerk": url("clerk"), "manager+clerk": url("both")}}
    assert read(document) == {"shop": {("clerk",): url("clerk"), ("clerk", "manager"): url("both")}}
    assert read({}) == {}


def test_the_credentials_of_an_account_may_be_options() -> None:
    own = url("clerk", "@db.example:5433/shop?sslmode=require&sslcert=c.pem&sslkey=k.pem")
    assert read({"shop": {"clerk": own}}) == {"shop": {("clerk",): own}}


@pytest.mark.parametrize(
    ("document", "key"),
    [
        ("{", "usage.accounts_json"),
        ("[" * 100_000, "usage.accounts_json"),
        ("[]", "usage.accounts_object"),
        ({"shop": url("clerk")}, "usage.accounts_object"),
        ({"shops": {}}, "usage.accounts_source"),
        ({url("clerk"): {}}, "usage.accounts_source"),
        ({"shop": {"boss": url("boss")}}, "usage.accounts_role"),
        ({"shop": {"clerk+boss": url("boss")}}, "usage.accounts_role"),
        ({"shop": {"": url("clerk")}}, "usage.accounts_role"),
        ({"shop": {"a+b": url("clerk")}}, "usage.accounts_role"),  # is read as the two roles a and b
        ({"shop": {url("clerk"): "clerk"}}, "usage.accounts_role"),
        ({"shop": {"clerk:role-pw@db.example": "clerk"}}, "usage.accounts_role"),
        ({"shop": {"clerk:pa+ss-pw@db.example": "clerk"}}, "usage.accounts_role"),
        ({"plain": {"clerk": url("clerk")}}, "usage.accounts_role"),
        ({"shop": {"clerk+manager": url("a"), "manager+clerk": url("b")}}, "usage.accounts_twice"),
        ('{"shop": {"clerk": "x", "clerk": "y"}}', "usage.accounts_twice"),
        ({"shop": {"clerk": 7}}, "usage.accounts_url"),
        ({"shop": {"clerk": ""}}, "usage.accounts_url"),
        ({"shop": {"clerk": "clerk:role-pw@db.example:5433/shop"}}, "usage.accounts_url"),
        ({"shop": {"clerk": url("clerk", scheme="mysql")}}, "usage.accounts_url"),
        ({"shop": {"clerk": url("clerk", "@db.example:5433/shop")}}, "usage.accounts_url"),
        ({"shop": {"clerk": url("clerk", "@db.example/shop?sslmode=require")}}, "usage.accounts_url"),
        ({"shop": {"clerk": url("clerk", "@other:5433/shop?sslmode=require")}}, "usage.accounts_url"),
        ({"shop": {"clerk": url("clerk", "@db.example:5433/hr?sslmode=require")}}, "usage.accounts_url"),
        ({"shop": {"clerk": url("clerk", "@db.example:x/shop?sslmode=require")}}, "usage.accounts_url"),
    ],
)
def test_a_mistake_is_reported_in_both_languages_without_a_password(document: Any, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(document, {"shop": SHOP, "plain": SHOP})
    assert caught.value.message_key == key
    texts = [explain(caught.value, "en"), explain(caught.value, "zh"), str(caught.value)]
    assert texts[0] != texts[1]
    assert "-pw" not in "".join(texts)
    assert caught.value.__cause__ is None


def test_a_file_has_no_accounts(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")
    with pytest.raises(UsageError) as caught:
        read({"shop": {"clerk": str(shop)}}, {"shop": str(shop)})
    assert caught.value.message_key == "usage.accounts_file_source"
    assert "SQLite" in explain(caught.value, "en")


# -- the command ---------------------------------------------------------------------------------


def serve(folder: Path, document: str | None, *words: str, mode: int = 0o600, setting: bool = False) -> str:
    """What `serve` prints when it ends at once: nobody may sign in with `nothing`."""
    pytest.importorskip("psycopg")
    policy, accounts = folder / "policy.json", folder / "accounts.json"
    policy.write_text('{"roles": {"clerk": {"tables": {"customers": ["id"]}}}}')
    if document is not None:
        accounts.write_text(document)
        accounts.chmod(mode)
    named = [] if setting else ["--accounts", str(accounts)]
    variables = {"TEXT2SQL_ACCOUNTS": str(accounts)} if setting else {}
    ended = run(
        *("serve", "--db", f"shop={SHOP}", "--policy", str(policy), *named, *words),
        env={"TEXT2SQL_MEMORY": "none", "TEXT2SQL_AUTH": "nothing", **variables},
    )
    assert ended.code == 2
    assert "-pw" not in ended.out + ended.err
    return ended.err


def test_the_command_reads_the_file_and_warns_if_others_can_read_it(tmp_path: Path) -> None:
    document = json.dumps({"shop": {"clerk": url("clerk")}})
    assert "nothing" in serve(tmp_path, document)
    assert "chmod 600" not in serve(tmp_path, document)
    assert "chmod 600" in serve(tmp_path, document, mode=0o644)
    assert "chmod 600" in serve(tmp_path, document, mode=0o640, setting=True)
    assert "密码" in serve(tmp_path, document, "--lang", "zh", mode=0o604)


def test_the_command_reports_errors_in_the_file(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in serve(tmp_path, None)
    assert "a role “boss”" in serve(tmp_path, json.dumps({"shop": {"boss": url("clerk")}}))
    assert "角色“boss”" in serve(tmp_path, json.dumps({"shop": {"boss": url("x")}}), "--lang", "zh")
