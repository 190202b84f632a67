//! A cache with a maximum number of entries.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// A cache of values by their keys. A full cache is cleared, so it holds only values that can be
/// computed or fetched again, or whose loss only repeats a harmless request.
pub(crate) struct Memo<K, V> {
    max_len: usize,
    values: RefCell<HashMap<K, V>>,
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    pub(crate) fn new(max_len: usize) -> Self {
        Memo {
            max_len,
            values: RefCell::default(),
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.values.borrow().get(key).cloned()
    }

    /// Inserts a value. Returns true if the cache had no value for its key, or was cleared first.
    pub(crate) fn insert(&self, key: K, value: V) -> bool {
        let mut values = self.values.borrow_mut();
        if values.len() >= self.max_len {
            values.clear();
        }
        values.insert(key, value).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_returns_inserted_values_and_stays_within_its_bound() {
        let memo = Memo::new(3);
        for number in 0..100 {
            assert!(memo.insert(number, number * 2));
            assert_eq!(memo.get(&number), Some(number * 2));
            assert!(memo.values.borrow().len() <= 3);
        }
        assert_eq!(memo.get(&0), None);
        let seen = Memo::new(3);
        let is_new = ["a", "b", "a"].map(|name| seen.insert(name, ()));
        assert_eq!(is_new, [true, true, false]);
    }
}
