"""Tables in a shared folder that are listed."""

import gzip

import pyarrow as pa
from pyarrow import parquet

from calm_core.ingest.reading import REPORT_KEY, tables_below

ROWS = b"sex,age\nf,12\nm,35\n"


def test_tables_are_offered_and_nothing_else(tmp_path):
    root = tmp_path / "root"
    (root / "deep" / "er").mkdir(parents=True)
    (root / ".hidden").mkdir()
    (root / "people.CSV").write_bytes(ROWS)
    (root / "deep" / "packed.csv.gz").write_bytes(gzip.compress(ROWS))
    table = pa.table({"view": [1, 2]})
    parquet.write_table(table, root / "deep" / "er" / "people.parquet")
    parquet.write_table(
        table.replace_schema_metadata({REPORT_KEY: b"0f"}), root / "deep" / "er" / "reports.parquet"
    )
    (root / "deep" / "er" / "damaged.parquet").write_bytes(b"PAR1 and no more")
    (root / "plan.json").write_text("{}")
    (root / "schema.json").write_text('{"format": "calm-lab schema 1", "columns": [{"name": "a"}]}')
    (root / "reports.jsonl").write_text('{"plan": "0", "id": "0", "view": 0, "report": 1}\n' * 2)
    (root / "answers.jsonl").write_text('{"sex": "f", "plan": "stay"}\n{"sex": "m"}\n')
    (root / "deep" / "answers.json.gz").write_bytes(gzip.compress(b'{"all": [{"sex": "f"}]}'))
    (root / "list.geojson").write_text(' [\n{"sex": "f"}]')
    (root / ".hidden" / "secret.csv").write_bytes(ROWS)
    (tmp_path / "outside.csv").write_bytes(ROWS)
    (root / "link.csv").symlink_to(tmp_path / "outside.csv")
    (root / "broken.csv").symlink_to(root / "gone.csv")
    (root / "inside.csv").symlink_to("people.CSV")
    (root / "folder.csv").mkdir()
    sizes = tables_below(root)
    assert sorted(sizes) == [
        "answers.jsonl", "deep/answers.json.gz", "deep/er/damaged.parquet", "deep/er/people.parquet",
        "deep/packed.csv.gz", "inside.csv", "list.geojson", "people.CSV",
    ]  # fmt: skip
    assert sizes["people.CSV"] == len(ROWS)
