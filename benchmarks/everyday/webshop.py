"""A web shop in SQLite. Dates are ISO text, and an amount is quantity * unit_price * (1 - discount).

Traps: cancelled orders, names that repeat, products that were never sold, customers without orders, a month
without orders (February 2025), returns beside items (fan-out), two dates of an order, a table that no
question needs.
"""

from datetime import date, timedelta

from everyday.chance import Chance, before_today
from everyday.tables import Row, Tables

SCHEMA = """
CREATE TABLE customers (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, city TEXT NOT NULL, country TEXT NOT NULL,
  segment TEXT NOT NULL, signed_up_on TEXT NOT NULL, referred_by INTEGER REFERENCES customers(id));
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL);
CREATE TABLE products (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price REAL NOT NULL, cost REAL NOT NULL,
  supplier_id INTEGER NOT NULL REFERENCES suppliers(id), launched_on TEXT NOT NULL,
  discontinued INTEGER NOT NULL DEFAULT 0);
CREATE TABLE coupons (
  id INTEGER PRIMARY KEY, code TEXT NOT NULL, percent_off INTEGER NOT NULL, valid_from TEXT, valid_to TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), ordered_at TEXT NOT NULL,
  shipped_on TEXT, status TEXT NOT NULL, channel TEXT NOT NULL, coupon_id INTEGER REFERENCES coupons(id));
CREATE TABLE order_items (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id),
  product_id INTEGER NOT NULL REFERENCES products(id), quantity INTEGER NOT NULL, unit_price REAL NOT NULL,
  discount REAL NOT NULL DEFAULT 0);
CREATE TABLE returns (
  id INTEGER PRIMARY KEY, order_item_id INTEGER NOT NULL REFERENCES order_items(id),
  returned_on TEXT NOT NULL, reason TEXT NOT NULL, quantity INTEGER NOT NULL);
CREATE TABLE app_settings (key TEXT PRIMARY KEY, value TEXT);
"""

FIRST = """Anna Ben Clara David Elena Felix Greta Hugo Ines Jonas
Katja Leon Marta Nils Olga Paul Rosa Simon Tara Viktor"""
LAST = "Weber Martin Jansen Novak Garcia Smith Keller Dubois Visser Kowalski Lopez Brown Huber Moreau Bakker"
CITIES = (
    ("Berlin", "Germany", 9),
    ("Hamburg", "Germany", 6),
    ("Munich", "Germany", 5),
    ("Lyon", "France", 4),
    ("Paris", "France", 7),
    ("Utrecht", "Netherlands", 5),
    ("Vienna", "Austria", 4),
    ("Madrid", "Spain", 3),
    ("Warsaw", "Poland", 2),
    ("Leeds", "United Kingdom", 3),
    ("Bristol", "United Kingdom", 1),
)
CATEGORIES = {
    "Kitchen": ("Kettle", "Frying Pan", "Knife Set", "Toaster", "Mixing Bowl", "Coffee Grinder"),
    "Garden": ("Rake", "Hose", "Planter", "Bird Feeder", "Garden Bench"),
    "Lighting": ("Desk Lamp", "Floor Lamp", "String Lights", "Lantern"),
    "Furniture": ("Bookshelf", "Side Table", "Armchair", "Coat Rack"),
    "Textiles": ("Blanket", "Cushion", "Curtain", "Bath Towel"),
    "Toys": ("Puzzle", "Wooden Train", "Kite"),
}
STYLES = ("Oak", "Nordic", "Classic")
SUPPLIERS = (
    ("Alpine Goods", "Austria"),
    ("Baltic Wood", "Poland"),
    ("Costa Home", "Spain"),
    ("Delta Living", "Netherlands"),
    ("Elbe Trading", "Germany"),
    ("Fjord Design", "Denmark"),
    ("Galerie Sud", "France"),
    ("Harbor Imports", "United Kingdom"),
)
REASONS = (("damaged", 4.0), ("wrong size", 3.0), ("not as described", 2.0), ("changed mind", 5.0))
START, END = date(2024, 1, 3), date(2026, 11, 18)


