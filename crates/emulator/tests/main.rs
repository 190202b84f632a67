//! Tests of the emulator, in one program.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod bucket;
mod codes;
mod dialects;
mod example;
mod faults;
mod flow;
mod hostile;
mod limits;
mod program;
mod results;
mod scene;
mod support;
mod videos;
