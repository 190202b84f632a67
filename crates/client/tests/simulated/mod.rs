//! A platform that is simulated: a virtual clock, random numbers from a seed, a network, and promises. Everything that is
//! under way is counted, so that a test can assert that nothing is left.
//!
//! Scripted tests read a list of responses ([`script`]); the simulation has gateways and a storage ([`gateway`]).
#![allow(
    unreachable_pub,
    clippy::panic,
    reason = "a module of the tests alone; a test may panic"
)]

pub mod error;
pub mod followed;
pub mod gateway;
pub mod platform;
pub mod random;
pub mod requests;
pub mod results;
pub mod script;
pub mod sim;
pub mod value;
pub mod world;
