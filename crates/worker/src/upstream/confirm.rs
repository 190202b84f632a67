//! Confirms the files of a create, if the dialect has a request for that.

use std::time::Duration;

use futures_util::future::try_join_all;
use mediagate_core::{Capability, Kind, Reason};
use mediagate_dialect::{ConfirmDialect, path_segment};
use serde_json::Value;

use super::UpstreamClient;
use super::response::Failure;
use crate::crypto::hash;
use crate::platform::http::within;
use crate::refusal::Refusal;

/// The longest that a create waits for the confirmation of its files. Together with the deadline of
/// `assets.rs`, it is shorter than the grace that the ledger client adds to the create itself.
const DEADLINE: Duration = Duration::from_secs(5);

impl UpstreamClient<'_> {
    /// Confirms each file in the body of a create. Each isolate remembers the confirmed files, so a
    /// file may be confirmed again. A repetition does no harm.
    ///
    /// # Errors
    /// The refusal that the upstream's response means, or that it took too long. The create must
    /// not be sent then.
    pub(super) async fn confirm_files(
        &self,
        capability: &Capability,
        body: &str,
    ) -> Result<(), Refusal> {
        let Some(dialect) = &self.upstream.settings.dialect.upload.confirm else {
            return Ok(());
        };
        // The ledger stores the body as text. It was written by the gateway.
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let confirms = file_ids(capability, &body)
            .into_iter()
            .map(|file_id| self.confirm(dialect, file_id));
        within(DEADLINE, try_join_all(confirms))
            .await
            .ok_or_else(|| Refusal::from(Reason::Deadline))??;
        Ok(())
    }

    async fn confirm(&self, dialect: &ConfirmDialect, file_id: &str) -> Result<(), Refusal> {
        let name = hash(&[file_id]);
        if self.upstream.confirmed.contains(&name) {
            return Ok(());
        }
        let segment = path_segment(file_id).ok_or_else(|| Refusal::from(Reason::UnusableId))?;
        let body = dialect.body(file_id).to_string();
        let response = self
            .request("POST", &dialect.path(&segment), Some(&body))
            .await?;
        let retry_after = response.retry_after;
        let is_complete = response.fault.is_none() && (200..300).contains(&response.status);
        match response.into_body(&self.upstream.settings.dialect) {
            Ok(_) => {}
            // Nothing has to be in the response, not even JSON.
            Err(Failure::Unreadable(_)) if is_complete => {}
            Err(failure) => return Err(self.refusal(failure, retry_after).0),
        }
        self.upstream.confirmed.insert(&name);
        Ok(())
    }
}

/// Returns the ids of the files in the body of a create.
fn file_ids<'a>(capability: &Capability, body: &'a Value) -> Vec<&'a str> {
    let mut ids = Vec::new();
    for field in capability.fields() {
        if field.kind.media().is_none() {
            continue;
        }
        match (field.kind, &body[field.name]) {
            (_, Value::String(id)) => ids.push(id.as_str()),
            (Kind::Files(_) | Kind::FileOrFiles(_), Value::Array(items)) => {
                ids.extend(items.iter().filter_map(Value::as_str));
            }
            _ => {}
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_files_of_a_body_are_those_of_its_fields() {
        let of = |name: &str, body: Value| -> Vec<String> {
            let capability = mediagate_core::find(name).expect("a capability");
            file_ids(capability, &body)
                .into_iter()
                .map(str::to_owned)
                .collect()
        };
        let swap = json!({"source_image_file_id": "a", "target_head_image_file_id": "b"});
        assert_eq!(of("head_swap", swap), ["a", "b"]);
        let list = json!({"prompt": "p", "image_file_ids": ["a", "b"], "audio_file_ids": null});
        assert_eq!(of("omni_reference_to_video", list), ["a", "b"]);
        let body = json!({"prompt": "p", "file_id": "not a field of this capability"});
        assert_eq!(of("text_to_image", body), Vec::<String>::new());
    }
}
