"""Reads a table from standard input and says what is in it.

    readers.py numpy | pyarrow | polars | duckdb

A line for each column, `name <tab> bits of the doubles in hex, separated by blanks`, then a line
`@key <tab> value` for each note, sorted, where the reader shows notes.
"""

import io
import os
import struct
import sys
import tempfile

reader = sys.argv[1]
data = sys.stdin.buffer.read()
lines = []
notes = []


def column(name, values):
    lines.append(name + "\t" + " ".join("%016x" % struct.unpack("<Q", struct.pack("<d", x)) for x in values))


def note(key, value):
    notes.append("@" + key + "\t" + value)


if reader == "numpy":
    import numpy

    with numpy.load(io.BytesIO(data), allow_pickle=False) as archive:
        for key, name, unit in archive["columns"]:
            assert archive[key].dtype == "<f8"
            column(str(name), archive[key].tolist())
            if unit:
                note("unit:" + str(name), str(unit))
        for key, value in archive["metadata"]:
            note(str(key), str(value))
        assert archive.zip.testzip() is None
elif reader == "pyarrow":
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
    table = file.read()
    for field in table.schema:
        assert str(field.type) == "double" and not field.nullable
        column(field.name, table.column(field.name).to_pylist())
    for key, value in (table.schema.metadata or {}).items():
        note(key.decode(), value.decode())
    for i in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(i)
        for j in range(group.num_columns):
            part = group.column(j)
            values = table.column(j).to_pylist()
            if part.is_stats_set and file.metadata.num_row_groups == 1:
                assert part.statistics.min == min(values) and part.statistics.max == max(values)
elif reader == "polars":
    import polars

    table = polars.read_parquet(io.BytesIO(data))
    for name in table.columns:
        assert table[name].dtype == polars.Float64
        column(name, table[name].to_list())
else:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.parquet")
        with open(path, "wb") as file:
            file.write(data)
        table = duckdb.connect().execute("select * from read_parquet(?)", [path])
        names = [entry[0] for entry in table.description]
        rows = table.fetchall()
        for j, name in enumerate(names):
            column(name, [row[j] for row in rows])
sys.stdout.buffer.write("\n".join(lines + sorted(notes)).encode())
