use mediagate_access::crypto::Secret;

use super::origins::host;
use super::parse::{Read, SettingsReader, safe_url, wrong};

/// Turnstile is Cloudflare's check that a person uses the page.
#[derive(Clone, Debug)]
pub struct TurnstileSettings {
    pub secret: Secret,
    pub url: String,
    /// The hosts of the pages that the widget may have been on.
    pub hostnames: Vec<String>,
    /// The widget's action; `None` accepts any.
    pub action: Option<String>,
}

impl TurnstileSettings {
    /// Reads the settings. Returns `None` without a secret: Turnstile is off. By default the widget
    /// may be on every allowed origin.
    pub(super) fn read(read: &SettingsReader<'_>, origins: &[String]) -> Read<Option<Self>> {
        let url = read.parsed("TURNSTILE_URL", safe_url)?;
        let action = read.text("TURNSTILE_ACTION");
        let mut hostnames = read.list("TURNSTILE_HOSTNAMES");
        // All settings are read first. A command that lists the known settings needs them although
        // Turnstile is off.
        let Some(secret) = read.text("TURNSTILE_SECRET").map(Secret::new) else {
            return Ok(None);
        };
        if hostnames.iter().any(|hostname| hostname.contains('*')) {
            return wrong(
                "TURNSTILE_HOSTNAMES",
                "has a star; list exact hosts, or leave the setting out for the hosts of \
                 ALLOWED_ORIGINS",
            );
        }
        if hostnames.is_empty() {
            hostnames = origins.iter().filter_map(|origin| host(origin)).collect();
        }
        Ok(Some(TurnstileSettings {
            secret,
            url: url.unwrap_or_else(|| {
                "https://challenges.cloudflare.com/turnstile/v0/siteverify".into()
            }),
            hostnames,
            action,
        }))
    }
}
