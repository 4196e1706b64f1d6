"""A warehouse and delivery company in DuckDB: English names of tables and columns, Chinese values.

Traps: cancelled and returned shipments, items and complaints beside shipments (fan-out), three timestamps of
a shipment, stock movements with a sign, employees of the same name, a leader of each employee, a carrier
without shipments, a warehouse that opened this month and has none, a table that no question needs.
"""

from datetime import date, datetime, timedelta

from everyday.chance import TODAY, Chance
from everyday.tables import Row, Tables

SCHEMA = """
CREATE TABLE warehouses (
  warehouse_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR NOT NULL, region VARCHAR NOT NULL,
  capacity_m3 INTEGER NOT NULL, opened_on DATE NOT NULL);
CREATE TABLE carriers (carrier_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, service_level VARCHAR NOT NULL);
CREATE TABLE employees (
  emp_id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, position VARCHAR NOT NULL,
  warehouse_id INTEGER REFERENCES warehouses(warehouse_id), leader_id INTEGER REFERENCES employees(emp_id),
  joined_on DATE NOT NULL, salary DECIMAL(10, 2) NOT NULL);
CREATE TABLE skus (
  sku VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, category VARCHAR NOT NULL,
  unit_cost DECIMAL(10, 2) NOT NULL, unit_price DECIMAL(10, 2) NOT NULL);
CREATE TABLE shipments (
  shipment_id INTEGER PRIMARY KEY, warehouse_id INTEGER NOT NULL REFERENCES warehouses(warehouse_id),
  carrier_id INTEGER NOT NULL REFERENCES carriers(carrier_id), client VARCHAR NOT NULL,
  province VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL, picked_at TIMESTAMP, delivered_at TIMESTAMP,
  status VARCHAR NOT NULL, weight_kg DECIMAL(8, 2) NOT NULL, freight DECIMAL(10, 2) NOT NULL,
  is_fragile BOOLEAN NOT NULL);
CREATE TABLE shipment_items (
  item_id INTEGER PRIMARY KEY, shipment_id INTEGER NOT NULL REFERENCES shipments(shipment_id),
  sku VARCHAR NOT NULL REFERENCES skus(sku), quantity INTEGER NOT NULL);
CREATE TABLE stock_moves (
  move_id INTEGER PRIMARY KEY, warehouse_id INTEGER NOT NULL REFERENCES warehouses(warehouse_id),
  sku VARCHAR NOT NULL REFERENCES skus(sku), moved_on DATE NOT NULL, move_type VARCHAR NOT NULL,
  quantity INTEGER NOT NULL);
CREATE TABLE complaints (
  complaint_id INTEGER PRIMARY KEY, shipment_id INTEGER NOT NULL REFERENCES shipments(shipment_id),
  opened_on DATE NOT NULL, reason VARCHAR NOT NULL, compensation DECIMAL(10, 2));
CREATE TABLE import_batches (batch_id INTEGER PRIMARY KEY, file_name VARCHAR, loaded_at TIMESTAMP);
"""

WAREHOUSES = (
    ("上海一仓", "上海", "华东", 5200, date(2019, 3, 1)),
    ("杭州仓", "杭州", "华东", 3600, date(2020, 6, 15)),
    ("广州仓", "广州", "华南", 4800, date(2019, 9, 10)),
    ("深圳仓", "深圳", "华南", 2900, date(2021, 4, 20)),
    ("北京仓", "北京", "华北", 4100, date(2020, 1, 8)),
    ("成都仓", "成都", "西南", 3000, date(2022, 5, 5)),
    ("武汉仓", "武汉", "华中", 2700, date(2023, 2, 14)),
    ("西安仓", "西安", "西北", 1500, date(2026, 11, 2)),
)
CARRIERS = (
    ("迅达快运", "次日达"),
    ("通途物流", "标准"),
    ("安捷货运", "标准"),
    ("飞燕速递", "次日达"),
    ("远航冷链", "冷链"),
    ("小蜜蜂同城", "同城"),
)
SKUS = {
    "数码": ("蓝牙耳机", "充电宝", "机械键盘", "无线鼠标", "智能手环", "移动硬盘"),
    "家电": ("电饭煲", "空气炸锅", "吸尘器", "加湿器", "电水壶"),
    "食品": ("坚果礼盒", "挂耳咖啡", "牛奶", "燕麦片", "矿泉水"),
    "服饰": ("羽绒服", "运动鞋", "棉袜", "牛仔裤"),
    "母婴": ("纸尿裤", "奶瓶", "婴儿推车"),
    "图书": ("儿童绘本", "编程入门"),
}
CLIENTS = (
    "星辰电商",
    "优品商城",
    "好邻居超市",
    "青禾母婴",
    "万卷书店",
    "极客数码",
    "云上服饰",
    "每日鲜",
    "乐活家电",
)
PROVINCES = (
    ("上海", 5.0),
    ("浙江", 5.0),
    ("江苏", 4.0),
    ("广东", 7.0),
    ("北京", 3.0),
    ("四川", 3.0),
    ("湖北", 2.0),
    ("陕西", 1.0),
    ("福建", 1.5),
)
SURNAMES = "王 李 张 刘 陈 杨 赵 黄 周 吴"
GIVEN = "军 芳 磊 敏 强 丽 刚 平 辉 燕 建国 海燕"
END = date(2026, 11, 18)


