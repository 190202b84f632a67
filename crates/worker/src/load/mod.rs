//! What keeps load off: the service's trouble from us, and ours from one caller's.
//!
//! Both live in the isolate, cost no hop, and are approximate for that: another isolate counts on its own.

mod breaker;
mod shedding;

pub(crate) use breaker::Breaker;
pub(crate) use shedding::Shedder;
