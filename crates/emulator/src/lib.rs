//! The media service on your own machine: every endpoint of the upstream document, its codes, tasks
//! that take time, and real files as results. `README.md` says what it does not do.
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use mediagate_emulator::{Config, Emulator};
//!
//! let emulator = Emulator::bind(Config::default()).await?.spawn();
//! assert!(emulator.base_url().starts_with("http://127.0.0.1:"));
//! emulator.stop().await;
//! # Ok::<(), mediagate_emulator::EmulatorError>(()) }).unwrap();
//! ```
//!
//! Sections (§) are those of the upstream document.

mod account;
mod app;
mod bucket;
mod command;
mod config;
pub mod dialect;
mod error;
mod faults;
mod http;
mod jobs;
mod media;
mod routes;
mod scene;
mod server;
mod storage;
mod sync;
mod tasks;

pub use bucket::{DEV_RESULTS_ACCESS_KEY_ID, DEV_RESULTS_BUCKET};
pub use config::{ApiKey, Cli, Config, DEV_API_KEY, Plan, Results, ResultsSecret, TextToImage};
pub use error::EmulatorError;
pub use media::MediaError;
pub use server::{Emulator, Running};
