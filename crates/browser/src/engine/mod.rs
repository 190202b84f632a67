//! The logic of the client, over JavaScript's values and promises and without any bindings.
//!
//! From the lowest to the highest: [`error`]; [`limits`], [`semaphore`], [`shared`] and [`snapshot`]; [`transport`],
//! [`source`] and [`create`]; [`response`]; [`session`]; [`gateway`], which sends calls; [`token_source`], [`stream`]
//! and [`uploads`]; [`task`] and [`input`]; [`client`].

pub mod client;
pub mod create;
pub mod error;
pub mod gateway;
pub mod input;
pub mod limits;
pub mod response;
pub mod semaphore;
pub mod session;
pub mod shared;
pub mod snapshot;
pub mod source;
pub mod stream;
pub mod task;
pub mod token_source;
pub mod transport;
pub mod uploads;
