"""Makes price-list-2026.xlsx (for the private channel) and site-schedule-q4.xlsx."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

FOLDER = Path(__file__).parents[2] / "bot" / "sandbox" / "samples"
Row = tuple[str | float | date, ...]

MATERIAL_PRICES: list[Row] = [
    ("编号", "材料", "型号", "供应商", "单位", "进货单价（元）", "对外单价（元）", "最低折扣"),
    ("M-208", "双组分柔性防水涂料", "固川 GC-208", "江城德润建材有限公司", "千克", 23.5, 38, "九二折"),
    ("M-311", "哑光瓷砖 750×1500", "云岫 YX-715", "佛南瓷业有限公司", "平方米", 86, 139, "九折"),
    ("M-402", "三层实木复合地板", "北林 BL-15", "北林木业有限公司", "平方米", 168, 265, "八八折"),
    ("M-515", "净味乳胶漆", "青禾 QH-90", "江城青禾涂料商行", "桶（18 升）", 412, 620, "九折"),
    ("M-620", "ENF 级实木颗粒板柜体", "定制", "木谷家居工厂", "平方米（投影）", 540, 880, "八五折"),
    ("M-701", "铜芯线 2.5 mm²", "长缆 BV", "江城长缆电气经营部", "卷（100 米）", 178, 245, "九五折"),
]
LABOUR_PRICES: list[Row] = [
    ("编号", "工种", "单位", "班组结算价（元）", "对外报价（元）"),
    ("L-01", "防水涂刷（三遍，含闭水试验）", "平方米", 22, 36),
    ("L-02", "铺贴瓷砖", "平方米", 48, 75),
    ("L-03", "墙面批灰与涂刷", "平方米", 19, 32),
    ("L-04", "水电改造", "米", 26, 45),
    ("L-05", "柜体安装", "平方米（投影）", 60, 90),
]
STAGES: list[Row] = [
    ("工地", "户型", "现场负责人", "开工", "水电验收", "瓷砖铺贴", "木作安装", "计划竣工"),
    ("翠湖苑 5 栋 1602", "海棠 B", "周强", date(2026, 9, 14), date(2026, 10, 12), date(2026, 10, 26),
     date(2026, 11, 23), date(2026, 12, 11)),
    ("春晓里 2 栋 0803", "玉兰 C", "周强", date(2026, 10, 8), date(2026, 11, 5), date(2026, 11, 19),
     date(2026, 12, 17), date(2027, 1, 8)),
    ("锦江府 9 栋 2101", "银杏 D", "何建", date(2026, 10, 19), date(2026, 11, 16), date(2026, 11, 30),
     date(2026, 12, 28), date(2027, 1, 20)),
]  # fmt: skip
ARRIVALS: list[Row] = [
    ("订单号", "工地", "材料", "数量", "计划到货", "状态"),
    ("WO-2026-0931", "翠湖苑 5 栋 1602", "哑光瓷砖 750×1500", "96 平方米", date(2026, 10, 20), "已到货"),
    ("WO-2026-0948", "翠湖苑 5 栋 1602", "橱柜与衣柜", "1 套", date(2026, 11, 18), "生产中"),
    ("WO-2026-1002", "春晓里 2 栋 0803", "三层实木复合地板", "64 平方米", date(2026, 12, 10), "已下单"),
    ("WO-2026-1015", "锦江府 9 栋 2101", "断桥铝窗", "11 樘", date(2026, 11, 12), "延期至 11 月 25 日"),
    ("WO-2026-1021", "锦江府 9 栋 2101", "中央空调内机", "5 台", date(2026, 11, 9), "已到货"),
]


def fill(sheet: Worksheet, rows: list[Row]) -> None:
    """The first row is the header; columns are as wide as their longest text, Chinese counted double."""
    for row in rows:
        sheet.append(row)
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for column in sheet.columns:
        longest = max(sum(2 if ord(letter) > 255 else 1 for letter in str(cell.value)) for cell in column)
        sheet.column_dimensions[column[0].column_letter].width = longest + 2
    sheet.freeze_panes = "A2"


def save(name: str, **sheets: list[Row]) -> None:
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        fill(book.create_sheet(title), rows)
    book.save(FOLDER / name)


if __name__ == "__main__":
    save("price-list-2026.xlsx", 材料单价=MATERIAL_PRICES, 人工单价=LABOUR_PRICES)
    save("site-schedule-q4.xlsx", 工地排期=STAGES, 材料到货=ARRIVALS)
