//! Draws names and choices.

use fastrand::Rng;
use heck::ToLowerCamelCase;
use json_patch::jsonptr::PointerBuf;

/// Draws from lists with a seeded generator. A name is drawn at most once in a scope: the JSON
/// object that has the names.
pub(super) struct Drawer {
    rng: Rng,
    used: Vec<&'static str>,
}

/// Words or names to draw from.
pub(super) type Words = &'static [&'static str];

/// Names for one part: usual ones that many services have, and invented ones that no service has.
#[derive(Clone, Copy)]
pub(super) struct Names(pub(super) Words, pub(super) Words);

/// Returns the place of a name in a container.
pub(super) fn parsed(container: &str, name: &str) -> PointerBuf {
    // A test draws every name, and none has to be escaped.
    PointerBuf::parse(format!("{container}/{name}")).unwrap_or_default()
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
    pub(super) fn scope(&mut self, reserved: Words) {
        self.used = reserved.to_vec();
    }

    /// Returns true with a probability of one in `times`.
    pub(super) fn once_in(&mut self, times: u64) -> bool {
        self.rng.u64(0..times) == 0
    }

    /// Draws one of these values.
    pub(super) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.rng.u64(0..of.len() as u64) as usize].clone()
    }

    /// Draws a name of the list that is new in this scope, or else one of `others`.
    pub(super) fn fresh(&mut self, list: Words, others: Words) -> &'static str {
        let new_in = |list: Words| -> Vec<&'static str> {
            let is_used = |name: &str| self.used.iter().any(|used| folded(used) == folded(name));
            list.iter().copied().filter(|name| !is_used(name)).collect()
        };
        let mut candidates = new_in(list);
        if candidates.is_empty() {
            candidates = new_in(others);
        }
        let drawn = self.one(&candidates);
        self.used.push(drawn);
        drawn
    }

    /// Draws a place in `container` whose name is new in this scope, and writes it in camel case if
    /// `camel_case` is set. In half of the draws it is an invented name.
    pub(super) fn place(
        &mut self,
        container: &str,
        Names(usual, invented): Names,
        camel_case: bool,
    ) -> PointerBuf {
        let pool = if self.once_in(2) { invented } else { usual };
        let name = self.fresh(pool, invented);
        if !camel_case {
            return parsed(container, name);
        }
        let tokens: Vec<_> = name.split('/').map(str::to_lower_camel_case).collect();
        parsed(container, &tokens.join("/"))
    }

    /// Draws a place, see [`Drawer::place`], or `None` with a probability of one in `times`.
    pub(super) fn maybe(
        &mut self,
        times: u64,
        container: &str,
        names: Names,
        camel_case: bool,
    ) -> Option<PointerBuf> {
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
