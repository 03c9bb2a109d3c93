//! Columns of numbers as CSV, npz and Parquet.
