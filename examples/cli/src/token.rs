//! A session token for a gateway on this machine, as a backend signs one.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::json;

/// The file with the settings of a gateway on this machine.
const SETTINGS: &str = ".dev.vars";
/// How long the token is good.
const LIFETIME: Duration = Duration::from_secs(3600);

/// A token that is signed with the secret of the gateway on this machine.
///
/// # Errors
/// When this folder has no settings of a gateway, or the secret is not among them.
pub(crate) fn local() -> Result<String> {
    let remedy = "give a session token with --token or MEDIAGATE_TOKEN, or start this in the folder of a gateway on this machine";
    let settings = fs::read_to_string(SETTINGS).with_context(|| format!("there is no {SETTINGS} here; {remedy}"))?;
    let secret = settings.lines().find_map(|it| it.trim().strip_prefix("SESSION_SECRET="));
    let secret =
        secret.with_context(|| format!("{SETTINGS} has no SESSION_SECRET; {remedy}"))?.trim().trim_matches('"');
    // During a rotation there are two, the current one first.
    let secret = secret.split(',').next().unwrap_or_default();
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let claims = json!({
        "sub": "media-cli",
        "aud": "mediagate",
        "scope": "generate:* process:* upload",
        "iat": now.as_secs(),
        "exp": (now + LIFETIME).as_secs(),
    });
    Ok(encode(&Header::default(), &claims, &EncodingKey::from_secret(secret.as_bytes()))?)
}
