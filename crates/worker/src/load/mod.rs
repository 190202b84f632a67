//! What keeps load off: the service's trouble from us, and ours from one caller's.
//!
//! All of it lives in the isolate, costs no hop, and is approximate for that: another isolate counts on its own.

mod breaker;
mod recent;
mod shedding;

pub(crate) use breaker::Breaker;
pub(crate) use recent::Recent;
pub(crate) use shedding::Shedder;
