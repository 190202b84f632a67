//! The words of the claim `scope` of a session token: the names of capabilities, and these.

use crate::{CAPABILITIES, Group};

/// The word that allows uploads.
pub const UPLOAD: &str = "upload";
/// The word in the token of a configured agent. Such a token may live longer, and is valid only at
/// `/mcp`.
pub const AGENT: &str = "mcp";

/// Returns the word that allows all capabilities of a group.
pub const fn of_group(group: Group) -> &'static str {
    match group {
        Group::Generate => "generate:*",
        Group::Process => "process:*",
    }
}

/// Returns all words.
pub fn words() -> impl Iterator<Item = &'static str> {
    let groups = Group::ALL.into_iter().map(of_group);
    let capabilities = CAPABILITIES.iter().map(|capability| capability.name());
    capabilities.chain(groups).chain([UPLOAD, AGENT])
}
