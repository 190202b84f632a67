//! The files of callers in the operator's bucket, with `UPLOAD_MODE=bucket`.
//!
//! The id of a file is its key in the bucket, with its type, name and size. It becomes an object with
//! a signed URL when a request is sent, not before: repeated creates have one fingerprint, and a step
//! of a pipeline may run long after its start.
//!
//! A bucket with a key signs URLs. One that is only a binding can't, so uploads are relayed, and a
//! provider loads a file through the gateway.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use futures_util::future::try_join_all;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::{Named, StoredUpload, named};
use mediagate_platform::http::{request_init, within};
use mediagate_platform::{date, now_ms, random_name};
use mediagate_settings::{UPLOADS, UploadMode};
use mediagate_upstream::UploadTarget;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;
use web_sys::{Request, Response};

use super::client::BUCKET_URL;
use super::{Upstream, UpstreamClient};

/// The lifetime of the URL that a page uploads to.
const UPLOAD_LASTS: Duration = Duration::from_secs(60 * 60);
/// The lifetime of the URL that a provider loads a file from. Its queue may be long.
const FILE_LASTS: Duration = Duration::from_secs(24 * 60 * 60);
/// The lifetime of the URL that the gateway checks a file at.
const CHECK_LASTS: Duration = Duration::from_secs(60);
/// The longest wait of a create for the check of its files. See the deadline in `submit.rs`.
const CHECK_DEADLINE: Duration = Duration::from_secs(5);

/// A file in the bucket. Its JSON is the id of the file, which callers get sealed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct BucketFile {
    key: String,
    #[serde(rename = "type")]
    content_type: String,
    name: String,
    /// In bytes.
    size: u64,
}

impl BucketFile {
    /// Reads the id of a file. `None` for any other text, and for a key that is none of an upload.
    fn of_id(id: &str) -> Option<Self> {
        let file: BucketFile = serde_json::from_str(id).ok()?;
        Some(file).filter(|file| file.key.starts_with(UPLOADS))
    }
}

impl UpstreamClient<'_> {
    pub(super) fn uploads_to_bucket(&self) -> bool {
        self.upstream.settings.upload_mode == UploadMode::Bucket
    }

    /// Returns an upload for a request `{file_name, content_type, size}`. The bucket accepts only a
    /// file with this type and this size. 500 if the host has no random bytes.
    pub(super) fn upload_to_bucket(&self, request: &Value) -> Result<(Url, UploadTarget), Refusal> {
        let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        let random = random_name();
        if random.is_empty() {
            return Err(Refusal::from(Reason::RelayFailed));
        }
        let file = BucketFile {
            key: [UPLOADS, &random].concat(),
            // A signature has each run of spaces as one.
            content_type: text("content_type")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            name: text("file_name"),
            size: request["size"].as_u64().unwrap_or_default(),
        };
        let size = file.size.to_string();
        let headers = [
            ("content-type", file.content_type.as_str()),
            ("content-length", size.as_str()),
        ];
        let url = match &self.upstream.settings.results {
            Some(bucket) => bucket.upload_url(&file.key, &headers, UPLOAD_LASTS, &date(now_ms())),
            None => url_in_binding(&file.key)?,
        };
        let upload = UploadTarget {
            url: url.as_str().to_owned(),
            file_id: json!(file).to_string(),
            method: Some("PUT"),
            headers: BTreeMap::from([("content-type".to_owned(), file.content_type)]),
            fields: BTreeMap::new(),
            expires_at: Some(UPLOAD_LASTS.as_secs().into()),
        };
        Ok((url, upload))
    }

    /// Checks that the files of a create are in the bucket. A create without its file would be
    /// charged, and fail. `text` is the JSON of the create's body. 422 if a file is not there, 502
    /// if the bucket does not respond in time.
    pub(super) async fn check_bucket_files(&self, text: &str) -> Result<(), Refusal> {
        let checks = files_in(text).into_iter().map(async |file| {
            let url = match &self.upstream.settings.results {
                Some(bucket) => bucket.file_url("HEAD", &file.key, CHECK_LASTS, &date(now_ms())),
                None => url_in_binding(&file.key)?,
            };
            let request = request_init("HEAD", &[])
                .and_then(|init| Request::new_with_str_and_init(url.as_str(), &init))
                .map_err(|_| Reason::StorageUnreachable)?;
            let response = self.upstream.send_to_storage(&request).await;
            match response.map(|response| response.status()) {
                Some(200) => Ok(()),
                // Without the right to list objects, a missing one is forbidden.
                Some(403 | 404) => Err(Refusal::from(Reason::FileNotUploaded)),
                _ => Err(Refusal::from(Reason::StorageUnreachable)),
            }
        });
        within(CHECK_DEADLINE, try_join_all(checks))
            .await
            .ok_or(Reason::StorageUnreachable)??;
        Ok(())
    }

    /// Returns the JSON of a request with an object `{url, type, name, size}` in the place of each
    /// file id, if uploads go to the bucket. `private` is true if no provider can load the URL.
    pub fn with_file_urls(&self, text: String) -> String {
        if !self.uploads_to_bucket() {
            return text;
        }
        let Ok(mut body) = serde_json::from_str(&text) else {
            return text; // the gateway's own JSON is valid
        };
        let is_private = self.upstream.settings.bucket_private;
        let now = now_ms();
        let date = date(now);
        visit_files(&mut body, "", &mut |value, file| {
            let url = match &self.upstream.settings.results {
                Some(bucket) => bucket
                    .file_url("GET", &file.key, FILE_LASTS, &date)
                    .to_string(),
                None => StoredUpload {
                    key: file.key,
                    size: file.size,
                    expires_at: now + FILE_LASTS.as_millis() as f64,
                }
                .url(&self.upstream.sealer, self.public_url),
            };
            *value = json!({
                "url": url, "type": file.content_type, "name": file.name, "size": file.size,
            });
            if is_private {
                value["private"] = true.into();
            }
        });
        body.to_string()
    }
}

