"""How text becomes search terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.analysis import analyse, identifiers, lonely_characters, normalise


def test_chinese_becomes_pairs_of_neighbours():
    terms = analyse("防水材料，供货")
    assert terms.bigrams == ("防水", "水材", "材料", "供货")
    assert terms.characters == tuple("防水材料供货")


def test_a_pair_never_spans_punctuation_or_a_word():
    assert analyse("海棠A户型。品牌").bigrams == ("海棠", "户型", "品牌")


@pytest.mark.parametrize(
    ("text", "code", "parts"),
    [
        ("M-208", "m-208", ("m", "208")),
        ("WO-2024-0113", "wo-2024-0113", ("wo", "2024", "0113")),
        ("gen-itgc", "gen-itgc", ("gen", "itgc")),
        ("型号M208、颜色白", "m-208", ("m", "208")),
        ("v1.2.3", "v-1-2-3", ("v", "1", "2", "3")),
    ],
)
def test_a_code_is_kept_whole_and_in_parts(text, code, parts):
    terms = analyse(text)
    assert terms.codes == (code,)
    assert terms.words == parts


@pytest.mark.parametrize("spelling", ["M-208", "m_208", "M208", "Ｍ－２０８", "M–208", "m.208"])
def test_a_code_has_one_form_however_it_is_written(spelling):
    assert analyse(spelling).codes == ("m-208",)


def test_a_sentence_is_no_code():
    assert analyse("The end. Next one, please: go on").codes == ()


def test_a_long_address_is_no_code():
    assert analyse("https://example.com/a/b/c/d/e/f/g/h/i/j").codes == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("PPR-9087 or M-208?", {"ppr-9087", "m-208"}),
        ("call 138-0013-8000 by 2024-01-13", {"138-0013-8000", "2024-01-13"}),
        ("a co-founder, state-of-the-art, 3.14, 10-20", set()),
    ],
)
def test_identifiers_name_one_thing(text, wanted):
    assert identifiers(text) == {code.replace(" ", "") for code in wanted}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("⽂件⾥", "文件里"),  # Kangxi radicals, as PDF fonts give them
        ("⻓⻔⻅⻢", "长门见马"),  # radicals of the supplement, which NFKC leaves alone
        ("⺠⺟", "民母"),
        ("維基門窗", "维基门窗"),
        ("ＡＢＣ１２３", "abc123"),
        ("Café RÉSUMÉ", "cafe resume"),
        ("the company's", "the company"),
        ("1,280 元", "1280 元"),
        ("①㎡", "1m2"),
        ("Straße", "strasse"),
    ],
)
def test_what_people_see_as_the_same_is_the_same(left, right):
    assert normalise(left) == normalise(right)


def test_thousands_are_only_joined_where_they_are_thousands():
    assert analyse("1,280,000 and 1,28 and 12,3456").words == ("1280000", "and", "1", "28", "and", "12", "3456")


def test_one_character_alone_is_found_by_itself():
    assert lonely_characters("漆") == ("漆",)
    assert lonely_characters("海棠 A 户型") == ()


def test_japanese_and_korean_are_paired_too():
    assert analyse("カタログ").bigrams == ("カタ", "タロ", "ログ")
    assert analyse("한국어").bigrams == ("한국", "국어")


@given(st.text())
def test_normal_text_stays_as_it_is(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_terms_never_hold_spaces(text):
    terms = analyse(text)
    everything = (*terms.words, *terms.bigrams, *terms.characters, *terms.codes)
    assert all(term and not any(character.isspace() for character in term) for term in everything)


@given(
    st.text(st.sampled_from("海棠户型a1 -。,"), max_size=30), st.text(st.sampled_from("海棠户型a1 -。,"), max_size=30)
)
def test_a_passage_holds_the_terms_of_each_of_its_lines(first, second):
    lines, whole = (analyse(first), analyse(second)), analyse(f"{first}\n{second}")
    assert whole.bigrams == lines[0].bigrams + lines[1].bigrams
    assert whole.characters == lines[0].characters + lines[1].characters
