"""一所高中：Chinese names of tables and columns, in SQLite.

Traps: students and teachers of the same name, scores that are NULL (absent), two dates of a fee, a superior
of each teacher, two kinds of exams, months without loans (February), a table that no question needs.
"""

from datetime import date, timedelta

from everyday.chance import Chance, before_today
from everyday.tables import Row, Tables

SCHEMA = """
CREATE TABLE "教师" (
  "教师编号" INTEGER PRIMARY KEY, "姓名" TEXT NOT NULL, "教研组" TEXT NOT NULL, "职称" TEXT NOT NULL,
  "入职日期" TEXT NOT NULL, "月薪" REAL NOT NULL, "上级编号" INTEGER REFERENCES "教师"("教师编号"));
CREATE TABLE "班级" (
  "班级编号" INTEGER PRIMARY KEY, "班级名称" TEXT NOT NULL, "年级" TEXT NOT NULL,
  "班主任编号" INTEGER REFERENCES "教师"("教师编号"));
CREATE TABLE "学生" (
  "学号" INTEGER PRIMARY KEY, "姓名" TEXT NOT NULL, "性别" TEXT NOT NULL, "出生日期" TEXT NOT NULL,
  "班级编号" INTEGER NOT NULL REFERENCES "班级"("班级编号"), "入学日期" TEXT NOT NULL, "家庭城市" TEXT);
CREATE TABLE "课程" (
  "课程编号" INTEGER PRIMARY KEY, "课程名称" TEXT NOT NULL, "学分" REAL NOT NULL,
  "教师编号" INTEGER REFERENCES "教师"("教师编号"));
CREATE TABLE "成绩" (
  "成绩编号" INTEGER PRIMARY KEY, "学号" INTEGER NOT NULL REFERENCES "学生"("学号"),
  "课程编号" INTEGER NOT NULL REFERENCES "课程"("课程编号"), "考试类型" TEXT NOT NULL,
  "考试日期" TEXT NOT NULL, "分数" REAL);
CREATE TABLE "考勤" (
  "记录编号" INTEGER PRIMARY KEY, "学号" INTEGER NOT NULL REFERENCES "学生"("学号"), "日期" TEXT NOT NULL,
  "状态" TEXT NOT NULL);
CREATE TABLE "缴费" (
  "缴费编号" INTEGER PRIMARY KEY, "学号" INTEGER NOT NULL REFERENCES "学生"("学号"), "项目" TEXT NOT NULL,
  "金额" REAL NOT NULL, "应缴日期" TEXT NOT NULL, "实缴日期" TEXT);
CREATE TABLE "图书借阅" (
  "借阅编号" INTEGER PRIMARY KEY, "学号" INTEGER NOT NULL REFERENCES "学生"("学号"), "书名" TEXT NOT NULL,
  "借出日期" TEXT NOT NULL, "归还日期" TEXT);
CREATE TABLE "系统参数" ("参数名" TEXT PRIMARY KEY, "参数值" TEXT);
"""

SURNAMES = "王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 马 朱 胡 林"
GIVEN = "伟 芳 娜 敏 静 强 磊 洋 艳 勇 杰 娟 涛 明 超 秀英 建华 志强 晓东 雨欣 子涵 浩然 思远 佳怡"
GROUPS = ("语文组", "数学组", "英语组", "理化组", "文综组", "体艺组")
COURSES = (
    ("语文", 4.0, 0),
    ("数学", 4.0, 1),
    ("英语", 4.0, 2),
    ("物理", 3.0, 3),
    ("化学", 3.0, 3),
    ("生物", 2.5, 3),
    ("历史", 2.0, 4),
    ("地理", 2.0, 4),
    ("政治", 2.0, 4),
    ("体育", 1.0, 5),
    ("美术", 1.0, 5),
)
EXAMS = (
    ("期中", date(2025, 11, 12)),
    ("期末", date(2026, 1, 20)),
    ("期中", date(2026, 4, 22)),
    ("期末", date(2026, 6, 30)),
    ("期中", date(2026, 11, 11)),
)
BOOKS = (
    "红楼梦",
    "三体",
    "平凡的世界",
    "围城",
    "活着",
    "小王子",
    "时间简史",
    "百年孤独",
    "西游记",
    "呐喊",
    "边城",
)
FEES = (("学费", 2400.0), ("餐费", 1350.0), ("校车", 600.0), ("书本", 420.5))


def tables() -> Tables:
    chance = Chance(90210)
    teachers = _teachers(chance)
    classes: list[Row] = [
        (at, f"{grade}{number}班", grade, 6 + at)
        for at, (grade, number) in enumerate(
            ((g, n) for g in ("高一", "高二", "高三") for n in "一二三四五"), 1
        )
    ]
    students = _students(chance)
    return Tables(
        SCHEMA,
        {
            "教师": teachers,
            "班级": classes,
            "学生": students,
            "课程": [
                (at, name, credit, next(int(str(t[0])) for t in teachers[6:] if t[2] == GROUPS[group]))
                for at, (name, credit, group) in enumerate(COURSES, 1)
            ],
            "成绩": _scores(chance, students),
            "考勤": _attendance(chance, students),
            "缴费": _fees(chance, students),
            "图书借阅": _loans(chance, students),
            "系统参数": [("学校名称", "青山中学"), ("版本", "3.2")],
        },
    )


