"""Decide whether a column holds personal data, by its name and its table's name, in English and Chinese.

Such a column is never a category, however few values it has. In doubt a column counts as personal: that costs
a value list in the prompt and nothing else.
"""

import re
from functools import lru_cache
from itertools import pairwise

from text2sql.text_normalization import singular

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[A-Za-z]+")

# Columns that are private in any table, and free text, which may contain anything.
_PRIVATE = frozenset(
    "email mail phone telephone tel mobile cell fax address addr street postcode postal zip zipcode ssn "
    "passport license licence birth birthday birthdate dob born salary wage income bonus iban bic password "
    "passwd pwd secret token login username nickname firstname lastname surname forename fullname ip wechat "
    "qq diagnosis disease illness symptom allergy medication religion ethnicity race disability marital "
    "note remark comment message memo feedback bio".split()
)
_PRIVATE_ZH = (
    "姓名 名字 昵称 用户名 账号 帐号 电话 手机 邮箱 邮件 微信 身份证 证件 护照 驾照 住址 地址 邮编 生日 "
    "出生 工资 薪 收入 奖金 银行卡 卡号 密码 民族 宗教 婚姻 诊断 病 症状 过敏 用药 残疾 备注 留言 说明 评论"
).split()
_PERSONS = frozenset(
    "person people human individual customer client consumer patient employee staff worker user member "
    "student pupil teacher tutor professor instructor author writer owner manager contact driver pilot "
    "doctor nurse physician guest visitor passenger applicant candidate subscriber director artist singer "
    "actor actress player coach resident citizen tenant lawyer agent seller buyer borrower donor "
    "volunteer friend family child parent spouse host reviewer creator assignee recipient holder".split()
)
_PERSONS_ZH = (
    "客户 顾客 消费者 员工 职员 雇员 职工 用户 患者 病人 学生 老师 教师 教授 会员 联系人 负责人 经理 "
    "作者 司机 医生 护士 乘客 旅客 业主 人员 成员 居民 演员 歌手 球员 教练 买家 卖家 收件人 发件人 申请人 "
    "持有人 嘉宾 访客"
).split()
# `customer_type`, 会员等级: what kind of person it is, not who.
_KINDS = frozenset(
    "type kind category class level grade tier status state segment group role rank plan gender sex".split()
)
_KINDS_ZH = "类型 类别 分类 等级 级别 状态 分组 角色 性别".split()
_NAMES = frozenset(("name", "fname", "lname"))


@lru_cache(maxsize=10_000)
def about_person(table: str, column: str) -> bool:
    words = _words(column)
    if words & _PRIVATE or any(word in column for word in _PRIVATE_ZH):
        return True
    if words & _KINDS or any(word in column for word in _KINDS_ZH):
        return False
    if _names_persons(column):
        return True
    return (bool(words & _NAMES) or "名" in column) and _names_persons(table)


def _names_persons(name: str) -> bool:
    return bool(_words(name) & _PERSONS) or any(word in name for word in _PERSONS_ZH)


def _words(name: str) -> frozenset[str]:
    """The words of a name, and adjacent words joined: `firstName` may also be written `firstname`."""
    parts = [singular(word.lower()) for word in _WORD.findall(_CAMEL.sub(" ", name))]
    pairs = [first + second for first, second in pairwise(parts)]
    return frozenset((*parts, *pairs))
