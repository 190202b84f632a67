//! Tests of the engine, in one program: each would link the engine and the simulated platform again.

#![expect(clippy::panic, reason = "tests fail by panicking")]

mod calls;
mod codes;
mod history;
mod pipelines;
mod promises;
mod sessions;
mod simulated;
mod simulation;
mod sources;
mod streams;
mod tasks;
mod transfers;
mod uploads;
