//! What the log shows of a panic.

use std::panic::{self, PanicHookInfo};

use js_sys::Reflect;

/// Logs every panic by its location alone: its message could hold a secret. A Worker calls this in its
/// `#[event(start)]`.
pub fn log_locations_only() {
    // In the next turn of the event loop, after the worker crate has set its own hook, which logs the message.
    wasm_bindgen_futures::spawn_local(async { panic::set_hook(Box::new(report)) });
}

/// Logs the location, and has this instance of the wasm replaced, as the worker crate's own hook does.
fn report(panic: &PanicHookInfo<'_>) {
    let location = panic
        .location()
        .map(|it| format!("{}:{}", it.file(), it.line()))
        .unwrap_or_default();
    worker::console_error!("panicked at {location}");
    let state = Reflect::get(&js_sys::global(), &"__worker_init_state".into());
    let _ = state.and_then(|it| Reflect::set(&it, &"criticalError".into(), &true.into()));
}
