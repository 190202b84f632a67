//! Counts the requests in flight of each caller. Each request holds memory and open files.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The most callers in memory. A full map is cleared, since the counts only have to be approximate.
const MAX_CALLERS: usize = 10_000;

/// The times at which requests stop counting, by caller.
type Counted = RefCell<HashMap<String, Vec<f64>>>;

pub(crate) struct InFlight {
    limit: usize,
    counted: Rc<Counted>,
}

/// A request in flight. Dropping it ends the count.
pub(crate) struct Answering {
    caller: String,
    until: f64,
    counted: Rc<Counted>,
}

impl InFlight {
    pub(crate) fn new(limit: usize) -> Self {
        InFlight {
            limit,
            counted: Rc::default(),
        }
    }

    /// Counts a request. Returns `None` if the caller has too many. `now` is in milliseconds. The
    /// count ends after `lasts_ms` in any case: if a client disconnects, the platform may end the
    /// request without dropping the value.
    pub(crate) fn begin(&self, caller: &str, now: f64, lasts_ms: f64) -> Option<Answering> {
        let mut all = self.counted.borrow_mut();
        if all.len() >= MAX_CALLERS && !all.contains_key(caller) {
            all.clear();
        }
        let own = all.entry(caller.to_owned()).or_default();
        own.retain(|until| now < *until);
        if own.len() >= self.limit {
            return None;
        }
        let until = now + lasts_ms;
        own.push(until);
        Some(Answering {
            caller: caller.to_owned(),
            until,
            counted: Rc::clone(&self.counted),
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut all = self.counted.borrow_mut();
        let Some(own) = all.get_mut(&self.caller) else {
            // The full map was cleared.
            return;
        };
        // A request that has expired is not in the list any more.
        if let Some(position) = own.iter().position(|until| *until == self.until) {
            own.swap_remove(position);
        }
        if own.is_empty() {
            all.remove(&self.caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_so_many_requests_at_once() {
        let in_flight = InFlight::new(2);
        let first = in_flight.begin("a", 1.0, 100.0);
        let second = in_flight.begin("a", 1.0, 100.0);
        assert!(first.is_some() && second.is_some());
        assert!(in_flight.begin("a", 2.0, 100.0).is_none());
        assert!(in_flight.begin("b", 2.0, 100.0).is_some());
        drop(first);
        assert!(in_flight.begin("a", 3.0, 100.0).is_some());
    }

    #[test]
    fn a_request_that_never_ends_stops_counting() {
        let in_flight = InFlight::new(1);
        let lost = in_flight.begin("a", 0.0, 100.0);
        assert!(in_flight.begin("a", 99.0, 100.0).is_none());
        let next = in_flight.begin("a", 100.0, 100.0);
        assert!(next.is_some());
        drop(lost);
        assert!(
            in_flight.begin("a", 101.0, 100.0).is_none(),
            "the later one still counts"
        );
        drop(next);
        assert!(in_flight.counted.borrow().is_empty());
    }

    #[test]
    fn memory_is_bounded_for_any_number_of_callers() {
        let in_flight = InFlight::new(1);
        let _all: Vec<_> = (0..2 * MAX_CALLERS)
            .map(|caller| in_flight.begin(&caller.to_string(), 0.0, 1.0))
            .collect();
        assert!(in_flight.counted.borrow().len() <= MAX_CALLERS);
    }
}
