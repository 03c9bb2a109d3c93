//! The sums (J2), eight at a time.

use polhode_tape::Scalar;

/// Values that are treated together.
pub(super) const LANES: usize = 8;

/// One coefficient of each of them, on a cache line of its own.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row<S>(pub(super) [S; LANES]);

/// Sums of one kind, eight side by side.
#[derive(Clone, Debug)]
pub(super) struct Block<S> {
    pub(super) left: [u32; LANES],
    pub(super) right: [u32; LANES],
    pub(super) rate: [bool; LANES],
    pub(super) rated: bool, // is any of them true?
    // coefficients 1 … order of the operands; those of `left` times j where `rate`
    pub(super) a: Vec<Row<S>>,
    pub(super) b: Vec<Row<S>>,
    // the weight of each sum in its operation
    pub(super) weight: [S; LANES],
}

/// The sums ⟨a,b⟩ and ⟨a′,b⟩ of order k.
pub(super) fn convolve<S: Scalar>(blocks: &[Block<S>], k: usize, inverse: S, sums: &mut [S]) {
    for (block, sums) in blocks.iter().zip(sums.chunks_exact_mut(LANES)) {
        // row j − 1 holds coefficient j
        let mut total = [S::default(); LANES];
        for (a, b) in block.a[..k - 1].iter().zip(block.b[..k - 1].iter().rev()) {
            for l in 0..LANES {
                total[l] = total[l] + a.0[l] * b.0[l];
            }
        }
        for l in 0..LANES {
            total[l] = total[l] * block.weight[l];
        }
        if block.rated {
            for l in 0..LANES {
                total[l] = if block.rate[l] { total[l] * inverse } else { total[l] };
            }
        }
        sums.copy_from_slice(&total);
    }
}

/// The sums ⟨a,a⟩ of order k, by halves.
pub(super) fn convolve_squares<S: Scalar>(blocks: &[Block<S>], k: usize, sums: &mut [S]) {
    let half = (k - 1) / 2;
    for (block, sums) in blocks.iter().zip(sums.chunks_exact_mut(LANES)) {
        let mut total = [S::default(); LANES];
        for (a, b) in block.a[..half].iter().zip(block.a[..k - 1].iter().rev()) {
            for l in 0..LANES {
                total[l] = total[l] + a.0[l] * b.0[l];
            }
        }
        for l in 0..LANES {
            total[l] = total[l] + total[l];
        }
        if k.is_multiple_of(2) {
            let Row(middle) = &block.a[half];
            for l in 0..LANES {
                total[l] = total[l] + middle[l] * middle[l];
            }
        }
        for l in 0..LANES {
            total[l] = total[l] * block.weight[l];
        }
        sums.copy_from_slice(&total);
    }
}

/// The numbers in the given slots.
pub(super) fn gather<S: Scalar>(slots: &[S], from: &[u32; LANES], to: &mut [S; LANES]) {
    for l in 0..LANES {
        to[l] = slots[from[l] as usize];
    }
}

impl<S: Scalar> Block<S> {
    /// Keeps the coefficients of order k that later sums need.
    pub(super) fn store(&mut self, k: usize, slots: &[S]) {
        let Row(a) = &mut self.a[k - 1];
        gather(slots, &self.left, a);
        if self.rated {
            let times = S::from_f64(k as f64);
            for l in 0..LANES {
                a[l] = if self.rate[l] { a[l] * times } else { a[l] };
            }
        }
        gather(slots, &self.right, &mut self.b[k - 1].0);
    }
}
