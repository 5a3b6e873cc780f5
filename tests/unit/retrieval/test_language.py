"""Which language a question is in."""

import pytest

from retrieval.language import detect


@pytest.mark.parametrize(
    "text",
    [
        "海棠 A 户型用了什么防水材料，由谁供货？",
        "iPhone 13 Pro Max Ultra 多少钱",
        "M-208 的价格",
        "維基大典（Wikipedia）者，網路為礎",
        "Slack 里怎么 mention？",
        "价格",
    ],
)
def test_chinese(text):
    assert detect(text) == "zh"


@pytest.mark.parametrize(
    "text",
    [
        "What waterproofing does the Haitang A use?",
        "What does 防水 mean in the contract?",
        "M-208 price",
        "Who supplies 海棠 tiles?",
        "",
        "🙂",
        "12345",
    ],
)
def test_english(text):
    assert detect(text) == "en"