def tables() -> Tables:
    chance = Chance(20261119)
    customers = _customers(chance)
    products = _products(chance)
    coupons: list[Row] = [
        (1, "WELCOME10", 10, "2024-01-01", None),
        (2, "SPRING15", 15, "2025-03-01", "2025-05-31"),
        (3, "SUMMER20", 20, "2026-06-01", "2026-08-31"),
        (4, "FRIENDS5", 5, None, None),
    ]
    orders, items, returns = _orders(chance, customers, products)
    return Tables(
        SCHEMA,
        {
            "customers": customers,
            "suppliers": [(at, *supplier) for at, supplier in enumerate(SUPPLIERS, 1)],
            "products": products,
            "coupons": coupons,
            "orders": orders,
            "order_items": items,
            "returns": returns,
            "app_settings": [("theme", "dark"), ("currency", "EUR"), ("page_size", "50")],
        },
    )


def _customers(chance: Chance) -> list[Row]:
    rows: list[Row] = []
    for at in range(420):
        name = f"{chance.pick(FIRST.split())} {chance.pick(LAST.split())}"
        city, country = chance.weighted([((city, country), weight) for city, country, weight in CITIES])
        segment = "business" if chance.happens(0.22) else "consumer"
        email = f"{name.lower().replace(' ', '.')}{at}@example.com" if chance.happens(0.93) else None
        referrer = 1001 + chance.number(0, at - 1) if at > 20 and chance.happens(0.25) else None
        day = chance.growing_day(date(2023, 11, 1), date(2026, 11, 10))
        rows.append((1001 + at, name, email, city, country, segment, f"{day}", referrer))
    return rows


def _products(chance: Chance) -> list[Row]:
    rows: list[Row] = []
    for category, names in CATEGORIES.items():
        for name in names:
            for style in STYLES if len(names) < 6 else STYLES[:2]:
                price = float(chance.number(8, 240)) + chance.pick((0.0, 0.5, 0.9))
                cost = round(price * (0.4 + 0.35 * chance.part()), 2)
                launched = chance.day(date(2022, 3, 1), date(2025, 12, 1))
                rows.append(
                    (
                        len(rows) + 1,
                        f"{style} {name}",
                        category,
                        price,
                        cost,
                        chance.number(1, 8),
                        f"{launched}",
                        int(chance.happens(0.08)),
                    )
                )
    return rows


def _orders(
    chance: Chance, customers: list[Row], products: list[Row]
) -> tuple[list[Row], list[Row], list[Row]]:
    orders: list[Row] = []
    items: list[Row] = []
    returns: list[Row] = []
    sold = [row for row in products if row[0] not in (7, 19, 33, 48, 60)]  # the others are never sold
    buyers = [row for row in customers if chance.happens(0.88)]
    days = sorted(chance.growing_day(START, END) for _ in range(2300))
    for at, day in enumerate(day for day in days if (day.year, day.month) != (2025, 2)):
        known = [row for row in buyers if str(row[6]) <= f"{day}"] or buyers[:5]
        status = chance.weighted(
            [("completed", 80.0), ("cancelled", 9.0), ("shipped", 6.0), ("pending", 5.0)]
        )
        shipped = day + timedelta(days=chance.weighted([(1, 5.0), (2, 6.0), (3, 4.0), (5, 2.0), (9, 0.7)]))
        is_sent = status in ("completed", "shipped") and before_today(shipped)
        coupon = chance.weighted([(None, 80.0), (1, 8.0), (2, 4.0), (3, 5.0)])
        channel = chance.weighted([("web", 6.0), ("app", 3.0 + at / 800), ("store", 1.5)])
        customer = known[int(len(known) * chance.part() ** 1.6)]
        orders.append(
            (
                50001 + at,
                customer[0],
                f"{chance.moment(day)}",
                f"{shipped}" if is_sent else None,
                status if is_sent or status in ("cancelled", "pending") else "pending",
                channel,
                coupon,
            )
        )
        for _ in range(chance.weighted([(1, 5.0), (2, 4.0), (3, 2.0), (4, 1.0)])):
            product = chance.pick(sold)
            quantity = chance.weighted([(1, 7.0), (2, 3.0), (3, 1.0), (6, 0.5)])
            discount = chance.weighted([(0.0, 7.0), (0.1, 2.0), (0.25, 0.7)])
            items.append((len(items) + 1, 50001 + at, product[0], quantity, product[3], discount))
            back = shipped + timedelta(days=chance.number(3, 25))
            if is_sent and before_today(back) and chance.happens(0.07):
                returns.append(
                    (
                        len(returns) + 1,
                        len(items),
                        f"{back}",
                        chance.weighted(REASONS),
                        chance.number(1, quantity),
                    )
                )
    return orders, items, returns
