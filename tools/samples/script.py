"""What is said and shown in the training video, and what is asked by voice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Slide:
    """``lines`` are on the picture, ``said`` is spoken meanwhile, sentence by sentence."""

    title: str
    lines: tuple[str, ...]
    said: tuple[str, ...]


SLIDES = (
    Slide(
        "向客户解释售后流程",
        ("海棠装饰 销售培训", "主讲：李娜"),
        ("同事们好，今天讲售后服务。", "我们的销售人员要学会向客户解释售后流程。"),
    ),
    Slide(
        "一、什么时候讲",
        ("客户付款之前", "不要等到客户来投诉"),
        ("第一，客户付款之前就要讲，不要等到客户来投诉。",),
    ),
    Slide(
        "二、五个步骤",
        ("报修 → 登记 → 上门 → 维修 → 回访",),
        ("第二，售后流程有五个步骤。", "客户打电话报修，前台登记，师傅到现场，维修，最后打电话回访。"),
    ),
    Slide(
        "三、记住两个数字",
        ("漏水：4 小时以内到现场", "防水：保修 8 年"),
        ("第三，水管漏水是紧急问题，师傅会在四个小时以内到现场。", "防水保修八年。"),
    ),
    Slide(
        "四、不要多答应",
        ("只讲政策里有的", "不知道就先问公司"),
        ("第四，不可以答应公司政策里面没有的事情。", "不知道的时候，先问公司，再回答客户。"),
    ),
    Slide(
        "五、确认对方听懂了",
        ("报修电话 400-820-0617",),
        ("最后，请客户把报修电话说一遍，看看他有没有听懂。",),
    ),
)

ASKED_ZH = "我们的售后流程有几个步骤？"
ASKED_EN = "How many days of annual leave do I get?"
