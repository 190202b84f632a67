//! Constants on which the npm package and the gateway must agree.

use mediagate_core::{RESERVED_HEADERS, lifetime, scope};

const HEAD: &str = "// Written from `crates/core` by `cargo xtask generate`; edits are lost.\n\n";

/// Renders `lifetime.ts`.
pub(crate) fn lifetime() -> String {
    format!(
        "{HEAD}/**
 * The time in milliseconds for which the gateway surely knows an idempotency key and an uploaded
 * file: an hour less than its own time, since clocks differ.
 */
export const LIFETIME_MS = {};
",
        lifetime::SURELY_KNOWN_MS
    )
}

/// Renders `upload.ts`.
pub(crate) fn upload() -> String {
    format!(
        "{HEAD}/** The headers that the response with an upload URL must not set, in lower case. */
export const RESERVED_HEADERS: readonly string[] = [{}];
",
        quoted(RESERVED_HEADERS.into_iter())
    )
}

fn quoted(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
    words.join(", ")
}

/// Renders `scope.ts`.
pub(crate) fn scope() -> String {
    format!(
        "{HEAD}/** The words of a scope. The catalogue's paths would be a sixth of a server's bundle. */
export const SCOPE_WORDS = [{}] as const;
",
        quoted(scope::words())
    )
}
