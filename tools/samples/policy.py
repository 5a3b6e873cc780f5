"""Makes after-sales-policy.pdf: two pages in Chinese, with a part in English.

Needs reportlab (of the test extra) and a TrueType font with Chinese letters: Debian's fonts-wqy-microhei (Apache-2.0).
Printing from a browser would be simpler, but writes many letters as Kangxi radicals.
"""

from __future__ import annotations

from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Table

TARGET = Path(__file__).parents[2] / "bot" / "sandbox" / "samples" / "after-sales-policy.pdf"
FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
NAME = "MicroHei"

BODY = ParagraphStyle("body", fontName=NAME, fontSize=10.5, leading=18, spaceAfter=4, wordWrap="CJK")
ENGLISH = ParagraphStyle("english", fontName="Helvetica", fontSize=10.5, leading=15, spaceAfter=6)
TITLE = ParagraphStyle("title", parent=BODY, fontSize=20, leading=28)
HEADING = ParagraphStyle("heading", parent=BODY, fontSize=14, leading=22, spaceBefore=10, textColor="#9a3b4a")

FIRST_PAGE = [
    ("适用范围", [
        "本政策适用于由本公司设计并施工、已经通过竣工验收的住宅。保修期从竣工验收单签字之日算起。",
    ]),
    ("售后流程的五个步骤", [
        "第一步，报修：客户拨打服务热线 400-820-0617，或在业主群里留言，写明地址和问题，最好附上照片。",
        "第二步，登记：客服在 30 分钟内登记工单，并把工单号发给客户，例如 SH-2026-0412。",
        "第三步，上门：客服按问题的紧急程度安排工程师上门，时限见第 4 节。",
        "第四步，维修：工程师先拍照，当场说明原因以及是否在保修范围内，客户确认以后才动工。",
        "第五步，回访：完工后 7 天内客服电话回访，客户满意才关闭工单。",
    ]),
    ("销售怎样向客户说明售后", [
        "签约之前，销售要当面把售后流程的五个步骤按顺序讲给客户听，并把本政策的复印件交给客户。",
        "讲解时只说本政策写明的时限，不得口头承诺更快的上门时间或更长的保修期。",
        "客户问到费用，销售应当解释：保修范围以内免费，范围以外先报价，客户同意以后再施工。",
        "讲完以后请客户说出报修电话，确认对方已经听明白，再在合同附页上签字。",
    ]),
]  # fmt: skip
RESPONSE = [
    ("等级", "例子", "首次联系", "上门"),
    ("紧急", "漏水、断电、燃气异味", "10 分钟内", "4 小时内"),
    ("一般", "瓷砖空鼓、柜门变形", "24 小时内", "3 个工作日内"),
    ("咨询", "保养方法、配件购买", "24 小时内", "按预约"),
]
GUARANTEE = [
    ("项目", "保修年限"),
    ("防水工程", "8 年"),
    ("水电管线", "5 年"),
    ("瓷砖与墙面", "3 年"),
    ("柜体与木作", "2 年"),
    ("五金与灯具", "1 年"),
]
IN_ENGLISH = [
    "Before a contract is signed, sales staff walk the customer through the five steps of our after-sales service: "
    "report, register, visit, repair, follow-up call. They promise nothing beyond this policy.",
    "Customers report a problem by calling 400-820-0617. A leak or a power failure counts as urgent, and an engineer "
    "arrives within 4 hours. Other problems are visited within 3 working days.",
    "Waterproofing is guaranteed for 8 years, plumbing and wiring for 5 years, tiles and walls for 3 years, cabinets "
    "for 2 years, fittings and lamps for 1 year.",
]


def table(rows: list[tuple[str, ...]]) -> Table:
    style = [
        ("FONT", (0, 0), (-1, -1), NAME, 10),
        ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
        ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#f6eaec")),
    ]
    return Table(rows, colWidths=[165 * mm / len(rows[0])] * len(rows[0]), style=style, hAlign="LEFT")


def story() -> list[Flowable]:
    parts: list[Flowable] = [
        Paragraph("售后服务政策（2026 版）", TITLE),
        Paragraph("海棠装饰　客户服务部　文件编号 HT-SH-2026-03　自 2026 年 4 月 1 日起执行", BODY),
    ]
    for number, (heading, texts) in enumerate(FIRST_PAGE, 1):
        parts += [Paragraph(f"{number}　{heading}", HEADING), *(Paragraph(text, BODY) for text in texts)]
    parts += [Paragraph("4　响应时间", HEADING), table(RESPONSE), PageBreak()]
    parts += [Paragraph("5　保修年限", HEADING), table(GUARANTEE), Paragraph("6　不在保修范围内", HEADING)]
    parts.append(
        Paragraph("客户自行改动、使用不当、自然灾害造成的损坏，以及客户自购材料本身的质量问题，不在保修范围内。", BODY)
    )
    parts += [Paragraph("7　In English", HEADING), *(Paragraph(text, ENGLISH) for text in IN_ENGLISH)]
    return parts


def main() -> None:
    pdfmetrics.registerFont(TTFont(NAME, FONT))
    margins = dict.fromkeys(("leftMargin", "rightMargin", "topMargin", "bottomMargin"), 22 * mm)
    document = SimpleDocTemplate(str(TARGET), pagesize=A4, title="售后服务政策", author="海棠装饰", **margins)
    document.build(story())


if __name__ == "__main__":
    main()