fn url_in_binding(key: &str) -> Result<Url, Refusal> {
    Url::parse(&[BUCKET_URL, key].concat()).map_err(|_| Reason::StorageUnreachable.into())
}

impl Upstream {
    /// Requests some bytes of an upload in the bucket that is a binding. 404 if the bucket does not
    /// have the upload, or if its URL has expired; 502 without a response.
    pub async fn open_upload(
        &self,
        upload: &StoredUpload,
        bytes: &Range<u64>,
    ) -> Result<Response, Refusal> {
        if now_ms() >= upload.expires_at {
            return Err(Refusal::from(Reason::UnknownOutput));
        }
        let url = url_in_binding(&upload.key)?;
        let range = format!("bytes={}-{}", bytes.start, bytes.end.saturating_sub(1));
        let request = request_init("GET", &[("range", &range)])
            .and_then(|init| Request::new_with_str_and_init(url.as_str(), &init))
            .map_err(|_| Reason::UnknownOutput)?;
        let response = self.send_to_storage(&request).await;
        let response = response.ok_or(Reason::OutputUnavailable)?;
        match response.status() {
            200 => Ok(response),
            _ => Err(Refusal::from(Reason::UnknownOutput)),
        }
    }
}

fn files_in(text: &str) -> Vec<BucketFile> {
    let mut files = Vec::new();
    if let Ok(mut body) = serde_json::from_str(text) {
        visit_files(&mut body, "", &mut |_, file| files.push(file));
    }
    files
}

/// Calls `visit` with each id of a file. It is under a name that may be an id's, where only ids
/// that were sealed for the caller can be. A text that only looks like an id, such as a prompt, is
/// left out.
fn visit_files(value: &mut Value, name: &str, visit: &mut dyn FnMut(&mut Value, BucketFile)) {
    match value {
        Value::String(text) => {
            let file = BucketFile::of_id(text).filter(|_| named(name) != Named::Other);
            if let Some(file) = file {
                visit(value, file);
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| visit_files(item, name, visit)),
        Value::Object(members) => {
            for (member, value) in members.iter_mut() {
                visit_files(value, member, visit);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_visited_under_their_names_only() {
        let id = |key: &str| {
            let file = BucketFile {
                key: key.into(),
                content_type: "image/png".into(),
                name: "a.png".into(),
                size: 5,
            };
            json!(file).to_string()
        };
        let [own, result] = [id("uploads/a"), id("results/a")];
        let mut body = json!({
            "file_id": own, "image_file_ids": [own, "other"], "prompt": own,
            "input": {"audio_file_id": own, "title": own}, "reference_file": own,
            "other_file_id": result,
        });
        visit_files(&mut body, "", &mut |value, file| *value = file.key.into());
        assert_eq!(
            body,
            json!({
                "file_id": "uploads/a", "image_file_ids": ["uploads/a", "other"], "prompt": own,
                "input": {"audio_file_id": "uploads/a", "title": own},
                "reference_file": "uploads/a", "other_file_id": result,
            })
        );
    }
}
