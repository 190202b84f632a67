//! Draws names and choices.

use fastrand::Rng;

use crate::dialect::{names::camel, pointer::Pointer};

/// Draws from lists, by a seed: the same seed draws the same for ever. A name is drawn once in a scope, which is the
/// object that has the names.
pub(super) struct Drawer {
    rng: Rng,
    used: Vec<String>,
}

/// Names for one thing: those that many services have, and those that none has.
pub(super) struct Names {
    pub(super) usual: &'static [&'static str],
    pub(super) invented: &'static [&'static str],
}

impl Drawer {
    pub(super) fn new(seed: u64) -> Self {
        // Another sequence for neighbouring seeds, whatever the generator does with its first numbers.
        let rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6469_616c_6563_7473);
        Drawer {
            rng,
            used: Vec::new(),
        }
    }

    /// Starts a scope, in which `reserved` are names of others.
    pub(super) fn scope(&mut self, reserved: &[&str]) {
        self.used = reserved.iter().map(|it| (*it).to_owned()).collect();
    }

    /// True once in `times`.
    pub(super) fn once_in(&mut self, times: u64) -> bool {
        self.rng.u64(0..times) == 0
    }

    /// One of these.
    pub(super) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.rng.u64(0..of.len() as u64) as usize].clone()
    }

    /// A name that is new in this scope: an invented one in half of the draws.
    pub(super) fn name(&mut self, names: &Names) -> String {
        let pool = if self.once_in(2) {
            names.invented
        } else {
            names.usual
        };
        self.fresh(pool, names.invented)
    }

    /// A name of the list that is new in this scope, else one of `others`.
    pub(super) fn fresh(&mut self, list: &[&str], others: &[&str]) -> String {
        let is_new = |it: &&&str| !self.used.iter().any(|used| folded(used) == folded(it));
        let mut candidates: Vec<String> = list
            .iter()
            .filter(is_new)
            .map(|it| (*it).to_owned())
            .collect();
        if candidates.is_empty() {
            candidates = others
                .iter()
                .filter(is_new)
                .map(|it| (*it).to_owned())
                .collect();
        }
        let drawn = self.one(&candidates);
        self.used.push(drawn.clone());
        drawn
    }

    /// A place in `container` with a name that is new in this scope, in camel case where `camel_case` is set.
    pub(super) fn place(&mut self, container: &str, names: &Names, camel_case: bool) -> Pointer {
        let name = self.name(names);
        let name = if camel_case {
            name.split('/').map(camel).collect::<Vec<_>>().join("/")
        } else {
            name
        };
        Pointer::new(format!("{container}/{name}"))
    }

    /// The same, or nothing once in `times`.
    pub(super) fn maybe(
        &mut self,
        times: u64,
        container: &str,
        names: &Names,
        camel_case: bool,
    ) -> Option<Pointer> {
        let is_absent = self.once_in(times);
        let place = self.place(container, names, camel_case);
        (!is_absent).then_some(place)
    }
}

/// The first part of a name, without its style: names that a reader may take for one.
fn folded(name: &str) -> String {
    let first = name.split('/').next().unwrap_or_default();
    first
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|it| it.to_ascii_lowercase())
        .collect()
}
