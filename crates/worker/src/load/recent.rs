//! A set of names that were seen recently, to avoid repeated work for each request.

use std::cell::RefCell;
use std::collections::HashSet;

/// The most names in the set. A full set is cleared.
const MAX_NAMES: usize = 10_000;

/// Names that were seen recently.
#[derive(Default)]
pub(crate) struct Recent(RefCell<HashSet<String>>);

impl Recent {
    /// Returns true if a name is in the set.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.borrow().contains(name)
    }

    /// Adds a name. Returns true if it is new.
    pub(crate) fn insert(&self, name: &str) -> bool {
        let mut seen = self.0.borrow_mut();
        if seen.len() >= MAX_NAMES {
            seen.clear();
        }
        seen.insert(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_new_once() {
        let recent = Recent::default();
        assert_eq!(
            ["a", "b", "a"].map(|name| recent.insert(name)),
            [true, true, false]
        );
    }

    #[test]
    fn a_full_set_is_cleared() {
        let recent = Recent::default();
        assert!((0..MAX_NAMES).all(|number| recent.insert(&number.to_string())));
        assert!(recent.insert("one more"));
        assert!(recent.insert("0"), "forgotten");
        assert!(!recent.insert("one more"));
    }
}
