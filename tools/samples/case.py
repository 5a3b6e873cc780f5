"""Makes case-haitang-a.docx: the description of a finished flat, with its materials and who supplied them."""

from __future__ import annotations

from pathlib import Path

from docx import Document
from docx.document import Document as Docx
from docx.oxml.ns import qn
from docx.shared import Pt

TARGET = Path(__file__).parents[2] / "bot" / "sandbox" / "samples" / "case-haitang-a.docx"

MATERIALS = [
    ("部位", "材料", "型号", "供应商", "进场日期"),
    ("卫生间、厨房、阳台", "双组分柔性防水涂料", "固川 GC-208", "江城德润建材有限公司", "2026-03-24"),
    ("客餐厅地面", "哑光瓷砖 750×1500", "云岫 YX-715", "佛南瓷业有限公司", "2026-04-08"),
    ("卧室地面", "三层实木复合地板", "北林 BL-15", "北林木业有限公司", "2026-05-06"),
    ("墙面、顶面", "净味乳胶漆", "青禾 QH-90", "江城青禾涂料商行", "2026-04-27"),
    ("橱柜、衣柜", "ENF 级实木颗粒板", "定制", "木谷家居工厂", "2026-05-12"),
    ("电路", "铜芯线 2.5 mm² / 4 mm²", "长缆 BV", "江城长缆电气经营部", "2026-03-12"),
]


def paragraphs(document: Docx, *texts: str) -> None:
    for text in texts:
        document.add_paragraph(text)


def table(document: Docx, rows: list[tuple[str, ...]]) -> None:
    made = document.add_table(rows=0, cols=len(rows[0]))
    made.style = "Table Grid"
    for row in rows:
        for cell, text in zip(made.add_row().cells, row, strict=True):
            cell.text = text


def main() -> None:
    document = Document()
    style = document.styles["Normal"]
    style.font.size = Pt(10.5)
    style.font.name = "Noto Sans CJK SC"
    style.element.rPr.rFonts.set(qn("w:eastAsia"), "Noto Sans CJK SC")
    document.add_heading("海棠 A 户型案例说明", level=0)
    paragraphs(document, "整理：工程部 周强　　日期：2026 年 6 月 8 日　　案例编号：HT-CASE-A-017")

    document.add_heading("项目概况", level=1)
    paragraphs(
        document,
        "海棠 A 户型是三室两厅一厨两卫，建筑面积 118 平方米，业主为三口之家。项目位于滨江路 66 号院 3 栋 1201 室。",
        "工程于 2026 年 3 月 9 日开工，5 月 29 日竣工验收，工期 82 天，比合同约定提前 4 天。",
        "设计负责人是陈雨，现场负责人是周强，泥瓦班组由王涛带队。",
    )

    document.add_heading("防水施工", level=1)
    paragraphs(
        document,
        "海棠 A 户型的卫生间、厨房和阳台使用固川 GC-208 双组分柔性防水涂料，由江城德润建材有限公司供货。",
        "地面涂刷三遍，厚度不小于 1.5 毫米；淋浴区墙面做到 1.8 米高，其余墙面做到 0.3 米高，管根和阴角加铺一层无纺布。",
        "3 月 28 日完成涂刷，3 月 31 日至 4 月 2 日做了 48 小时闭水试验，楼下没有渗漏，业主当场签字。",
        "德润的送货单号是 DR-0324-118，同批次检测报告存放在资料室 A-017 档案盒。",
    )

    document.add_heading("材料与供应商", level=1)
    table(document, MATERIALS)

    document.add_heading("水电与暖通", level=1)
    paragraphs(
        document,
        "强电全部更换为铜芯线，厨房和空调回路单独布线，弱电箱设在玄关柜内。",
        "客厅保留原有地暖，主卧增加一组壁挂式散热器。",
    )

    document.add_heading("做得好的和要改进的", level=1)
    paragraphs(
        document,
        "橱柜提前两周复尺，安装当天一次到位。",
        "瓷砖到货时有 6 片缺角，补货等了三天；以后到货当天就要开箱清点。",
    )

    document.add_heading("Summary in English", level=1)
    paragraphs(
        document,
        "House type Haitang A is a flat of 118 square metres with three bedrooms. Work began on 9 March 2026 and was "
        "accepted on 29 May 2026.",
        "The floor of the living room is tiled, the bedrooms have engineered wood, the wardrobes were made to order.",
    )
    document.save(str(TARGET))


if __name__ == "__main__":
    main()
