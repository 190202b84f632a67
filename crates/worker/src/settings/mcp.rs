//! What concerns agents: the tools' names, how long they wait, their tokens, and who issues those.

use super::parse::Reader;
use super::{SettingsError, parse};
use crate::mcp::PATH;

/// Settings of the Model Context Protocol.
#[derive(Clone, Debug)]
pub struct Mcp {
    /// What each tool's name begins with.
    pub tool_prefix: String,
    /// Seconds that a call waits for a task at most.
    pub wait_seconds: u32,
    /// Longest life of a token with the scope `mcp`, in days; 0 is an hour, as for any token.
    pub token_days: u32,
    /// Tokens that are refused, by their `jti`.
    pub revoked_tokens: Vec<String>,
    /// The address of `/mcp`, as authorization servers know it.
    pub resource: Option<String>,
    /// Authorization servers whose tokens are taken, by their issuer.
    pub authorization_servers: Vec<String>,
}

impl Mcp {
    pub(super) fn read(read: &Reader<'_>) -> Result<Self, SettingsError> {
        let mcp = Mcp {
            tool_prefix: read.tool_prefix("MCP_TOOL_PREFIX", "mediagate_")?,
            wait_seconds: read.number("MCP_WAIT_SECONDS", 50, 0, 300)? as u32,
            token_days: read.number("MCP_TOKEN_DAYS", 90, 0, 366)? as u32,
            revoked_tokens: read.list("MCP_REVOKED_TOKENS"),
            resource: read.optional_url("MCP_RESOURCE")?,
            authorization_servers: read.issuers("MCP_AUTHORIZATION_SERVERS")?,
        };
        let is_ours = |it: &String| parse::path_of(it).is_some_and(|it| it == PATH);
        if !mcp.resource.as_ref().is_none_or(is_ours) {
            let problem = format!("is not the address of this gateway's {PATH}, without a query");
            return Err(SettingsError { setting: "MCP_RESOURCE", problem });
        }
        if !mcp.authorization_servers.is_empty() {
            let missing = [
                ("MCP_RESOURCE", mcp.resource.is_none()),
                ("SESSION_JWKS_URL", read.text("SESSION_JWKS_URL").is_none()),
            ];
            if let Some((setting, _)) = missing.into_iter().find(|it| it.1) {
                let problem = "is missing: MCP_AUTHORIZATION_SERVERS needs it".into();
                return Err(SettingsError { setting, problem });
            }
        }
        Ok(mcp)
    }
}
