use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

/// A cache of values by their keys. A full cache is cleared, so it holds only values that can be
/// computed or fetched again, or whose loss only repeats a harmless request.
pub struct Memo<K, V> {
    max_len: usize,
    values: RefCell<HashMap<K, V>>,
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    pub fn new(max_len: usize) -> Self {
        Memo {
            max_len,
            values: RefCell::default(),
        }
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.values.borrow().get(key).cloned()
    }

    pub fn insert(&self, key: K, value: V) {
        let mut values = self.values.borrow_mut();
        if values.len() >= self.max_len {
            values.clear();
        }
        values.insert(key, value);
    }
}

impl<K: Eq + Hash> Memo<K, ()> {
    /// Runs an action, unless an earlier action with its key has succeeded. `act` completes with
    /// true if it has succeeded.
    pub async fn until_success(&self, key: K, act: impl Future<Output = bool>) {
        if self.get(&key).is_none() && act.await {
            self.insert(key, ());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;

    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn it_returns_inserted_values_and_stays_within_its_bound() {
        let memo = Memo::new(3);
        for number in 0..100 {
            memo.insert(number, number * 2);
            assert_eq!(memo.get(&number), Some(number * 2));
            assert!(memo.values.borrow().len() <= 3);
        }
        assert_eq!(memo.get(&0), None);
    }

    #[test]
    fn an_action_is_repeated_until_it_has_succeeded() {
        let memo = Memo::new(3);
        let runs = Cell::new(0);
        let act = |succeeds: bool| {
            let run = async {
                runs.set(runs.get() + 1);
                succeeds
            };
            memo.until_success("a", run).now_or_never()
        };
        // The caller of the first action leaves before it completes.
        assert_eq!(memo.until_success("a", pending()).now_or_never(), None);
        for (succeeds, expected) in [(false, 1), (true, 2), (true, 2)] {
            assert_eq!(act(succeeds), Some(()));
            assert_eq!(runs.get(), expected);
        }
    }
}
