//! What keeps load off: the service's trouble from us, and ours from one caller's.
//!
//! Both live in the isolate, cost no hop, and are approximate for that: another isolate counts on its own.

mod breaker;
mod recent;
mod shedding;

pub(crate) use breaker::Breaker;
pub(crate) use recent::Recent;
pub(crate) use shedding::Shedder;
