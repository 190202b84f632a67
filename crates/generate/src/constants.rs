//! Constants on which the npm package and the gateway must agree.

use mediagate_core::{AssetCategory, RESERVED_HEADERS, claims, lifetime, scope};

const HEAD: &str = "// Written from `crates/core` by `cargo xtask generate`; edits are lost.\n\n";

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

pub(crate) fn claims() -> String {
    format!(
        "{HEAD}/** The words of a scope. The catalogue's paths would be a sixth of a server's bundle. */
export const SCOPE_WORDS = [{}] as const;
/** The limits of a budget, as the claim names them. */
export const LIMITS: readonly string[] = [{}];
/** The limits on values, as the claim names them. */
export const VALUE_LIMITS: readonly string[] = [{}];
/** Those of them that are lists of the allowed values. The others are numbers. */
export const LISTED_LIMITS: readonly string[] = [{}];
/** The categories of an asset. */
export const CATEGORIES: readonly unknown[] = [{}];
/** The longest lifetime of a page's token that the gateway accepts, in seconds. */
export const MAX_LIFETIME_S = {};
/** The longest lifetime of an agent's token that a gateway's setting can allow, in seconds. */
export const MAX_AGENT_LIFETIME_S = {};
/** The word in the scope of an agent's token. */
export const AGENT = {:?};
/** The beginning of the subject of an anonymous session. */
export const ANONYMOUS_PREFIX = {:?};
/** The most bytes of a token's id. */
export const MAX_TOKEN_ID = {};
",
        quoted(scope::words()),
        quoted(claims::LIMITS.into_iter()),
        quoted(claims::VALUE_LIMITS.into_iter()),
        quoted(claims::LISTED_LIMITS.into_iter()),
        quoted(AssetCategory::ALL.into_iter().map(AssetCategory::name)),
        claims::MAX_LIFETIME_S,
        claims::MAX_AGENT_DAYS * 86_400,
        scope::AGENT,
        claims::ANONYMOUS_PREFIX,
        claims::MAX_TOKEN_ID,
    )
}
