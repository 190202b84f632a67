use mediagate_access::refusal::Refusal;
use mediagate_core::{PREFIX, Reason};
use mediagate_upstream::UploadTarget;
use serde_json::Value;
use url::Url;

use super::UpstreamClient;

/// The longest upload URL, in bytes. A relay ticket contains the sealed URL in a path.
const MAX_URL_LEN: usize = 4096;

impl UpstreamClient<'_> {
    /// Requests an upload URL for `{file_name, content_type, size}` and optionally `title` (§4.1).
    /// The URL is of the bucket or has a host that `UPLOAD_HOSTS` lists. 502 if the response has no
    /// upload URL or one with another host; 422 if the upstream is a module and there is no bucket.
    pub async fn upload_url(&self, input: &Value) -> Result<(Url, UploadTarget), Refusal> {
        if self.uploads_to_bucket() {
            return self.upload_to_bucket(input);
        }
        let settings = &self.upstream.settings;
        if settings.service.is_module() {
            return Err(Refusal::from(Reason::NoUploads));
        }
        let path = [PREFIX, "upload_urls"].concat();
        let dialect = &settings.dialect.upload;
        let response = self
            .fetch("POST", &path, Some(&dialect.body(input).to_string()))
            .await?;
        let upload = dialect
            .read(&response)
            .filter(|upload| upload.url.len() <= MAX_URL_LEN);
        let upload = upload.ok_or(Reason::NoUploadUrl)?;
        match settings.upload_hosts.allowed(&upload.url) {
            Some(url) => Ok((url, upload)),
            None => {
                let message = "the media service named an upload URL whose host UPLOAD_HOSTS does \
                    not list, or that has a character which no URL needs";
                Err(Refusal::new(Reason::UploadHostNotAllowed, message))
            }
        }
    }
}
