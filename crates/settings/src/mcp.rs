use mediagate_core::claims::{MAX_AGENT_DAYS, MAX_TOKEN_ID};
use url::Url;

use super::parse::{Read, SettingsReader, required, safe_url, valid, wrong};
use super::url::{has_no_credentials, has_no_query, is_safe};

pub const MCP_PATH: &str = "/mcp";

#[derive(Clone, Debug)]
pub struct McpSettings {
    pub tool_prefix: String,
    /// The maximum time that a call waits for a task.
    pub wait_seconds: u32,
    /// The maximum life of a token with the scope `mcp`; 0 allows an hour, as for any token.
    pub token_days: u32,
    pub revoked_tokens: Vec<String>,
    /// The URL of `/mcp`, the audience of tokens of authorization servers.
    pub resource: Option<String>,
    pub authorization_servers: Vec<String>,
}

impl McpSettings {
    pub(super) fn read(read: &SettingsReader<'_>) -> Read<Self> {
        let mcp = McpSettings {
            tool_prefix: read
                .parsed("MCP_TOOL_PREFIX", tool_prefix)?
                .unwrap_or_else(|| "mediagate_".to_owned()),
            wait_seconds: read.number("MCP_WAIT_SECONDS", 50, 0..=300)?,
            token_days: read.number("MCP_TOKEN_DAYS", 90, 0..=MAX_AGENT_DAYS)?,
            revoked_tokens: read.parsed_list("MCP_REVOKED_TOKENS", token_id)?,
            resource: read.parsed("MCP_RESOURCE", safe_url)?,
            authorization_servers: read.parsed_list("MCP_AUTHORIZATION_SERVERS", issuer)?,
        };
        if let Some(resource) = &mcp.resource
            && !is_mcp(resource)
        {
            let problem = format!("is not the URL of this gateway's {MCP_PATH}, without a query");
            return wrong("MCP_RESOURCE", problem);
        }
        if !mcp.authorization_servers.is_empty() {
            let missing = "is missing: MCP_AUTHORIZATION_SERVERS needs it";
            required("MCP_RESOURCE", mcp.resource.as_ref(), missing)?;
            required("SESSION_JWKS_URL", read.text("SESSION_JWKS_URL"), missing)?;
        }
        Ok(mcp)
    }
}

fn is_mcp(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.path() == MCP_PATH && has_no_query(&url))
}

/// Parses the prefix of tools' names. Agents accept only names of certain characters and lengths.
fn tool_prefix(prefix: &str) -> Result<String, &'static str> {
    let is_valid = prefix.len() <= 24
        && prefix
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let problem = "is not a prefix of tool names; give at most 24 letters, digits, _, - or .";
    valid(prefix, is_valid, problem)
}

fn issuer(text: &str) -> Result<String, &'static str> {
    match Url::parse(text) {
        Ok(url) if is_safe(&url) && has_no_credentials(&url) && has_no_query(&url) => {
            Ok(text.to_owned())
        }
        _ => Err(
            "has an entry that is not the https address of an issuer; give one such as \
             https://login.example.com, without credentials and without a query",
        ),
    }
}

/// Parses the id of a token (`jti`). Refuses an id that no token can have: the entry would revoke
/// nothing, and the operator would not notice.
fn token_id(id: &str) -> Result<String, &'static str> {
    let problem = "has an entry that is not the jti of a token; give ids of 1 to 128 visible ASCII \
        characters, separated by commas";
    valid(id, is_revocable_id(id), problem)
}

/// Returns true if an id has 1 to 128 visible ASCII characters without a comma, which separates the
/// ids of `MCP_REVOKED_TOKENS`.
pub fn is_revocable_id(id: &str) -> bool {
    (1..=MAX_TOKEN_ID).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b',')
}
