//! The probe's input and output: the address and the key, the file of settings, and the summary.

mod address;
mod settings_file;
mod summary;

pub use address::{Address, check_key};
pub use settings_file::{known, known_address, settings_file, settings_in};
pub use summary::{Destination, summary};
