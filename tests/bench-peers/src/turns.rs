//! Times contenders in turns, as `measure` does, for work that a contender itself does many times over.
//!
//! A contender gets a number of times and says how long they took, so that it can prepare and clear up untimed.

use std::time::Duration;

/// Something to time.
pub struct Turn<'a> {
    /// What it is called on stderr and in ratios.
    pub name: String,
    /// Does it so many times, and says how long that took.
    pub run: Box<dyn FnMut(u32) -> Duration + 'a>,
}

impl<'a> Turn<'a> {
    /// A contender.
    pub fn new(name: impl Into<String>, run: impl FnMut(u32) -> Duration + 'a) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// Nanoseconds that a contender took to do it once.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// In its best slot.
    pub least: f64,
    /// In its median slot.
    pub median: f64,
}

/// Lets contenders take turns in slots of about this length. Says the times on stderr.
pub fn take_turns(
    bench: &str,
    turns: &mut [Turn<'_>],
    rounds: usize,
    slot: Duration,
) -> Vec<Times> {
    let counts: Vec<u32> = turns.iter_mut().map(|turn| per_slot(turn, slot)).collect();
    let mut all = vec![Vec::new(); turns.len()];
    for round in 0..rounds {
        for place in 0..turns.len() {
            let at = (round + place) % turns.len();
            let took = (turns[at].run)(counts[at]).as_nanos() as f64;
            all[at].push(took / f64::from(counts[at]));
        }
    }
    let times = all.into_iter().map(times).collect::<Vec<_>>();
    for (turn, time) in turns.iter().zip(&times) {
        eprintln!(
            "{bench:24} {:32} {:12.0} ns least {:12.0} ns median",
            turn.name, time.least, time.median
        );
    }
    times
}

fn per_slot(turn: &mut Turn<'_>, slot: Duration) -> u32 {
    let mut count = 1;
    // The best of three, so that a hiccup of the machine does not make for tiny slots.
    while (0..3).any(|_| (turn.run)(count) * 2 < slot) && count < 1 << 20 {
        count *= 2;
    }
    count
}

/// Sums up slots.
pub fn times(mut slots: Vec<f64>) -> Times {
    slots.sort_by(f64::total_cmp);
    Times {
        least: slots.first().copied().unwrap_or(f64::NAN),
        median: slots.get(slots.len() / 2).copied().unwrap_or(f64::NAN),
    }
}

/// Prints the ratio of two times, by their best slots and by their medians.
pub fn ratio(name: &str, peer: &str, ours: Times, theirs: Times) {
    println!("ratio {name} ours/{peer} {:.4}", ours.least / theirs.least);
    eprintln!(
        "      {name} ours/{peer} {:.4} by the medians",
        ours.median / theirs.median
    );
}
