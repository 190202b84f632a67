//! References to media that the gateway serves, and their URLs.

use mediagate_core::PREFIX;
use serde::{Deserialize, Serialize};

use super::{EntryRef, Sealer, TaskRef};
use crate::identity::Subject;

/// The kind of sealed id for media.
const KIND: &str = "medium";
/// The segment of the path before a sealed reference.
const SEGMENT: &str = "outputs/";

/// A medium that a response of the upstream contains as text. Its URL is the right to read it, like
/// a signed URL of a storage.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum MediumRef {
    /// A medium in the response to a create. The ledger of the owner stores the bytes.
    Create {
        owner: Subject,
        entry: EntryRef,
        /// The medium's position in the response.
        position: usize,
    },
    /// A medium in the record of a task, which the upstream stores.
    Task {
        task: TaskRef,
        /// The medium's position in the record.
        position: usize,
    },
}

impl MediumRef {
    /// Returns the medium's URL. `public_url` is the gateway's, without a slash at its end.
    pub(crate) fn url(&self, sealer: &Sealer, public_url: &str) -> String {
        // Serialising strings and numbers into memory can't fail.
        let text = serde_json::to_string(self).unwrap_or_default();
        let sealed = sealer.seal(&anyone(), KIND, &text);
        [public_url, PREFIX, SEGMENT, &sealed].concat()
    }

    /// Returns the medium that a sealed reference names.
    pub(crate) fn unseal(sealer: &Sealer, sealed: &str) -> Option<Self> {
        serde_json::from_str(&sealer.unseal(&anyone(), KIND, sealed)?).ok()
    }

    /// Returns the medium that a URL names, if it is one of the gateway's.
    pub(crate) fn of_url(sealer: &Sealer, url: &str) -> Option<Self> {
        let (_, sealed) = url.rsplit_once(&[PREFIX, SEGMENT].concat())?;
        MediumRef::unseal(sealer, sealed)
    }
}

/// Returns the subject of references. They are sealed for everybody, since a page loads an output
/// without a token.
fn anyone() -> Subject {
    Subject::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::Secret;

    #[test]
    fn a_url_names_its_medium_and_cannot_be_forged() {
        let sealer = Sealer::new(&[Secret::new("one")], "t".into());
        let medium = MediumRef::Create {
            owner: Subject {
                name: "ann".into(),
                ..Subject::default()
            },
            entry: EntryRef {
                number: 7,
                created_at: 5,
            },
            position: 1,
        };
        let url = medium.url(&sealer, "https://g.example");
        assert!(url.starts_with("https://g.example/api/app/v1/outputs/"));
        assert!(!url.contains("ann"));
        assert_eq!(MediumRef::of_url(&sealer, &url), Some(medium));

        let other = Sealer::new(&[Secret::new("two")], "t".into());
        assert_eq!(MediumRef::of_url(&other, &url), None);
        assert_eq!(MediumRef::of_url(&sealer, "https://g.example/x"), None);
    }
}
