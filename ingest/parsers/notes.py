"""Sentences for people on what of a file was left out, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence


def pages_without_text(pages: Sequence[int]) -> str:
    """Pages that hold pictures alone."""
    en, zh = _numbers(pages)
    return f"No text could be read on {en} (scanned pages are not read yet). / 第 {zh} 页没有文本层，扫描页暂不能识别。"


def past_pages(first: int, last: int, unit: str = "pages") -> str:
    """What lies behind the limit on pages or slides."""
    noun = "页" if unit == "pages" else "张幻灯片"
    return (
        f"{unit.capitalize()} {first} to {last} were not read: the file is too long. / "
        f"文件过长，第 {first}–{last} {noun}未读取。"
    )


def past_rows(sheet: str, row: int) -> str:
    """What lies behind the limit on cells."""
    return f"“{sheet}” was read up to row {row}: it has too many cells. / 单元格过多，“{sheet}”只读到第 {row} 行。"


def past_characters() -> str:
    return "The end was not read: the text is too long. / 文本过长，末尾部分未读取。"


def hidden_sheets(names: Sequence[str]) -> str:
    listed = "”, “".join(names)
    return f"Hidden sheets were not read: “{listed}”. / 隐藏的工作表未读取：“{listed}”。"


def hidden_slides(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"Hidden slides were not read: {listed}. / 隐藏的幻灯片未读取：{listed}。"


def pictures(count: int) -> str:
    en = "1 picture was" if count == 1 else f"{count} pictures were"
    return f"{en} not read. / {count} 张图片未读取。"


def formulas(count: int) -> str:
    """Formulas whose file holds no computed value."""
    en = "1 formula has" if count == 1 else f"{count} formulas have"
    return (
        f"{en} no stored value; open and save the file in Excel to have them read. / "
        f"{count} 个公式没有保存计算结果；请在 Excel 中打开并保存后重新上传。"
    )


def _numbers(numbers: Sequence[int]) -> tuple[str, str]:
    """``1–3, 7`` with its English noun, and the same bare."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    listed = ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)
    return f"{'page' if len(numbers) == 1 else 'pages'} {listed}", listed
