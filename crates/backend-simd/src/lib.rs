//! Tapes evaluated many points at a time, in vectors.
