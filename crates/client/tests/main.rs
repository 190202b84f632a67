//! Tests of the client on a simulated machine: deterministic ones by subject, and random scenarios.

#![cfg(not(target_family = "wasm"))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod calls;
mod creates;
mod gateway;
mod pipelines;
mod script;
mod sessions;
mod simulation;
mod states;
mod tasks;
mod transfers;
mod uploads;
mod world;
