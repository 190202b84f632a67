//! The media service on your own machine: every endpoint of the upstream document, its codes, tasks that take time, and
//! real files as results. See `README.md` for what it does not do.
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
mod assets;
mod checks;
mod config;
mod connection;
mod faults;
mod files;
mod jobs;
mod media;
mod models;
mod openapi;
mod place;
mod refusal;
mod routes;
mod scene;
mod server;
mod store;
mod tasks;

pub use config::{ApiKey, Cli, Config, DEV_API_KEY, Plan, TextToImage};
pub use server::{Emulator, EmulatorError, Running};
