use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_platform::ObjectError;

/// The seconds after which a client may try again if too many objects are open.
pub const BUSY_SECONDS: u32 = 2;

/// Refuses a request to an object that did not respond. `silent` is the reason if the message may
/// have been sent.
pub fn unanswered(error: ObjectError, silent: Reason) -> Refusal {
    match error {
        ObjectError::Busy => Refusal::busy(BUSY_SECONDS),
        ObjectError::Silent => Refusal::from(silent),
    }
}
