//! A motion that returns near one that does not.
