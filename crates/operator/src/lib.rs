//! What decides in the commands of an operator, without I/O: `cargo xtask` and `cargo xtask probe` run it natively, and the
//! npm package `mediagate-gateway` as wasm.

pub mod doctor;
#[cfg(target_arch = "wasm32")]
mod exports;
pub mod probe;
pub mod settings;
