//! Settings of Turnstile, Cloudflare's check that a person uses the page.

use super::SettingsError;
use super::origins::host;
use super::parse::{SettingsReader, wrong};
use crate::crypto::Secret;

/// Settings of Turnstile.
#[derive(Clone, Debug)]
pub struct TurnstileSettings {
    /// The widget's secret.
    pub secret: Secret,
    /// The URL of the verification.
    pub url: String,
    /// Hosts of the pages that the widget may have been on.
    pub hostnames: Vec<String>,
    /// The widget's action; `None` accepts any.
    pub action: Option<String>,
}

impl TurnstileSettings {
    /// Reads the settings. Returns `None` if there is no secret, which means that Turnstile is off.
    /// By default the widget may be on every allowed origin.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub(super) fn read(
        read: &SettingsReader<'_>,
        origins: &[String],
    ) -> Result<Option<Self>, SettingsError> {
        let url = read.optional_url("TURNSTILE_URL")?;
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
                "holds a star; list exact hosts, or leave the setting out for the hosts of \
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

#[cfg(test)]
mod tests {
    use super::*;

    fn hostnames(listed: &str) -> Result<Vec<String>, &'static str> {
        let get = |name: &'static str| match name {
            "TURNSTILE_SECRET" => Some("secret".to_owned()),
            "TURNSTILE_HOSTNAMES" => Some(listed.to_owned()),
            _ => None,
        };
        let origins = ["https://*-myteam.vercel.app".to_owned()];
        match TurnstileSettings::read(&SettingsReader(&get), &origins) {
            Ok(settings) => Ok(settings.expect("a secret is set").hostnames),
            Err(error) => Err(error.setting),
        }
    }

    #[test]
    fn only_the_hosts_of_origins_have_stars() {
        assert_eq!(hostnames(""), Ok(vec!["*-myteam.vercel.app".to_owned()]));
        assert_eq!(hostnames("a.example"), Ok(vec!["a.example".to_owned()]));
        assert_eq!(
            hostnames("a.example, *.pages.dev"),
            Err("TURNSTILE_HOSTNAMES")
        );
    }
}
