//! What was worked out lately, so that it need not be again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// Values by what they follow from alone. When it is full it begins anew: it is a help, and holds nothing that is needed.
pub(crate) struct Memo<K, V> {
    most: usize,
    known: RefCell<HashMap<K, V>>,
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// One of at most so many values.
    pub(crate) fn new(most: usize) -> Self {
        Memo { most, known: RefCell::default() }
    }

    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.known.borrow().get(key).cloned()
    }

    pub(crate) fn keep(&self, key: K, value: V) {
        let mut known = self.known.borrow_mut();
        if known.len() >= self.most {
            known.clear();
        }
        known.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_remembers_and_stays_within_its_bound() {
        let memo = Memo::new(3);
        for number in 0..100 {
            memo.keep(number, number * 2);
            assert_eq!(memo.get(&number), Some(number * 2));
            assert!(memo.known.borrow().len() <= 3);
        }
        assert_eq!(memo.get(&0), None);
    }
}
