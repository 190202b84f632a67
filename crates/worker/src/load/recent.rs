//! What was done lately, so that it is not done again at each request.

use std::cell::RefCell;
use std::collections::HashSet;

/// Names that are remembered at most; when they are more, the set begins anew.
const MOST: usize = 10_000;

/// Names that were seen.
#[derive(Default)]
pub(crate) struct Recent(RefCell<HashSet<String>>);

impl Recent {
    /// Whether this name was not seen lately; now it was.
    pub(crate) fn is_new(&self, name: &str) -> bool {
        let mut seen = self.0.borrow_mut();
        if seen.len() >= MOST {
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
        assert_eq!(["a", "b", "a"].map(|it| recent.is_new(it)), [true, true, false]);
    }
}
