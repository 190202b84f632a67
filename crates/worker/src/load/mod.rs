//! Approximate protection against load. The counts are in the isolate's memory, so they cost no
//! extra request, and each isolate counts separately.

mod in_flight;
mod shedding;

pub(crate) use in_flight::{Answering, InFlight};
pub(crate) use shedding::Shedder;