def tables() -> Tables:
    chance = Chance(31415)
    skus: list[Row] = []
    for category, names in SKUS.items():
        for name in names:
            cost = chance.amount(4, 460, 0.5)
            price = round(cost * (1.15 + 0.6 * chance.part()), 1)
            skus.append((f"SKU{len(skus) + 101}", name, category, cost, price))
    shipments, items, complaints = _shipments(chance, skus)
    return Tables(
        SCHEMA,
        {
            "warehouses": [(at, *warehouse) for at, warehouse in enumerate(WAREHOUSES, 1)],
            "carriers": [(at, *carrier) for at, carrier in enumerate(CARRIERS, 1)],
            "employees": _employees(chance),
            "skus": skus,
            "shipments": shipments,
            "shipment_items": items,
            "stock_moves": _moves(chance, skus),
            "complaints": complaints,
            "import_batches": [(1, "orders_2026_10.csv", datetime(2026, 10, 31, 23, 0))],
        },
    )


def _employees(chance: Chance) -> list[Row]:
    rows: list[Row] = []
    for warehouse in range(1, 9):
        leader = len(rows) + 1
        for at in range(chance.number(7, 12)):
            name = chance.pick(SURNAMES.split()) + chance.pick(GIVEN.split())
            position = (
                "仓库主管"
                if at == 0
                else chance.weighted([("拣货员", 5.0), ("叉车司机", 2.0), ("质检员", 1.5)])
            )
            base = {"仓库主管": 12000, "拣货员": 5600, "叉车司机": 7000, "质检员": 6300}[position]
            joined = chance.day(max(date(2019, 3, 1), WAREHOUSES[warehouse - 1][4]), date(2026, 11, 10))
            salary = base + 50 * chance.number(0, 50)
            superior = (1 if warehouse > 1 else None) if at == 0 else leader
            rows.append((len(rows) + 1, name, position, warehouse, superior, joined, salary))
    return rows


def _shipments(chance: Chance, skus: list[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    shipments: list[Row] = []
    items: list[Row] = []
    complaints: list[Row] = []
    days = sorted(chance.growing_day(date(2025, 1, 2), END) for _ in range(2600))
    for at, day in enumerate(days, 1):
        warehouse = chance.weighted([(1, 6.0), (2, 4.0), (3, 5.0), (4, 3.0), (5, 4.0), (6, 2.5), (7, 1.5)])
        carrier = chance.weighted([(1, 5.0), (2, 4.0), (3, 3.0), (4, 2.0), (5, 1.0)])
        created = chance.moment(day)
        picked = created + timedelta(minutes=chance.number(25, 900))
        delivered = picked + timedelta(minutes=int(60 * (8 + (18 * carrier + 60) * chance.part() ** 2)))
        status = chance.weighted([("已签收", 90.0), ("已取消", 5.0), ("已退回", 4.0)])
        if status != "已取消" and delivered.date() >= TODAY:
            status = "运输中"
        weight = chance.amount(0.3, 48)
        freight = round(6 + 1.35 * weight + (9 if carrier in (1, 4) else 0) + 25 * (carrier == 5), 2)
        shipments.append(
            (
                at,
                warehouse,
                carrier,
                chance.pick(CLIENTS),
                chance.weighted(PROVINCES),
                created,
                None if status == "已取消" else picked,
                delivered if status == "已签收" else None,
                status,
                weight,
                freight,
                chance.happens(0.15),
            )
        )
        for _ in range(chance.weighted([(1, 5.0), (2, 3.0), (3, 1.5)])):
            sku = skus[int(len(skus) * chance.part() ** 1.2)]
            items.append(
                (len(items) + 1, at, sku[0], chance.weighted([(1, 6.0), (2, 3.0), (5, 1.0), (10, 0.5)]))
            )
        for _ in range(chance.weighted([(0, 90.0), (1, 8.0), (2, 1.0)]) if status != "已取消" else 0):
            opened = day + timedelta(days=chance.number(1, 9))
            reason = chance.weighted([("破损", 4.0), ("延误", 5.0), ("丢失", 1.0), ("错发", 1.5)])
            paid = chance.amount(5, 120, 0.5) if chance.happens(0.6) else None
            if opened < TODAY:
                complaints.append((len(complaints) + 1, at, opened, reason, paid))
    return shipments, items, complaints


def _moves(chance: Chance, skus: list[Row]) -> list[Row]:
    rows: list[Row] = []
    for at in range(1, 2801):
        kind = chance.weighted([("入库", 5.0), ("出库", 5.5), ("盘亏", 0.6)])
        size = {
            "入库": chance.number(40, 200),
            "出库": -chance.number(20, 130),
            "盘亏": -chance.number(1, 6),
        }[kind]
        day = chance.growing_day(date(2025, 1, 2), END)
        rows.append((at, chance.number(1, 7), chance.pick(skus)[0], day, kind, size))
    return rows
