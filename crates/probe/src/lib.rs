//! The shell around the core's probe: it sends the requests, shows each exchange, and leaves the decisions to a person.
//!
//! The probe itself is [`mediagate_core::probe`]. `docs/dialect.md` describes what it finds.

mod http;
mod new_file;
mod shell;
mod terminal;

pub use http::Key;
pub use mediagate_operator::probe::Address;
pub use new_file::make_new;
pub use shell::{Person, run};
pub use terminal::{Terminal, end_on_interrupt, say};
