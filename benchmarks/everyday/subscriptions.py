"""A software company with subscriptions, in DuckDB.

Traps: durations in milliseconds and seconds, two dates of an invoice and a payment date that may be NULL,
events beside invoices (fan-out), accounts whose names repeat, a manager of each employee, months in which a
plan has no new subscription, a table that no question needs.
"""

from datetime import date, datetime, timedelta

from everyday.chance import TODAY, Chance
from everyday.tables import Row, Tables

SCHEMA = """
CREATE TABLE staff (
  staff_id INTEGER PRIMARY KEY, full_name VARCHAR NOT NULL, role VARCHAR NOT NULL,
  manager_id INTEGER REFERENCES staff(staff_id), hired_on DATE NOT NULL);
CREATE TABLE accounts (
  account_id INTEGER PRIMARY KEY, account_name VARCHAR NOT NULL, country VARCHAR NOT NULL, industry VARCHAR,
  created_at TIMESTAMP NOT NULL, owner_id INTEGER REFERENCES staff(staff_id));
CREATE TABLE plans (
  plan_id INTEGER PRIMARY KEY, plan_name VARCHAR NOT NULL, monthly_price DECIMAL(8, 2) NOT NULL,
  seats_included INTEGER NOT NULL);
CREATE TABLE subscriptions (
  subscription_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(account_id),
  plan_id INTEGER NOT NULL REFERENCES plans(plan_id), started_on DATE NOT NULL, cancelled_on DATE,
  seats INTEGER NOT NULL);
CREATE TABLE invoices (
  invoice_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(account_id),
  issued_on DATE NOT NULL, due_on DATE NOT NULL, paid_on DATE, amount DECIMAL(10, 2) NOT NULL);
CREATE TABLE events (
  event_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(account_id),
  event_type VARCHAR NOT NULL, happened_at TIMESTAMP NOT NULL, duration_ms BIGINT);
CREATE TABLE support_tickets (
  ticket_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(account_id),
  assignee_id INTEGER REFERENCES staff(staff_id), priority VARCHAR NOT NULL, opened_at TIMESTAMP NOT NULL,
  closed_at TIMESTAMP, first_response_seconds INTEGER, satisfaction INTEGER);
CREATE TABLE feature_flags (flag VARCHAR PRIMARY KEY, enabled BOOLEAN);
"""

PEOPLE = """Amara Okafor;Bruno Silva;Chloe Nguyen;Dmitri Volkov;Emily Hart;Farid Haddad;Gina Rossi
Henrik Lund;Isha Patel;Jack Turner;Kaori Sato;Luis Ortega;Mina Park;Noah Fischer;Olivia Reed
Pedro Alves;Quinn Baker;Rana Aziz;Sven Berg;Tina Kovacs"""
WORDS = """Acorn Bluebird Cobalt Driftwood Ember Foxglove Granite Horizon
Ivory Juniper Kestrel Lumen Meadow Nimbus Orchid"""
TRADES = "Foods Media Robotics Health Travel Logistics Studios"
COUNTRIES = (
    ("United States", 9.0),
    ("Germany", 5.0),
    ("India", 4.0),
    ("Brazil", 3.0),
    ("Japan", 3.0),
    ("Canada", 2.0),
)
INDUSTRIES = (("Retail", 5.0), ("Healthcare", 3.0), ("Manufacturing", 4.0), ("Education", 2.0), (None, 1.0))
PLANS = (
    ("Free", 0.0, 1),
    ("Starter", 29.0, 3),
    ("Team", 99.0, 10),
    ("Business", 249.0, 30),
    ("Enterprise", 890.0, 200),
)
EVENTS = (("login", 9.0), ("report_viewed", 5.0), ("export", 2.0), ("api_call", 6.0), ("invite_sent", 1.0))
TIMED = ("report_viewed", "export", "api_call")
END = date(2026, 11, 18)


def tables() -> Tables:
    chance = Chance(4711)
    staff = _staff(chance)
    accounts = _accounts(chance)
    subscriptions = _subscriptions(chance, accounts)
    return Tables(
        SCHEMA,
        {
            "staff": staff,
            "accounts": accounts,
            "plans": [(at, *plan) for at, plan in enumerate(PLANS, 1)],
            "subscriptions": subscriptions,
            "invoices": _invoices(chance, subscriptions),
            "events": _events(chance, accounts),
            "support_tickets": _tickets(chance, accounts),
            "feature_flags": [("dark_mode", True), ("beta_export", False)],
        },
    )


