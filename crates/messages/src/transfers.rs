//! Limits the transfers under way of each caller and of each network. Each has a Durable Object, so
//! they are counted before it starts.

use std::cell::RefCell;
use std::collections::HashMap;

use mediagate_platform::are_objects_bounded;

/// The transfers of a network, as a multiple of a subject's. A household or an office has several
/// subjects.
const SUBJECTS_PER_NETWORK: usize = 5;

/// The time after which a transfer no longer counts, in milliseconds. Its end may be unseen by this
/// isolate.
const MAX_MS: f64 = 15.0 * 60_000.0;

/// The longest time for which a transfer's object stays open after the end, in milliseconds. After
/// ten seconds it removes the state of a failure, and it closes ten seconds after that.
const OPEN_MS: f64 = 20_000.0;

thread_local! {
    /// Shared by requests and objects of the isolate, since a transfer outlives its first request.
    static UNDER_WAY: RefCell<Transfers> = RefCell::default();
}

/// The caller of a transfer.
pub struct TransferCaller {
    pub subject: String,
    /// `None` if the platform does not report an address.
    pub network: Option<String>,
}

/// Returns true if a transfer is counted, as far as this isolate knows. `now` is in milliseconds.
pub fn is_counted(transfer: &str, now: f64) -> bool {
    let is_current = |counted: &Counted| now < counted.until;
    UNDER_WAY.with_borrow(|transfers| transfers.0.get(transfer).is_some_and(is_current))
}

/// Counts a transfer until [`end_transfer`]. Returns false if the caller, or its network, has too
/// many. `now` is in milliseconds.
pub fn begin_transfer(
    transfer: &str,
    caller: TransferCaller,
    per_subject: usize,
    now: f64,
) -> bool {
    UNDER_WAY.with_borrow_mut(|transfers| transfers.begin(transfer, caller, per_subject, now))
}

/// Stops counting a transfer that has ended. On a server it counts for as long as its object stays
/// open.
pub fn end_transfer(transfer: &str, now: f64) {
    let counted_ms = if are_objects_bounded() { OPEN_MS } else { 0.0 };
    UNDER_WAY.with_borrow_mut(|transfers| transfers.end(transfer, now + counted_ms));
}

/// Stops counting a transfer that has not begun.
pub fn forget_transfer(transfer: &str) {
    UNDER_WAY.with_borrow_mut(|transfers| transfers.0.remove(transfer));
}

/// The transfers under way, by the name of their object.
#[derive(Default)]
struct Transfers(HashMap<String, Counted>);

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
        now: f64,
    ) -> bool {
        self.0.retain(|_, counted| now < counted.until);
        if self.0.contains_key(transfer) {
            return true;
        }
        let of_subject = |counted: &&Counted| counted.caller.subject == caller.subject;
        let of_network = |counted: &&Counted| counted.caller.network == caller.network;
        let is_full = self.0.values().filter(of_subject).count() >= per_subject
            || caller.network.is_some()
                && self.0.values().filter(of_network).count() >= per_subject * SUBJECTS_PER_NETWORK;
        if is_full {
            return false;
        }
        let until = now + MAX_MS;
        self.0
            .insert(transfer.to_owned(), Counted { caller, until });
        true
    }

    fn end(&mut self, transfer: &str, at: f64) {
        if let Some(counted) = self.0.get_mut(transfer) {
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
                    transfers.begin(&name, caller(subject, network), 2, 0.0)
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
        let mut begin = |name: &str, now: f64| transfers.begin(name, caller("alice", None), 1, now);
        assert!(begin("first", 0.0));
        assert!(begin("first", 1.0));
        assert!(!begin("second", MAX_MS - 1.0));
        assert!(begin("second", MAX_MS));
        transfers.end("second", MAX_MS + 20.0);
        let mut begin = |now: f64| transfers.begin("third", caller("alice", None), 1, now);
        assert!(!begin(MAX_MS + 19.0));
        assert!(begin(MAX_MS + 20.0));
    }
}
