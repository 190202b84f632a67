//! What surrounds the core's probe: the address and the key that it gets, and what is written about what it found.

mod address;
mod settings_file;
mod summary;

pub use address::{Address, check_key};
pub use settings_file::{known, known_address, settings_file, settings_in};
pub use summary::{Destination, summary};
