//! Uploads (§4.1): which requests the emulator accepts for an upload URL, and how it takes the bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{upload_request::UploadRequestDialect, upload_response::UploadResponseDialect};

/// The placeholder of the file's id in the path of the request that confirms it.
pub(super) const FILE_ID: &str = "{file_id}";

/// The whole upload exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UploadDialect {
    /// The request for an upload URL.
    pub request: UploadRequestDialect,
    /// Its response.
    pub response: UploadResponseDialect,
    /// How the bytes are sent.
    pub send: Transfer,
    /// Whether the request with the bytes must have the API key, as other requests; without it, code 13.
    pub requires_key: bool,
    /// The path of a POST that confirms a file after its upload, with the segment `{file_id}`. A create with a file that
    /// isn't confirmed is refused with code 12. `None`: files need no such request.
    pub confirm: Option<String>,
}

/// How the bytes are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transfer {
    /// PUT, with any headers.
    #[default]
    Put,
    /// PUT with the headers that the response names: a random signature, and the content type; without them, HTTP 403.
    SignedPut,
    /// POST of `multipart/form-data` with the fields that the response names, before the file: a random policy and
    /// signature; without them, HTTP 403.
    Form,
}

impl Transfer {
    /// The HTTP method.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Transfer::Put | Transfer::SignedPut => "PUT",
            Transfer::Form => "POST",
        }
    }

    /// The headers that a new upload names: the announced content type and, where they are signed, a random signature. A
    /// form has a content type of its own.
    pub(crate) fn headers(self, content_type: Option<&str>) -> BTreeMap<String, String> {
        let named = content_type
            .filter(|_| self != Transfer::Form)
            .map(|it| ("content-type".into(), it.into()));
        let signature =
            (self == Transfer::SignedPut).then(|| ("x-storage-signature".into(), secret()));
        named.into_iter().chain(signature).collect()
    }

    /// The fields that a new upload names: for a form, a random policy and signature.
    pub(crate) fn fields(self) -> BTreeMap<String, String> {
        match self {
            Transfer::Put | Transfer::SignedPut => BTreeMap::new(),
            Transfer::Form => ["policy", "signature"]
                .map(|it| (it.into(), secret()))
                .into(),
        }
    }
}

fn secret() -> String {
    Uuid::new_v4().simple().to_string()
}
