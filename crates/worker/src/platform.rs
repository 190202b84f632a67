//! The clock, randomness, and the log.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::Refusal;

/// Milliseconds since 1970. Stands still while the Worker computes; moves when it waits.
pub(crate) fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// Random bytes that nobody can guess.
pub(crate) fn random() -> Result<[u8; 16], Refusal> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Refusal::internal("no_randomness"))?;
    Ok(bytes)
}

/// A name that nothing else has: of a request, to find it again in the log, or of a create that was given no key.
pub(crate) fn random_name() -> String {
    random().map(|it| URL_SAFE_NO_PAD.encode(it)).unwrap_or_default()
}

/// Writes one line to the log.
pub(crate) fn log(line: &str) {
    worker::console_log!("{line}");
}
