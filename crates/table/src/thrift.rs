//! The compact protocol of Apache Thrift, as far as Parquet needs it, writing only.
//!
//! A struct is a row of fields and a zero byte. A field is one byte, the difference to the number of
//! the field before in the high four bits and the type in the low four, then the value. Integers are
//! zigzag, `0, −1, 1, −2, … ↦ 0, 1, 2, 3, …`, seven bits to a byte, least first; strings and lists
//! have their length in front [Thrift compact protocol specification].

/// Type codes inside compact structs.
#[derive(Clone, Copy)]
pub(crate) enum Type {
    I32 = 5,
    I64 = 6,
    Binary = 8,
    List = 9,
    Struct = 12,
}

/// A struct being written; `end` closes it.
pub(crate) struct Struct<'a> {
    out: &'a mut Vec<u8>,
    last: u8,
}

impl<'a> Struct<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, last: 0 }
    }

    fn field(&mut self, id: u8, kind: Type) {
        let step = id - self.last;
        debug_assert!((1..16).contains(&step), "fields come in order, with small gaps");
        self.out.push(step << 4 | kind as u8);
        self.last = id;
    }

    pub(crate) fn i32(&mut self, id: u8, value: i32) {
        self.field(id, Type::I32);
        int(self.out, value.into());
    }

    pub(crate) fn i64(&mut self, id: u8, value: i64) {
        self.field(id, Type::I64);
        int(self.out, value);
    }

    pub(crate) fn binary(&mut self, id: u8, bytes: &[u8]) {
        self.field(id, Type::Binary);
        binary(self.out, bytes);
    }

    /// A field that is a struct: `fill` writes its fields.
    pub(crate) fn nested(&mut self, id: u8, fill: impl FnOnce(&mut Struct)) {
        self.field(id, Type::Struct);
        nested(self.out, fill);
    }

    /// A field that is a list: `fill` writes each entry in turn, without a header.
    pub(crate) fn list<T>(&mut self, id: u8, kind: Type, entries: &[T], mut fill: impl FnMut(&mut Vec<u8>, &T)) {
        self.field(id, Type::List);
        if entries.len() < 15 {
            self.out.push((entries.len() as u8) << 4 | kind as u8);
        } else {
            self.out.push(0xf0 | kind as u8);
            varint(self.out, entries.len() as u64);
        }
        for entry in entries {
            fill(self.out, entry);
        }
    }

    pub(crate) fn end(self) {
        self.out.push(0);
    }
}

pub(crate) fn nested(out: &mut Vec<u8>, fill: impl FnOnce(&mut Struct)) {
    let mut inner = Struct::new(out);
    fill(&mut inner);
    inner.end();
}

pub(crate) fn int(out: &mut Vec<u8>, value: i64) {
    varint(out, ((value << 1) ^ (value >> 63)) as u64);
}

pub(crate) fn binary(out: &mut Vec<u8>, bytes: &[u8]) {
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_zigzag() {
        for (value, bytes) in [
            (0, &[0][..]),
            (-1, &[1]),
            (1, &[2]),
            (-64, &[127]),
            (64, &[128, 1]),
            (i64::MIN, &[255, 255, 255, 255, 255, 255, 255, 255, 255, 1]),
        ] {
            let mut out = Vec::new();
            int(&mut out, value);
            assert_eq!(out, bytes, "{value}");
        }
    }

    #[test]
    fn structs_count_their_fields_in_steps() {
        let mut out = Vec::new();
        nested(&mut out, |s| {
            s.i32(1, 3);
            s.nested(5, |inner| inner.binary(4, b"ab"));
            s.list(6, Type::I32, &[1; 15], |out, &x| int(out, x));
        });
        let mut expected = vec![0x15, 6, 0x4c, 0x48, 2, b'a', b'b', 0, 0x19, 0xf5, 15];
        expected.extend([2; 15]);
        expected.push(0);
        assert_eq!(out, expected);
    }
}
