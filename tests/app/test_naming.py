"""What the screen calls attributes and values."""

from calm_core.tables.domain import Domain
from pages.ui import naming

DOMAIN = Domain(
    ("female", "drank_month", "smoked", "smoked_ever", "a_very_long_name_of_a_file"),
    (2, 2, 2, 2, 2),
    (("0", "1"), ("0", "1"), ("no", "yes"), ("never", "ever"), ("0", "1")),
    titles=("Sex", "Drank last month", "Smoked last month", "Smoked last monday",
            "a_very_long_name_of_a_file"),
    shorts=("", "Drank", "", "", ""),
    value_names=(("man", "woman"), (), (), ("Never", ""), ("", "")),
)  # fmt: skip


def test_values_are_called_by_their_names_else_no_and_yes_else_their_labels():
    called = {name: naming.values(DOMAIN, name) for name in DOMAIN.names}
    assert called == {
        "female": ("man", "woman"), "drank_month": ("no", "yes"), "smoked": ("no", "yes"),
        "smoked_ever": ("Never", "ever"), "a_very_long_name_of_a_file": ("no", "yes"),
    }  # fmt: skip
    assert not naming.yes_no(DOMAIN, "female") and naming.yes_no(DOMAIN, "drank_month")


def test_short_titles_are_given_or_the_first_words_and_never_two_alike():
    assert naming.short(DOMAIN, "female") == "Sex"
    assert naming.short(DOMAIN, "drank_month") == "Drank"
    assert naming.short(DOMAIN, "smoked") == "Smoked last month"
    assert naming.short(DOMAIN, "smoked_ever") == "Smoked last monday"
    assert naming.short(DOMAIN, "a_very_long_name_of_a_file") == "a_very_long_nam…"
    assert naming.short(DOMAIN.project(("smoked", "female")), "smoked") == "Smoked last"


def test_titles_of_a_table_are_joined():
    assert naming.joined(DOMAIN, ("female", "drank_month")) == "Sex × Drank last month"
