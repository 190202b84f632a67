//! Limits the transfers under way of each caller and of each network. Each has a Durable Object, so
//! they are counted before it starts.

use std::cell::RefCell;
use std::collections::HashMap;

use mediagate_access::refusal::Refusal;
use mediagate_platform::are_objects_bounded;

use crate::unanswered::BUSY_SECONDS;

/// The transfers of a network, as a multiple of a subject's. A household or an office has several
/// subjects.
const SUBJECTS_PER_NETWORK: usize = 5;

/// The most transfers of all callers on a server. Each holds one of the objects that can be open,
/// and a slow server of its file makes that minutes.
const MAX_IN_ALL: usize = 500;
/// The most transfers of a subject on a server, by the number of all transfers from which it
/// counts: a few subjects must not keep all others away.
const SHARES: [(usize, usize); 2] = [(250, 5), (400, 1)];
/// The most results of all callers that are kept at once on a server. Further results wait.
const MAX_KEEPING: usize = 400;
/// The number of results from which those of one subject are limited to [`MAX_KEEPING_OF_ONE`].
const KEEPING_SHARED_FROM: usize = 200;
const MAX_KEEPING_OF_ONE: usize = 5;

/// The time after which a transfer no longer counts. Its end may be unseen by this isolate.
const MAX_MS: f64 = 15.0 * 60_000.0;

/// The time that a transfer's object stays open after the end. After ten seconds it removes the
/// state of a failure, and it closes ten seconds after that.
const OPEN_MS: f64 = 20_000.0;

thread_local! {
    /// Shared by requests and objects of the isolate, since a transfer outlives its first request.
    static UNDER_WAY: RefCell<Transfers> = RefCell::default();
}

pub struct TransferCaller {
    pub subject: String,
    /// `None` if the platform does not report an address.
    pub network: Option<String>,
}

/// Returns true if a transfer is counted, as far as this isolate knows. `now` is in milliseconds.
pub fn is_counted(transfer: &str, now: f64) -> bool {
    UNDER_WAY.with_borrow(|transfers| {
        let counted = transfers.moving.get(transfer);
        counted.is_some_and(|counted| now < counted.until)
    })
}

/// Counts a transfer until [`end_transfer`]. `now` is in milliseconds. 429 if the caller, or its
/// network, has too many; 503 on a server if all callers together do.
pub fn begin_transfer(
    transfer: &str,
    caller: TransferCaller,
    per_subject: usize,
    now: f64,
) -> Result<(), Refusal> {
    let in_all = are_objects_bounded().then_some(MAX_IN_ALL);
    UNDER_WAY
        .with_borrow_mut(|transfers| transfers.begin(transfer, caller, per_subject, in_all, now))
}

/// Stops counting a transfer that has ended. On a server, it counts for as long as its object stays
/// open.
pub fn end_transfer(transfer: &str, now: f64) {
    let counted_ms = if are_objects_bounded() { OPEN_MS } else { 0.0 };
    UNDER_WAY.with_borrow_mut(|transfers| transfers.end(transfer, now + counted_ms));
}

/// Stops counting a transfer that has not begun.
pub fn forget_transfer(transfer: &str) {
    UNDER_WAY.with_borrow_mut(|transfers| transfers.moving.remove(transfer));
}

/// A result that is being kept. It counts until it is dropped.
pub struct Keeping(String);

impl Keeping {
    /// Counts a result of a subject. Returns `None` on a server if too many are being kept.
    /// `transfer` is unique for the result, and `now` in milliseconds.
    pub fn begin(transfer: String, subject: String, now: f64) -> Option<Self> {
        let max = if are_objects_bounded() {
            MAX_KEEPING
        } else {
            usize::MAX
        };
        let has_begun = UNDER_WAY
            .with_borrow_mut(|transfers| transfers.begin_keeping(&transfer, subject, max, now));
        has_begun.then_some(Keeping(transfer))
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        UNDER_WAY.with_borrow_mut(|transfers| transfers.keeping.remove(&self.0));
    }
}

#[derive(Default)]
struct Transfers {
    /// The transfers that callers requested, by the names of their objects.
    moving: HashMap<String, Counted>,
    /// The results that are being kept: their subjects, and the times until which they count.
    keeping: HashMap<String, (String, f64)>,
}

struct Counted {
    caller: TransferCaller,
    until: f64,
}

impl Transfers {
    fn begin(
        &mut self,
        transfer: &str,
        caller: TransferCaller,
        per_subject: usize,
        in_all: Option<usize>,
        now: f64,
    ) -> Result<(), Refusal> {
        self.moving.retain(|_, counted| now < counted.until);
        if self.moving.contains_key(transfer) {
            return Ok(());
        }
        if in_all.is_some_and(|in_all| self.moving.len() >= in_all) {
            return Err(Refusal::busy(BUSY_SECONDS));
        }
        let mut per_subject = per_subject;
        for (from, share) in SHARES {
            if in_all.is_some() && self.moving.len() >= from {
                per_subject = per_subject.min(share);
            }
        }
        let mut of_subject = 0;
        let mut of_network = 0;
        for Counted { caller: other, .. } in self.moving.values() {
            of_subject += usize::from(other.subject == caller.subject);
            let is_known = other.network.is_some();
            of_network += usize::from(is_known && other.network == caller.network);
        }
        if of_subject >= per_subject || of_network >= per_subject * SUBJECTS_PER_NETWORK {
            return Err(Refusal::too_many_at_once());
        }
        let until = now + MAX_MS;
        self.moving
            .insert(transfer.to_owned(), Counted { caller, until });
        Ok(())
    }

