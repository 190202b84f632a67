//! Draws names and choices.

use fastrand::Rng;

use crate::dialect::{names::camel, pointer::Pointer};

/// Draws from lists with a seeded generator. A name is drawn at most once in a scope: the JSON
/// object that has the names.
pub(super) struct Drawer {
    rng: Rng,
    used: Vec<String>,
}

/// Names for one part: usual ones that many services have, and invented ones that no service has.
pub(super) struct Names {
    pub(super) usual: &'static [&'static str],
    pub(super) invented: &'static [&'static str],
}

impl Drawer {
    pub(super) fn new(seed: u64) -> Self {
        // Seeds are small numbers. The multiplication spreads them, as similar states of the
        // generator could begin with similar numbers.
        let rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6469_616c_6563_7473);
        Drawer {
            rng,
            used: Vec::new(),
        }
    }

    /// Starts a scope in which the `reserved` names are taken.
    pub(super) fn scope(&mut self, reserved: &[&str]) {
        self.used = reserved.iter().map(|name| (*name).to_owned()).collect();
    }

    /// Returns true with a probability of one in `times`.
    pub(super) fn once_in(&mut self, times: u64) -> bool {
        self.rng.u64(0..times) == 0
    }

    /// Draws one of these values.
    pub(super) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.rng.u64(0..of.len() as u64) as usize].clone()
    }

    /// Draws a name that is new in this scope. In half of the draws it is an invented name.
    pub(super) fn name(&mut self, names: &Names) -> String {
        let pool = if self.once_in(2) {
            names.invented
        } else {
            names.usual
        };
        self.fresh(pool, names.invented)
    }

    /// Draws a name of the list that is new in this scope, or else one of `others`.
    pub(super) fn fresh(&mut self, list: &[&str], others: &[&str]) -> String {
        let is_new = |name: &&&str| !self.used.iter().any(|used| folded(used) == folded(name));
        let mut candidates: Vec<String> = list
            .iter()
            .filter(is_new)
            .map(|name| (*name).to_owned())
            .collect();
        if candidates.is_empty() {
            candidates = others
                .iter()
                .filter(is_new)
                .map(|name| (*name).to_owned())
                .collect();
        }
        let drawn = self.one(&candidates);
        self.used.push(drawn.clone());
        drawn
    }

    /// Draws a place in `container` whose name is new in this scope, and writes it in camel case if
    /// `camel_case` is set.
    pub(super) fn place(&mut self, container: &str, names: &Names, camel_case: bool) -> Pointer {
        let name = self.name(names);
        let name = if camel_case {
            name.split('/').map(camel).collect::<Vec<_>>().join("/")
        } else {
            name
        };
        Pointer::new(format!("{container}/{name}"))
    }

    /// Draws a place, see [`Drawer::place`], or `None` with a probability of one in `times`.
    pub(super) fn maybe(
        &mut self,
        times: u64,
        container: &str,
        names: &Names,
        camel_case: bool,
    ) -> Option<Pointer> {
        let is_absent = self.once_in(times);
        // Drawn in either case, so that the number of draws does not depend on `is_absent`.
        let place = self.place(container, names, camel_case);
        (!is_absent).then_some(place)
    }
}

/// Returns the letters of a name's first part in lower case. Names with equal results may look
/// alike to a reader of the dialect.
fn folded(name: &str) -> String {
    let first = name.split('/').next().unwrap_or_default();
    first
        .chars()
        .filter(char::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}
