//! Times contenders against each other in one process.
//!
//! Contenders take turns in short slots, another one first in each round, so that whatever else the machine does
//! hits all of them alike; a contender's time is the shortest of its slots.

use std::time::{Duration, Instant};

/// Something to time: a name, and a function that does it once.
pub struct Contender<'a> {
    /// What the ratio is printed against.
    pub name: &'a str,
    /// Does it once.
    pub run: Box<dyn FnMut() + 'a>,
}

const SLOT: Duration = Duration::from_millis(2);

/// Nanoseconds of each contender, in their order.
pub fn measure(contenders: &mut [Contender<'_>], rounds: u32) -> Vec<f64> {
    let counts: Vec<u32> = contenders
        .iter_mut()
        .map(|c| per_slot(&mut c.run))
        .collect();
    let mut best = vec![f64::INFINITY; contenders.len()];
    for round in 0..rounds as usize {
        for turn in 0..contenders.len() {
            let at = (round + turn) % contenders.len();
            best[at] = best[at].min(slot(&mut contenders[at].run, counts[at]));
        }
    }
    best
}

/// How often a contender runs in one slot.
fn per_slot(run: &mut dyn FnMut()) -> u32 {
    let mut count = 1;
    loop {
        let took = slot(run, count) * f64::from(count);
        if took * 2.0 > SLOT.as_nanos() as f64 || count > 1 << 20 {
            return count;
        }
        count *= 2;
    }
}

fn slot(run: &mut dyn FnMut(), count: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        run();
    }
    start.elapsed().as_nanos() as f64 / f64::from(count)
}
