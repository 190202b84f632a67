//! Ids of tokens that can be revoked.

/// Longest `jti` that the list of revoked tokens can hold, in characters.
const MAX_LEN: usize = 128;

/// Whether the list of revoked tokens (`MCP_REVOKED_TOKENS`) can hold an id: 1 to 128 visible ASCII characters, no comma.
pub(crate) fn is_revocable_id(id: &str) -> bool {
    (1..=MAX_LEN).contains(&id.len()) && id.bytes().all(|it| it.is_ascii_graphic() && it != b',')
}
