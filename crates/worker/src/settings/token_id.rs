//! Ids of tokens that can be revoked.

/// The maximum length of a `jti` in the list of revoked tokens, in characters.
const MAX_LEN: usize = 128;

/// Returns true if the list of revoked tokens (`MCP_REVOKED_TOKENS`) can contain an id. Such an id
/// has 1 to 128 visible ASCII characters and no comma, which separates the ids of the list.
pub(crate) fn is_revocable_id(id: &str) -> bool {
    (1..=MAX_LEN).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b',')
}
