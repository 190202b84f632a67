//! Requests that are being answered, by whoever sent them. Each holds memory and open files.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// How long a request counts at most, in milliseconds. If a client disconnects, the platform may drop the request without a
/// word, and it never ends.
const COUNTS_MS: f64 = 60_000.0;
/// Callers that are remembered at most. A full map is cleared: this sheds load, it does not account for it.
const MAX_CALLERS: usize = 10_000;

/// When the requests began that are being answered, by caller.
type Started = RefCell<HashMap<String, VecDeque<f64>>>;

/// The requests that are being answered.
pub(crate) struct InFlight {
    /// The most of one caller.
    limit: usize,
    started: Rc<Started>,
}

/// A request that is being answered, until it is dropped.
pub(crate) struct Answering {
    caller: String,
    at: f64,
    started: Rc<Started>,
}

impl InFlight {
    pub(crate) fn new(limit: usize) -> Self {
        InFlight { limit, started: Rc::default() }
    }

    /// Counts a request until the returned value is dropped; `None` if the caller has as many as may be. `now` is in
    /// milliseconds.
    pub(crate) fn begin(&self, caller: &str, now: f64) -> Option<Answering> {
        let mut all = self.started.borrow_mut();
        if all.len() >= MAX_CALLERS && !all.contains_key(caller) {
            all.clear();
        }
        let own = all.entry(caller.to_owned()).or_default();
        while own.front().is_some_and(|at| !(now - COUNTS_MS..=now).contains(at)) {
            own.pop_front();
        }
        if own.len() >= self.limit {
            return None;
        }
        own.push_back(now);
        Some(Answering { caller: caller.to_owned(), at: now, started: Rc::clone(&self.started) })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut all = self.started.borrow_mut();
        let Some(own) = all.get_mut(&self.caller) else { return };
        // If it is no longer there, it was counted for too long.
        if let Some(position) = own.iter().position(|at| *at == self.at) {
            own.remove(position);
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
        let first = in_flight.begin("a", 1.0);
        let second = in_flight.begin("a", 1.0);
        assert!(first.is_some() && second.is_some());
        assert!(in_flight.begin("a", 2.0).is_none());
        assert!(in_flight.begin("b", 2.0).is_some());
        drop(first);
        assert!(in_flight.begin("a", 3.0).is_some());
    }

    #[test]
    fn a_request_that_never_ends_stops_counting() {
        let in_flight = InFlight::new(1);
        let lost = in_flight.begin("a", 0.0);
        assert!(in_flight.begin("a", COUNTS_MS).is_none());
        let next = in_flight.begin("a", COUNTS_MS + 1.0);
        assert!(next.is_some());
        drop(lost);
        assert!(in_flight.begin("a", COUNTS_MS + 2.0).is_none(), "the later one still counts");
        drop(next);
        assert!(in_flight.started.borrow().is_empty());
        let _ahead = in_flight.begin("a", 9e9);
        assert!(in_flight.begin("a", 0.0).is_some(), "the clock was set back");
    }

    #[test]
    fn memory_is_bounded_for_any_number_of_callers() {
        let in_flight = InFlight::new(1);
        let _all: Vec<_> = (0..2 * MAX_CALLERS).map(|caller| in_flight.begin(&caller.to_string(), 0.0)).collect();
        assert!(in_flight.started.borrow().len() <= MAX_CALLERS);
    }
}
