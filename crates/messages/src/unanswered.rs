//! The refusal of a request whose object did not respond.

use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_platform::ObjectError;

/// The time after which a client may try again if too many objects are open, in seconds.
pub const BUSY_SECONDS: u32 = 2;

/// Returns the refusal for a message to an object without a response. `silent` is the reason if the
/// message may have been sent.
pub fn unanswered(error: ObjectError, silent: Reason) -> Refusal {
    match error {
        ObjectError::Busy => Refusal::busy(BUSY_SECONDS),
        ObjectError::Silent => Refusal::from(silent),
    }
}
