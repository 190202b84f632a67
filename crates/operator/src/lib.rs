//! The decisions of the commands `doctor` and `probe`, without I/O. The npm package
//! `mediagate-gateway` runs them as wasm.

pub mod doctor;
#[cfg(target_arch = "wasm32")]
mod exports;
pub mod probe;
pub mod settings;
