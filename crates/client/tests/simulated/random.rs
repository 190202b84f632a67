//! Random numbers from a seed.

use std::cell::Cell;

/// A generator of random numbers (SplitMix64): the same seed leads to the same numbers.
#[derive(Debug)]
pub struct Random(Cell<u64>);

impl Random {
    /// A generator that begins at a seed.
    pub fn new(seed: u64) -> Self {
        Random(Cell::new(seed))
    }

    /// 64 random bits.
    pub fn bits(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to 1, less than 1.
    pub fn share(&self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether something happens that has this probability.
    pub fn chance(&self, probability: f64) -> bool {
        self.share() < probability
    }

    /// A whole number from 0, less than `end`, which must not be 0.
    pub fn below(&self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// A whole number of milliseconds in a range, with both of its ends.
    pub fn milliseconds(&self, least: u32, most: u32) -> f64 {
        f64::from(least) + self.below((most - least + 1) as usize) as f64
    }

    /// One of the items, which must not be empty.
    pub fn one_of<'a, T>(&self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
