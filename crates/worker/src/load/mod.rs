//! Approximate protection against load. The counts are in the isolate's memory, so they cost no
//! extra request, and each isolate counts separately.

mod in_flight;
mod shedding;
mod transfers;

pub(crate) use in_flight::{Answering, InFlight};
pub(crate) use shedding::Shedder;
pub(crate) use transfers::{
    TransferCaller, begin_transfer, end_transfer, forget_transfer, is_counted,
};
