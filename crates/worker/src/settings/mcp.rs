//! Settings for agents: the names of tools, the waits of calls, and agents' tokens with their
//! issuers.

use super::parse::{SettingsReader, wrong};
use super::{SettingsError, url};

/// The path of the Model Context Protocol.
pub(crate) const MCP_PATH: &str = "/mcp";

/// Settings of the Model Context Protocol.
#[derive(Clone, Debug)]
pub struct McpSettings {
    /// The prefix of every tool's name.
    pub tool_prefix: String,
    /// The maximum time that a call waits for a task, in seconds.
    pub wait_seconds: u32,
    /// The maximum life of a token with the scope `mcp`, in days; 0 allows an hour, as for any
    /// token.
    pub token_days: u32,
    /// The `jti` of revoked tokens.
    pub revoked_tokens: Vec<String>,
    /// The URL of `/mcp`, which is the audience of tokens of authorization servers.
    pub resource: Option<String>,
    /// The issuers of accepted tokens, which are authorization servers.
    pub authorization_servers: Vec<String>,
}

impl McpSettings {
    /// Reads the settings.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub(super) fn read(read: &SettingsReader<'_>) -> Result<Self, SettingsError> {
        let mcp = McpSettings {
            tool_prefix: read.tool_prefix("MCP_TOOL_PREFIX", "mediagate_")?,
            wait_seconds: read.number("MCP_WAIT_SECONDS", 50, 0, 300)? as u32,
            token_days: read.number("MCP_TOKEN_DAYS", 90, 0, 366)? as u32,
            revoked_tokens: read.token_ids("MCP_REVOKED_TOKENS")?,
            resource: read.optional_url("MCP_RESOURCE")?,
            authorization_servers: read.issuers("MCP_AUTHORIZATION_SERVERS")?,
        };
        let is_ours = |url: &String| url::path(url).is_some_and(|path| path == MCP_PATH);
        if !mcp.resource.as_ref().is_none_or(is_ours) {
            let problem = format!("is not the URL of this gateway's {MCP_PATH}, without a query");
            return wrong("MCP_RESOURCE", problem);
        }
        if !mcp.authorization_servers.is_empty() {
            let missing = [
                ("MCP_RESOURCE", mcp.resource.is_none()),
                ("SESSION_JWKS_URL", read.text("SESSION_JWKS_URL").is_none()),
            ];
            if let Some((setting, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
                return wrong(setting, "is missing: MCP_AUTHORIZATION_SERVERS needs it");
            }
        }
        Ok(mcp)
    }
}
