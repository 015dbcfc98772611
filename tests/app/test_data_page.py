"""The Data page: upload, columns, schema files."""

import io

import pandas as pd
import pytest

from calm_core.settings import Settings

PEOPLE = "sex,age,ill,id\n" + "".join(
    f"{'fm'[i % 2]},{20 + i * 7 % 50},{['yes', 'no', 'no', ''][i % 4]},{i}\n" for i in range(400)
)


def settings_of(app) -> Settings:
    return app.session_state["settings"]


@pytest.fixture
def data_page(open_app):
    return open_app("data")


def test_opens_on_the_sample(data_page):
    assert not data_page.error
    print(data_page.main)
