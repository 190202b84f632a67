//! Tests of the gateway's parts that need no platform, in one program.

mod complete;
mod ledger;
mod sealing;
#[path = "../../core/tests/seed/mod.rs"]
mod seed;
mod session;
mod settings;
