use std::hash::{DefaultHasher, Hash, Hasher};

use mediagate_upstream::InlineMedium;

use super::redact::Redactor;

const MAX_MEDIA: usize = 100;

#[derive(Clone, PartialEq)]
pub struct Medium {
    /// A media type that is safe to serve.
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl Medium {
    /// Returns the bytes of a medium, unless they contain the API key.
    pub(super) fn decoded(medium: &InlineMedium<'_>, redactor: &Redactor) -> Option<Self> {
        let bytes = medium.decode()?;
        // The redactor does not find a key in base64 that is broken into lines.
        let is_secret = redactor.is_in(&bytes);
        (!is_secret).then(|| Medium {
            media_type: medium.media_type.to_owned(),
            bytes,
        })
    }
}

/// The positions of the media in a response. Equal media have one position.
#[derive(Default)]
pub(super) struct Positions(Vec<u64>);

impl Positions {
    /// Returns the position of a medium, and true if it is new. Returns `None` if there are too
    /// many media.
    pub(super) fn of(&mut self, medium: &InlineMedium<'_>) -> Option<(usize, bool)> {
        let mut hasher = DefaultHasher::new();
        medium.hash(&mut hasher);
        let hash = hasher.finish();
        let known = self.0.iter().position(|other| *other == hash);
        if let Some(position) = known {
            return Some((position, false));
        }
        if self.0.len() >= MAX_MEDIA {
            return None;
        }
        self.0.push(hash);
        Some((self.0.len() - 1, true))
    }
}
