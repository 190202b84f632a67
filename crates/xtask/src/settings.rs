//! `.dev.vars`: the gateway's settings on this machine, read by wrangler.
//!
//! Written once, readable by this user only, with random secrets. Existing settings stay, so that you can point the
//! gateway at the real media service.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use crate::checkout::Checkout;

/// The file, in the checkout's root.
const FILE: &str = ".dev.vars";
/// The first line of a new file.
const HEADER: &str =
    "# Settings of the gateway on this machine, made by `cargo xtask dev`. Secrets: never commit this file.\n";

/// The settings by name. No `Debug`, so that no secret is printed.
pub(crate) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Adds the missing settings to the file, and reads it.
    ///
    /// # Errors
    /// When it can be neither read nor written, or the system has no randomness.
    pub(crate) fn ensure(checkout: &Checkout) -> Result<Self> {
        let path = checkout.path(FILE);
        let text = fs::read_to_string(&path).unwrap_or_else(|_| HEADER.to_owned());
        let missing = missing(&text)?;
        write_private(&path, &(text + &missing)).with_context(|| format!("{FILE} cannot be written"))?;
        let text = fs::read_to_string(&path).with_context(|| format!("{FILE} cannot be read"))?;
        Ok(Self(parse(&text)))
    }

    /// The value of a setting; empty where it is missing.
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

/// The lines of the local settings that are missing.
fn missing(text: &str) -> Result<String> {
    let present = parse(text);
    let defaults = [
        ("UPSTREAM_BASE_URL", "http://127.0.0.1:8788".to_owned()),
        ("UPSTREAM_API_KEY", secret()?),
        ("SESSION_SECRET", secret()?),
        ("SEAL_SECRET", secret()?),
        // Pages of this machine, such as those of the examples.
        ("ALLOWED_ORIGINS", "http://127.0.0.1:*,http://localhost:*".to_owned()),
        ("ANONYMOUS_SESSIONS", "on".to_owned()),
        ("UPLOAD_HOSTS", "127.0.0.1".to_owned()),
        ("OUTPUT_HOSTS", "127.0.0.1".to_owned()),
        ("MEDIA_HOSTS", "http://127.0.0.1:8788".to_owned()),
        // The emulator's avatars and voices.
        ("PUBLIC_ASSETS", "*".to_owned()),
    ];
    let lines = defaults.into_iter().filter(|(name, _)| !present.contains_key(*name));
    Ok(lines.map(|(name, value)| format!("{name}={value}\n")).collect())
}

fn parse(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().trim_matches('"').to_owned())).collect()
}

/// 32 random bytes as hexadecimal digits.
fn secret() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("this system has no randomness ({error})"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // The mode above applies to a new file only.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_gets_every_setting_and_different_secrets() {
        let settings = parse(&missing(HEADER).unwrap());
        assert_eq!(settings["UPSTREAM_BASE_URL"], "http://127.0.0.1:8788");
        assert_eq!(settings["SEAL_SECRET"].len(), 64);
        assert_ne!(settings["SEAL_SECRET"], settings["SESSION_SECRET"]);
    }

    #[test]
    fn existing_settings_stay() {
        let added = missing("UPSTREAM_BASE_URL=\"https://service.example\"\n").unwrap();
        assert!(!added.contains("UPSTREAM_BASE_URL"), "{added}");
        assert!(added.contains("SESSION_SECRET="), "{added}");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, "A=b\n").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        write_private(&path, "A=b\n").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