def _name(chance: Chance) -> str:
    return chance.pick(SURNAMES.split()) + chance.pick(GIVEN.split())


def _teachers(chance: Chance) -> list[Row]:
    rows: list[Row] = []
    for at in range(1, 37):
        title = (
            "特级教师"
            if at <= 6
            else chance.weighted([("高级教师", 3.0), ("一级教师", 4.0), ("二级教师", 3.0)])
        )
        base = {"特级教师": 16000, "高级教师": 12500, "一级教师": 9800, "二级教师": 7600}[title]
        group = (at - 1) % 6
        superior = None if at == 1 else 1 if at <= 6 else group + 1
        hired = chance.day(date(2001, 8, 20), date(2026, 9, 1))
        rows.append(
            (
                at,
                _name(chance),
                GROUPS[group],
                title,
                f"{hired}",
                base + 10.0 * chance.number(0, 140),
                superior,
            )
        )
    return rows


def _students(chance: Chance) -> list[Row]:
    rows: list[Row] = []
    for at in range(450):
        class_id = 1 + at // 30
        entered = date(2026 - (class_id - 1) // 5, 9, 1)
        born = chance.day(date(entered.year - 16, 9, 1), date(entered.year - 15, 8, 31))
        city = chance.weighted(
            [("杭州", 6.0), ("宁波", 3.0), ("绍兴", 2.0), ("嘉兴", 2.0), ("温州", 1.0), (None, 0.6)]
        )
        gender = "女" if chance.happens(0.48) else "男"
        number = entered.year * 1000 + at % 150 + 1
        rows.append((number, _name(chance), gender, f"{born}", class_id, f"{entered}", city))
    return rows


def _scores(chance: Chance, students: list[Row]) -> list[Row]:
    rows: list[Row] = []
    for student in students:
        talent = 58 + 30 * chance.part()
        for course in range(1, len(COURSES) - 1):  # no exams in sports and art
            for kind, day in EXAMS:
                if f"{day}" < str(student[5]) or chance.happens(0.45):
                    continue
                score = min(100.0, round(2 * (talent + course % 4 + 14 * (chance.part() - 0.4))) / 2)
                rows.append(
                    (
                        len(rows) + 1,
                        student[0],
                        course,
                        kind,
                        f"{day}",
                        None if chance.happens(0.02) else score,
                    )
                )
    return rows


def _entered(students: list[Row], year: int) -> list[Row]:
    """The students who are at the school in the school year that starts in September of `year`."""
    return [student for student in students if str(student[5]) <= f"{year}-09-01"]


def _attendance(chance: Chance, students: list[Row]) -> list[Row]:
    rows: list[Row] = []
    by_year = {year: _entered(students, year) for year in (2025, 2026)}
    for at in range(1, 3601):
        day = chance.day(date(2026, 3, 2), date(2026, 11, 18))
        while day.month in (7, 8) or day.weekday() > 4:
            day = chance.day(date(2026, 3, 2), date(2026, 11, 18))
        known = by_year[day.year if day.month >= 9 else day.year - 1]
        status = chance.weighted([("出勤", 88.0), ("迟到", 6.0), ("请假", 4.0), ("缺勤", 2.0)])
        rows.append((at, known[int(len(known) * chance.part() ** 1.3)][0], f"{day}", status))
    return rows


def _fees(chance: Chance, students: list[Row]) -> list[Row]:
    rows: list[Row] = []
    for student in students:
        for due in (date(2025, 9, 10), date(2026, 3, 5), date(2026, 9, 10)):
            for item, amount in FEES:
                if f"{due}" < str(student[5]) or (item == "校车" and chance.happens(0.6)):
                    continue
                paid = due + timedelta(
                    days=chance.weighted([(-6, 4.0), (-1, 4.0), (0, 2.0), (5, 1.5), (33, 1.0)])
                )
                is_paid = before_today(paid) and chance.happens(0.97)
                rows.append(
                    (len(rows) + 1, student[0], item, amount, f"{due}", f"{paid}" if is_paid else None)
                )
    return rows


def _loans(chance: Chance, students: list[Row]) -> list[Row]:
    rows: list[Row] = []
    readers = [student for student in students if chance.happens(0.7)]
    by_year = {year: _entered(readers, year) for year in (2025, 2026)}
    days = sorted(chance.growing_day(date(2025, 9, 3), date(2026, 11, 18)) for _ in range(1000))
    for day in days:
        known = by_year[day.year if day.month >= 9 else day.year - 1]
        if day.month == 2:
            continue
        back = day + timedelta(days=chance.number(4, 50))
        book = BOOKS[int(len(BOOKS) * chance.part() ** 1.5)]
        is_back = before_today(back) and chance.happens(0.96)
        rows.append((len(rows) + 1, chance.pick(known)[0], book, f"{day}", f"{back}" if is_back else None))
    return rows
