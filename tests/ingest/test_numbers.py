"""Numbers as people write them, against a writer that knows the number."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calm_core.ingest.detect import detect_schema
from calm_core.ingest.table import make_table
from calm_core.ingest.values.amounts import COMMA, NO_DOUBT, POINT, NumberForm, parse_amounts
from tests.ingest.messy_columns import read_values


def write_number(number: int, decimals: int, thousands: str, decimal: str, negative: str) -> str:
    """A whole number of the smallest unit, written as a person of some country does."""
    digits = str(abs(number)).rjust(decimals + 1, "0")
    whole, rest = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
    text = f"{int(whole):,}".replace(",", thousands)
    text += decimal + rest if rest else ""
    if number >= 0:
        return text
    forms = {"-": "-{}", "()": "({})", "after": "{}-", "minus": "\u2212{}"}
    return forms[negative].format(text)


STYLES = st.sampled_from(
    [(",", "."), (".", ","), ("'", "."), ("’", "."), (" ", ","), ("\u202f", ","), ("\xa0", "."), ("", "."), ("", ",")]
)  # fmt: skip


@given(
    st.integers(-(10**12), 10**12), st.integers(0, 4), STYLES,
    st.sampled_from(["-", "()", "after", "minus"]),
    st.sampled_from(["{}", "€{}", "{} €", "CHF {}", "{}%", "{} kg", "$ {}"]),
)  # fmt: skip
def test_what_is_written_is_read(number, decimals, style, negative, around):
    thousands, decimal = style
    text = around.format(write_number(number, decimals, thousands, decimal, negative))
    form = NumberForm(decimal, ("", "EUR", "CHF", "%", "kg", "$"), (), "()")
    found = parse_amounts(pa.array([text])).read(form)[0]
    if number < 0 and negative == "after" and around in ("{}%", "{} kg", "{} €"):
        return  # nobody writes the minus sign between the number and its unit
    assert found == pytest.approx(number / 10**decimals, rel=1e-12), text


@given(st.integers(0, 10**9), st.integers(0, 4), STYLES)
def test_only_one_sign_before_three_digits_is_in_doubt(number, decimals, style):
    text = write_number(number, decimals, *style, "-")
    signs = [sign for sign in text if sign in ".,"]
    short = text.replace(",", ".").split(".")
    other = any(sign in text for sign in "'’ \u202f\xa0")
    doubt = (
        len(signs) == 1 and len(short[1]) == 3 and len(short[0]) <= 3 and not other
        and not short[0].startswith("0")
    )  # fmt: skip
    found = parse_amounts(pa.array([text]))
    assert bool(found.records.doubt[0] != NO_DOUBT) == doubt
    if doubt:
        assert found.records.doubt[0] == (POINT if "." in text else COMMA)
    elif signs and style[1] in signs and decimals:
        assert found.records.says[0] == (POINT if style[1] == "." else COMMA)


@pytest.mark.parametrize(
    "text",
    ["", "007", "1.2.3", "192.168.1.1", "12,34", "1 2", "18-25", "5th", "No. 5", "2/2", "2013-05-01", "555 123 4567",
     "(5", "5)", "(-5)", "--5", "1,23.456,7", "1e999", "nan", "inf", "k", "€", "1’2345"],
)  # fmt: skip
def test_what_is_no_number_is_none(text):
    value = parse_amounts(pa.array([text])).read(NumberForm(".", ("", "EUR"), ("k",), "()"))[0]
    assert np.isnan(value) or text == "12,34"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("29k", 29_000),
        ("1.2M", 1_200_000),
        ("1,2 Mio. €", 1_200_000),
        ("3 Tsd", 3000),
        ("2bn", 2e9),
    ],
)
def test_words_for_powers_of_ten(text, value):
    form = NumberForm("," if "," in text else ".", ("", "EUR"), ("k", "m", "mio", "tsd", "bn"))
    assert parse_amounts(pa.array([text])).read(form)[0] == value
    assert np.isnan(parse_amounts(pa.array([text])).read(NumberForm())[0])


def test_units_and_brackets_count_only_where_the_column_has_them():
    found = parse_amounts(pa.array(["12 kg", "12 lb", "12", "(12)"]))
    kg = found.read(NumberForm(units=("kg",)))
    assert kg[0] == 12 and np.isnan(kg[1:]).all()
    either = found.read(NumberForm(units=("kg", ""), negative="()"))
    assert either[[0, 2, 3]].tolist() == [12, 12, -12] and np.isnan(either[1])


def test_m_is_meters_unless_the_column_has_thousands():
    found = parse_amounts(pa.array(["1.82 m", "29k"]))
    assert found.read(NumberForm(units=("m", "")))[0] == 1.82
    assert found.read(NumberForm(scales=("k", "m"))).tolist() == [1_820_000, 29_000]


N = 40


def test_fractions_and_powers_say_their_number_and_angles_their_side():
    texts = pa.array(["1 1/2", "¾", "1,5·10³", "10°30'00\"S", "4/3", "0/0"])
    assert parse_amounts(texts).numbers.tolist()[:4] == [1.5, 0.75, 1500.0, -10.5]
    assert np.isnan(parse_amounts(texts).numbers[4:]).all()


def test_a_bare_number_beside_two_units_or_a_total_is_not_read():
    heights = [f"{150 + i} cm" if i % 3 else f"{1.5 + i / 100:.2f} m" for i in range(N)]
    marks = [f"{i}/40" for i in range(N)]
    for texts, bare in ((heights, "1.75"), (marks, "17"), (heights, "180")):
        column = detect_schema(make_table({"x": [*texts, bare]})).columns[0]
        assert column.kind == "number" and np.isnan(read_values([bare], column)[0])
