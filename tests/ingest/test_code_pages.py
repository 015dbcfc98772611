"""Short texts in old code pages: detection by words, and notes about alternatives."""

import pytest

from calm_core.ingest.reading import read_table
from calm_core.ingest.table import ReadOptions

SURE = {
    "cp1250": ("Gdańsk", "Łódź", "Kraków,Poznań", "PÓŁNOC,POŁUDNIE", "Plzeň,Ústí", "Győr,Pécs", "Řeka,Žďár",
               "Iaşi,Timişoara", "żółty,zielony", "Łask,Paweł", "dziękuję"),
    "iso-8859-2": ("Łódź", "Plzeň,Šumperk", "Gdańsk,Częstochowa,Świdnica"),
    "cp1252": ("Köln", "Málaga,São Paulo,Århus", "Zürich,Besançon", "Muñoz", "£12,£5", "5 m²", "“Köln”",
               "œuvre,où", "café", "naïve", "Ærø", "perché,città", "1º", "20 °C", "Ölwanne", "¿Qué?"),
    "cp1254": ("İstanbul,Şişli",),
    "cp1257": ("Šiauliai,Panevėžys,Kėdainiai",),
    "cp1251": ("Москва,Казань",),
}  # fmt: skip


def read(text: str, page: str, **options):
    content = (
        "a,b\n" + f"{text.partition(',')[0]},1\n" + text.replace(",", ",2\n") + ",3\n"
    ).encode(page)
    return read_table(content, name="t.csv", options=ReadOptions(**options), isolate=False)


@pytest.mark.parametrize(
    ("page", "text"), [(page, text) for page, texts in SURE.items() for text in texts]
)
def test_a_few_words_tell_the_code_page(page, text):
    assert read(text, page).texts("a").to_pylist() == [text.split(",")[0], *text.split(",")]


@pytest.mark.parametrize(("page", "text"), [("cp1254", "Muğla"), ("cp1257", "Rīga")])
def test_the_code_page_found_is_noted_and_another_one_can_be_named(page, text):
    note = next(note for note in read(text, page).notes if "code page" in note)
    assert "CP1252" in note and "read with another encoding" in note
    again = read(text, page, encoding=page)
    assert again.texts("a").to_pylist()[0] == text
    assert not [note for note in again.notes if "code page" in note], "said by the user: no doubt"
