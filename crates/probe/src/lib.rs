//! The shell around the core's probe: it sends the requests, shows each exchange, and leaves the decisions to a person.
//!
//! The probe itself is [`mediagate_core::probe`]. `docs/dialect.md` describes what it finds.

mod address;
mod http;
mod settings_file;
mod shell;
mod terminal;

pub use address::{Address, check_key};
pub use http::Key;
pub use settings_file::{known, known_address, make_new, settings_file};
pub use shell::{Person, run};
pub use terminal::{Terminal, end_on_interrupt, say};
