use mediagate_core::PREFIX;
use serde::{Deserialize, Serialize};

use super::Sealer;
use super::medium_ref::{KIND, MediumRef, SEGMENT, output_url};

const FILE: &str = "output path";
const UPLOAD: &str = "stored upload";

/// The longest path of a module that is sealed, in bytes.
const MAX_LEN: usize = 2048;

/// A file that the gateway serves at a URL of its own. The URL is the right to read it, like a
/// signed URL of a storage.
#[derive(Clone, Debug, PartialEq)]
pub enum ServedFile {
    Medium(MediumRef),
    OfModule(ModuleFile),
    Upload(StoredUpload),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredUpload {
    pub key: String,
    /// In bytes.
    pub size: u64,
    /// In milliseconds since 1970.
    pub expires_at: f64,
}

impl StoredUpload {
    /// `public_url` has no slash at its end.
    pub fn url(&self, sealer: &Sealer, public_url: &str) -> String {
        output_url(public_url, &sealer.seal_for_all(UPLOAD, self))
    }
}

/// A file that a module names by a path of its own, such as one that needs the provider's key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModuleFile {
    /// Begins with one slash.
    pub path: String,
}

impl ServedFile {
    pub fn unseal(sealer: &Sealer, sealed: &str) -> Option<Self> {
        let medium = sealer.unseal_for_all(KIND, sealed);
        let file = || sealer.unseal_for_all(FILE, sealed);
        let upload = || sealer.unseal_for_all(UPLOAD, sealed);
        medium
            .map(ServedFile::Medium)
            .or_else(|| file().map(ServedFile::OfModule))
            .or_else(|| upload().map(ServedFile::Upload))
    }

    pub fn of_url(sealer: &Sealer, url: &str) -> Option<Self> {
        let (_, sealed) = url.rsplit_once(&[PREFIX, SEGMENT].concat())?;
        ServedFile::unseal(sealer, sealed)
    }
}

impl ModuleFile {
    /// Returns `None` for a text that is no path of a file. A URL could begin with two slashes, and
    /// a path of the service's API names no file.
    pub fn at(path: &str) -> Option<Self> {
        let is_path = path.starts_with('/')
            && !path.starts_with("//")
            && !path.starts_with(PREFIX)
            && !path.contains("..")
            && path.len() <= MAX_LEN
            && path
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !b"\\#".contains(&byte));
        is_path.then(|| ModuleFile {
            path: path.to_owned(),
        })
    }

    /// `public_url` has no slash at its end.
    pub fn url(&self, sealer: &Sealer, public_url: &str) -> String {
        output_url(public_url, &sealer.seal_for_all(FILE, self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_access::crypto::Secret;

    #[test]
    fn a_file_of_a_module_is_named_by_its_path_and_cannot_be_forged() {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let file = ModuleFile::at("/outputs/7?part=unlisted").expect("a path");
        let url = file.url(&sealer, "https://g.example");
        assert!(url.starts_with("https://g.example/api/app/v1/outputs/"));
        assert!(!url.contains("unlisted"));
        let served = Some(ServedFile::OfModule(file));
        assert_eq!(ServedFile::of_url(&sealer, &url), served);
        let other = Sealer::new(&[Secret::new("two")], "t".into());
        assert_eq!(ServedFile::of_url(&other, &url), None);
        for text in [
            "",
            "outputs/7",
            "//host/x",
            "/a b",
            "/\\host",
            "/é",
            "https://h/x",
            "/a#b",
            "/a/../b",
            "/api/app/v1/models",
        ] {
            assert_eq!(ModuleFile::at(text), None, "{text}");
        }
        assert_eq!(ModuleFile::at(&format!("/{}", "x".repeat(MAX_LEN))), None);
    }
}
