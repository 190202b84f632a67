//! The decisions of the commands `doctor` and `check`, without I/O. The npm package
//! `mediagate-gateway` runs them as wasm.

pub mod check;
pub mod doctor;
#[cfg(target_arch = "wasm32")]
mod exports;
pub mod settings;
mod settings_file;
mod shared_hosts;

pub use settings_file::settings_in;
