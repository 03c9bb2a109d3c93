//! Numbers of several lanes, row by row, each row in one cache line where it fits: vectors that lie on two take twice as
//! long to load.

/// Bytes of a cache line.
const LINE: usize = 64;

/// Rows of `L` numbers, one for each lane.
#[derive(Debug)]
pub(super) struct Rows<const L: usize> {
    numbers: Vec<f64>,
    first: usize,
    count: usize,
}

impl<const L: usize> Rows<L> {
    /// So many rows of zeros.
    pub(super) fn new(count: usize) -> Rows<L> {
        let numbers = vec![0.0; count * L + LINE / size_of::<f64>()];
        // a pointer that cannot be aligned gives slower rows, not wrong ones
        let first = numbers.as_ptr().align_offset(LINE).min(LINE / size_of::<f64>());
        Rows { numbers, first, count }
    }

    /// All numbers.
    pub(super) fn flat(&self) -> &[f64] {
        &self.numbers[self.first..self.first + self.count * L]
    }

    pub(super) fn flat_mut(&mut self) -> &mut [f64] {
        &mut self.numbers[self.first..self.first + self.count * L]
    }

    /// All rows.
    pub(super) fn all(&self) -> &[[f64; L]] {
        self.flat().as_chunks().0
    }

    pub(super) fn all_mut(&mut self) -> &mut [[f64; L]] {
        self.flat_mut().as_chunks_mut().0
    }
}

impl<const L: usize> Clone for Rows<L> {
    fn clone(&self) -> Rows<L> {
        let mut copy = Rows::new(self.count);
        copy.flat_mut().copy_from_slice(self.flat());
        copy
    }
}