    fn begin_keeping(&mut self, transfer: &str, subject: String, max: usize, now: f64) -> bool {
        self.keeping.retain(|_, (_, until)| now < *until);
        let of_subject = self.keeping.values().filter(|(other, _)| *other == subject);
        let is_shared = max != usize::MAX && self.keeping.len() >= KEEPING_SHARED_FROM;
        if self.keeping.len() >= max || is_shared && of_subject.count() >= MAX_KEEPING_OF_ONE {
            return false;
        }
        let until = now + MAX_MS;
        self.keeping.insert(transfer.to_owned(), (subject, until));
        true
    }

    fn end(&mut self, transfer: &str, at: f64) {
        if let Some(counted) = self.moving.get_mut(transfer) {
            counted.until = counted.until.min(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(subject: &str, network: Option<&str>) -> TransferCaller {
        TransferCaller {
            subject: subject.to_owned(),
            network: network.map(str::to_owned),
        }
    }

    #[test]
    fn a_subject_and_a_network_have_so_many_transfers_at_once() {
        let mut transfers = Transfers::default();
        let mut begun = |subject: &str, network: Option<&str>| {
            (0..100)
                .take_while(|number| {
                    let name = format!("{subject} {number}");
                    transfers
                        .begin(&name, caller(subject, network), 2, None, 0.0)
                        .is_ok()
                })
                .count()
        };
        assert_eq!(begun("alice", Some("192.0.2.1")), 2);
        for subject in ["b", "c", "d", "e"] {
            assert_eq!(begun(subject, Some("192.0.2.1")), 2);
        }
        assert_eq!(begun("f", Some("192.0.2.1")), 0);
        assert_eq!(begun("f", Some("192.0.2.2")), 2);
        assert_eq!(begun("g", None), 2);
    }

    #[test]
    fn a_transfer_counts_once_until_its_end_or_its_deadline() {
        let mut transfers = Transfers::default();
        let mut begin = |name: &str, now: f64| {
            let alice = caller("alice", None);
            transfers.begin(name, alice, 1, None, now).is_ok()
        };
        assert!(begin("first", 0.0));
        assert!(begin("first", 1.0));
        assert!(!begin("second", MAX_MS - 1.0));
        assert!(begin("second", MAX_MS));
        transfers.end("second", MAX_MS + 20.0);
        let mut begin = |now: f64| {
            let alice = caller("alice", None);
            transfers.begin("third", alice, 1, None, now).is_ok()
        };
        assert!(!begin(MAX_MS + 19.0));
        assert!(begin(MAX_MS + 20.0));
    }

    #[test]
    fn on_a_server_few_callers_leave_room_for_others_and_all_are_bounded() {
        let mut transfers = Transfers::default();
        let mut begun = |subject: &str, wanted: usize| {
            let names = (0..wanted).map(|number| format!("{subject} {number}"));
            names
                .take_while(|name| {
                    let begun = transfers.begin(name, caller(subject, None), 50, Some(500), 0.0);
                    begun.is_ok()
                })
                .count()
        };
        for subject in ["a", "b", "c", "d", "e"] {
            assert_eq!(begun(subject, 100), 50);
        }
        let others = (0..200).map(|number| begun(&format!("other {number}"), 100));
        let others: Vec<_> = others.collect();
        assert_eq!(others[..30], [5; 30]);
        assert_eq!(others[30..130], [1; 100]);
        assert_eq!(others[130..], [0; 70]);
        let refused = transfers.begin("last", caller("f", None), 50, Some(500), 0.0);
        assert_eq!(refused.expect_err("all together have 500").status, 503);
    }

    #[test]
    fn so_many_results_are_kept_at_once_and_few_of_one_subject_while_they_are_many() {
        let mut transfers = Transfers::default();
        let mut begun = |subject: &str, now: f64| {
            let numbers = 0..500;
            let names = numbers.map(|number| format!("{subject} {number}"));
            let is_begun =
                |name: &String| transfers.begin_keeping(name, subject.to_owned(), MAX_KEEPING, now);
            names.filter(is_begun).count()
        };
        assert_eq!(begun("a", 0.0), 200);
        let others: Vec<_> = (0..50).map(|n| begun(&format!("other {n}"), 1.0)).collect();
        assert_eq!(others[..40], [5; 40]);
        assert_eq!(others[40..], [0; 10]);
        let later = MAX_MS + 1.0;
        assert_eq!(begun("b", later), 200, "no attempt lasts longer");
    }
}
