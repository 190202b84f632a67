//! What a panic says of itself.

use std::panic::{self, PanicHookInfo};

use js_sys::Reflect;

/// Has every panic logged by its place alone: its message could hold what a log must not. A Worker calls this in its
/// `#[event(start)]`.
pub fn log_places_alone() {
    // A turn later, when the platform crate has set its own hook: that one logs the message.
    wasm_bindgen_futures::spawn_local(async { panic::set_hook(Box::new(report)) });
}

/// Logs the place, and has this instance of the wasm replaced, as the hook of the platform crate does.
fn report(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(|it| format!("{}:{}", it.file(), it.line())).unwrap_or_default();
    worker::console_error!("panicked at {place}");
    let state = Reflect::get(&js_sys::global(), &"__worker_init_state".into());
    let _ = state.and_then(|it| Reflect::set(&it, &"criticalError".into(), &true.into()));
}
