//! All cores: threads take small blocks of samples from a common counter, and rows come out in order.

use crate::engine::EngineKind;
use crate::row::Row;
use crate::study::Study;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// Samples that are taken together: as many as vectors of doubles hold.
pub const BLOCK: u64 = 8;

/// So many times as many are taken where motions go side by side: a lane that is done takes the next one, and at the end of a block some are idle.
const MORE: u64 = 16;

/// Blocks that every thread should have, so that none waits long for another.
const SHARE: u64 = 8;

impl Study {
    /// Runs the samples of a range on so many threads. `sink` is given the rows in the order of the samples, a few at a time, on the calling thread; after `stop`
    /// was set, or `sink` has answered `false`, no more come. Rows do not depend on the number of threads.
    pub fn run(
        &self,
        range: Range<u64>,
        threads: usize,
        stop: &AtomicBool,
        sink: &mut dyn FnMut(u64, Vec<Row>) -> bool,
    ) {
        let next = AtomicU64::new(range.start);
        let (sender, receiver) = mpsc::channel::<(u64, Vec<Row>)>();
        let count = range.end - range.start;
        let block = match self.engine_kind() {
            EngineKind::Single => BLOCK,
            EngineKind::Batch => {
                let fair = count / (SHARE * threads.max(1) as u64);
                fair.next_multiple_of(BLOCK).clamp(BLOCK, MORE * BLOCK)
            }
        };
        let blocks = count.div_ceil(block);
        let threads = threads.max(1).min(usize::try_from(blocks).unwrap_or(usize::MAX)).max(1);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, next, range) = (sender.clone(), &next, range.clone());
                scope.spawn(move || {
                    let mut engine = self.engine();
                    loop {
                        let first = next.fetch_add(block, Ordering::Relaxed);
                        if first >= range.end || stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let last = range.end.min(first + block);
                        let samples: Vec<Vec<f64>> = (first..last).map(|i| self.spec.design.sample(i)).collect();
                        let mut rows = Vec::with_capacity(samples.len());
                        engine.run(&samples, stop, &mut rows);
                        // nobody listens any more after the sink has had enough
                        if rows.is_empty() || sender.send((first, rows)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut waiting: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
            let mut expected = range.start;
            for (first, rows) in receiver {
                waiting.insert(first, rows);
                while let Some(rows) = waiting.remove(&expected) {
                    let first = expected;
                    expected += rows.len() as u64;
                    if !sink(first, rows) {
                        stop.store(true, Ordering::Relaxed);
                        return;
                    }
                }
            }
        });
    }
}
