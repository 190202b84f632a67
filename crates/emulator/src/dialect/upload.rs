//! Uploads (§4.1): the request for an upload URL, its response, and the transfer of the bytes.

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
    /// The response with the upload URL.
    pub response: UploadResponseDialect,
    /// The form of the request with the bytes.
    pub send: Transfer,
    /// True if the request with the bytes must have the API key, as all other requests. Without the
    /// key, the response has code 13.
    pub requires_key: bool,
    /// The path of a POST that confirms a file after its upload, with the segment `{file_id}`. A
    /// create with an unconfirmed file is refused with code 12. `None` if files need no
    /// confirmation.
    pub confirm: Option<String>,
}

/// The form of the request with the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transfer {
    /// PUT, with any headers.
    #[default]
    Put,
    /// PUT with the headers that the response names: a random signature, and the content type.
    /// Without these headers, the response is HTTP 403.
    SignedPut,
    /// POST of `multipart/form-data`. The fields that the response names, a random policy and
    /// signature, are before the file. Without these fields, the response is HTTP 403.
    Form,
}

impl Transfer {
    /// Returns the HTTP method.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Transfer::Put | Transfer::SignedPut => "PUT",
            Transfer::Form => "POST",
        }
    }

    /// Returns the headers that a new upload names: the announced content type and, for a signed
    /// PUT, a random signature. A form has no such headers, as its content type is its own.
    pub(crate) fn headers(self, content_type: Option<&str>) -> BTreeMap<String, String> {
        let named = content_type
            .filter(|_| self != Transfer::Form)
            .map(|media_type| ("content-type".into(), media_type.into()));
        let signature =
            (self == Transfer::SignedPut).then(|| ("x-storage-signature".into(), secret()));
        named.into_iter().chain(signature).collect()
    }

    /// Returns the form fields that a new upload names: for a form, a random policy and signature.
    pub(crate) fn fields(self) -> BTreeMap<String, String> {
        match self {
            Transfer::Put | Transfer::SignedPut => BTreeMap::new(),
            Transfer::Form => ["policy", "signature"]
                .map(|name| (name.into(), secret()))
                .into(),
        }
    }
}

fn secret() -> String {
    Uuid::new_v4().simple().to_string()
}