def _staff(chance: Chance) -> list[Row]:
    rows: list[Row] = []
    for at, name in enumerate(PEOPLE.replace("\n", ";").split(";"), 1):
        role = (
            "CEO"
            if at == 1
            else "team lead"
            if at <= 4
            else "support agent"
            if at <= 12
            else "account manager"
        )
        manager = None if at == 1 else 1 if at <= 4 else 2 + at % 3
        rows.append((at, name, role, manager, chance.day(date(2019, 1, 7), date(2026, 8, 31))))
    return rows


def _accounts(chance: Chance) -> list[Row]:
    rows: list[Row] = []
    for at in range(1, 241):
        name = f"{chance.pick(WORDS.split())} {chance.pick(TRADES.split())}"
        created = chance.moment(chance.growing_day(date(2024, 1, 8), date(2026, 11, 12)))
        owner = chance.number(13, 19) if chance.happens(0.9) else None  # the last account manager has none
        rows.append((at, name, chance.weighted(COUNTRIES), chance.weighted(INDUSTRIES), created, owner))
    return rows


def _subscriptions(chance: Chance, accounts: list[Row]) -> list[Row]:
    rows: list[Row] = []
    for account in accounts:
        if chance.happens(0.06):
            continue  # never subscribed
        assert isinstance(account[4], datetime)
        day = account[4].date() + timedelta(days=chance.number(0, 20))
        plan = chance.weighted([(1, 2.0), (2, 4.0), (3, 4.0), (4, 2.0), (5, 0.6)])
        while day <= END:
            last = day + timedelta(days=chance.number(60, 700))
            ended = last if last <= END and chance.happens(0.55) else None
            seats = int(PLANS[plan - 1][2]) + (chance.number(0, 12) if plan > 1 else 0)
            rows.append((len(rows) + 1, account[0], plan, day, ended, seats))
            if ended is None or chance.happens(0.45):
                break
            day = ended + timedelta(days=chance.number(1, 60))
            plan = min(5, max(1, plan + chance.pick((-1, 1, 1))))
    return rows


def _invoices(chance: Chance, subscriptions: list[Row]) -> list[Row]:
    rows: list[Row] = []
    for _, account, plan, start, ended, seats in subscriptions:
        assert isinstance(start, date)
        assert isinstance(plan, int)
        assert isinstance(seats, int)
        price, included = float(PLANS[plan - 1][1]), int(PLANS[plan - 1][2])
        last = ended if isinstance(ended, date) else END
        issued = date(start.year, start.month, min(start.day, 28))
        while price and issued <= last:
            due = issued + timedelta(days=14)
            paid = issued + timedelta(
                days=chance.weighted([(3, 5.0), (10, 5.0), (14, 3.0), (21, 2.0), (40, 0.8)])
            )
            is_paid = paid < TODAY and chance.happens(0.96)
            amount = round(price + 9.5 * max(0, seats - included), 2)
            rows.append((len(rows) + 1, account, issued, due, paid if is_paid else None, amount))
            issued = date(issued.year + issued.month // 12, issued.month % 12 + 1, issued.day)
    return rows


def _events(chance: Chance, accounts: list[Row]) -> list[Row]:
    rows: list[Row] = []
    active = [account for account in accounts if chance.happens(0.9)]
    for at in range(1, 5201):
        account = active[int(len(active) * chance.part() ** 1.4)]
        assert isinstance(account[4], datetime)
        kind = chance.weighted(EVENTS)
        moment = chance.moment(chance.day(account[4].date(), END), 0, 23)
        duration = int(200 + 90_000 * chance.part() ** 4) if kind in TIMED else None
        rows.append((at, account[0], kind, moment, duration))
    return rows


def _tickets(chance: Chance, accounts: list[Row]) -> list[Row]:
    rows: list[Row] = []
    for at in range(1, 861):
        account = chance.pick(accounts)
        assert isinstance(account[4], datetime)
        opened = chance.moment(chance.day(account[4].date(), END))
        priority = chance.weighted([("low", 4.0), ("normal", 6.0), ("high", 2.5), ("urgent", 1.0)])
        hours = chance.weighted([(2, 3.0), (9, 4.0), (30, 3.0), (80, 2.0), (200, 1.0)]) * (
            0.5 + chance.part()
        )
        closed = opened + timedelta(seconds=int(3600 * hours))
        is_closed = closed.date() < TODAY and chance.happens(0.95)
        rows.append(
            (
                at,
                account[0],
                chance.number(5, 12) if chance.happens(0.97) else None,
                priority,
                opened,
                closed if is_closed else None,
                int(60 + 14_000 * chance.part() ** 2) if chance.happens(0.96) else None,
                chance.weighted([(1, 0.6), (2, 0.8), (3, 2.0), (4, 4.0), (5, 4.0)])
                if is_closed and chance.happens(0.6)
                else None,
            )
        )
    return rows
