//! The response with an upload URL (§4.1).

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use json_patch::jsonptr::PointerBuf;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::place::{at, place, place_optional};

/// The places of the parts of a response with an upload URL, from the outermost object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UploadResponseDialect {
    /// The upload URL.
    pub url: PointerBuf,
    /// The id that the file will have.
    pub file_id: PointerBuf,
    /// The HTTP method of the upload, or `None` if the response does not name it.
    pub method: Option<PointerBuf>,
    /// The headers of the upload, or `None` if the response does not name them.
    pub headers: Option<PointerBuf>,
    /// The form fields of the upload, or `None` if the response does not name them.
    pub fields: Option<PointerBuf>,
    /// The expiry of the URL, or `None` if the response does not name it.
    pub expires: Option<PointerBuf>,
    /// The form of `headers`.
    pub headers_as: HeadersForm,
    /// The form of `expires`.
    pub expiry: Expiry,
    /// Further members, by their place.
    pub extra: BTreeMap<PointerBuf, Extra>,
}

/// The form of the upload's headers in the response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadersForm {
    /// `{"content-type": "image/png"}`.
    #[default]
    Object,
    /// `[{"name": "content-type", "value": "image/png"}]`.
    List,
}

/// The form of an upload URL's expiry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expiry {
    /// Seconds from now.
    #[default]
    Seconds,
    /// A date as in RFC 3339.
    Date,
    /// Milliseconds since 1970.
    Milliseconds,
}

/// A further member of a response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extra {
    /// A new random id in each response, such as the id of the request.
    RandomId,
    /// A URL that looks like the file's later address. It is not served.
    DownloadUrl,
    /// A constant value.
    Constant(Value),
}

impl Default for UploadResponseDialect {
    fn default() -> Self {
        UploadResponseDialect {
            url: at("/data/upload_url"),
            file_id: at("/data/file_id"),
            method: None,
            headers: None,
            fields: None,
            expires: Some(at("/data/expires_in")),
            headers_as: HeadersForm::Object,
            expiry: Expiry::Seconds,
            extra: BTreeMap::new(),
        }
    }
}

/// An upload URL that was issued.
pub(crate) struct IssuedUpload<'a> {
    /// The URL that callers use.
    pub(crate) base_url: &'a str,
    pub(crate) url: String,
    pub(crate) file_id: String,
    pub(crate) lifetime: Duration,
    pub(crate) method: &'static str,
    /// The headers of the upload.
    pub(crate) headers: BTreeMap<String, String>,
    /// The form fields of the upload.
    pub(crate) fields: BTreeMap<String, String>,
}

impl UploadResponseDialect {
    /// Puts the parts of an upload URL into a response.
    pub(super) fn fill(&self, response: &mut Value, upload: IssuedUpload<'_>) {
        let download_url = format!("{}/files/{}", upload.base_url, upload.file_id);
        place(response, &self.url, upload.url.into());
        place(response, &self.file_id, upload.file_id.into());
        let optional = [
            (&self.expires, self.expiry(upload.lifetime)),
            (&self.method, json!(upload.method)),
            (&self.headers, self.headers(&upload.headers)),
            (&self.fields, json!(upload.fields)),
        ];
        for (pointer, value) in optional {
            place_optional(response, pointer, value);
        }
        for (pointer, extra) in &self.extra {
            let value = match extra {
                Extra::RandomId => json!(Uuid::new_v4().to_string()),
                Extra::DownloadUrl => json!(download_url),
                Extra::Constant(value) => value.clone(),
            };
            place(response, pointer, value);
        }
    }

    fn expiry(&self, lifetime: Duration) -> Value {
        match self.expiry {
            Expiry::Seconds => json!(lifetime.as_secs()),
            Expiry::Date => json!((Timestamp::now() + lifetime).to_string()),
            Expiry::Milliseconds => json!((Timestamp::now() + lifetime).as_millisecond()),
        }
    }

    fn headers(&self, headers: &BTreeMap<String, String>) -> Value {
        match self.headers_as {
            HeadersForm::Object => json!(headers),
            HeadersForm::List => headers
                .iter()
                .map(|(name, value)| json!({ "name": name, "value": value }))
                .collect(),
        }
    }
}
