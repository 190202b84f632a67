use std::panic::{self, PanicHookInfo};

use js_sys::Reflect;

/// Logs only the location of each panic, since its message could contain a secret. Call this in the
/// Worker's `#[event(start)]`.
pub fn log_locations_only() {
    // The worker crate sets its own hook after the event, and that hook logs messages. The next
    // turn of the event loop is late enough to replace it.
    wasm_bindgen_futures::spawn_local(async { panic::set_hook(Box::new(report)) });
}

/// Logs the location, and marks this instance of the wasm to be replaced, like the worker crate's
/// own hook.
fn report(panic: &PanicHookInfo<'_>) {
    let location = panic
        .location()
        .map(|location| format!("{}:{}", location.file(), location.line()))
        .unwrap_or_default();
    worker::console_error!("panicked at {location}");
    let state = Reflect::get(&js_sys::global(), &"__worker_init_state".into());
    let _ = state.and_then(|state| Reflect::set(&state, &"criticalError".into(), &true.into()));
}
