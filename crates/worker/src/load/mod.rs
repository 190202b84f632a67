//! Approximate protection against load. It lives in the isolate and costs no extra request; another isolate counts on its
//! own.

mod in_flight;
mod recent;
mod shedding;

pub(crate) use in_flight::{Answering, InFlight};
pub(crate) use recent::Recent;
pub(crate) use shedding::Shedder;
