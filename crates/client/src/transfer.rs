//! Transfers: an input may have a result of a task, or a URL, instead of an id. The gateway moves
//! the file into the storage.

use alloc::string::String;
use alloc::vec::Vec;

use mediagate_core::{Kind, MissingPart, Reference, Value, fits, path_of, without_output};

use crate::Client;
use crate::call::Call;
use crate::error::Error;
use crate::limits::RetryPolicy;
use crate::platform::{Body, HostValue, Platform, Wake};
use crate::response::Expected;
use crate::sources::Source;

/// The time between two requests for a transfer that goes on, in milliseconds. The gateway also
/// waits some seconds for its end.
const PAUSE_MS: u32 = 1_000;
/// The longest time for a transfer, in milliseconds. The gateway gives up a little earlier.
const MAX_TRANSFER_MS: f64 = 900_000.0;

impl<P: Platform> Client<P> {
    /// Returns the id of a result, or of the file at a URL. The id of an asset is in the output.
    /// The id of a file comes with its transfer into the storage.
    ///
    /// # Errors
    /// Those of [`Task::done`](super::Task::done), if the result is a task; `invalid_input` if no
    /// output fits the field; those of the transfer.
    pub(super) async fn moved_id(
        &self,
        source: Source<P::Value>,
        retry: &RetryPolicy<P>,
    ) -> Result<String, Error<P>> {
        let (task_id, output, position) = match Reference::read(source.value.clone()) {
            Some(Reference::Output { task_id, output }) => {
                let position = output.get("output").and_then(|position| position.number());
                (task_id, output, position.unwrap_or_default())
            }
            Some(Reference::Task { id, capability }) => {
                let task = self.task(id.clone(), capability);
                let done = task.done_for(retry).await?;
                let outputs = done.raw.as_ref().and_then(|record| record.get("outputs"));
                let fitting = outputs
                    .iter()
                    .flat_map(|outputs| outputs.items().enumerate())
                    .find(|(_, output)| fits(source.field.kind, output.clone()));
                let Some((position, output)) = fitting else {
                    let issues = without_output(source.field, source.index);
                    return Err(Error::invalid_input(&issues));
                };
                (id, output, position as f64)
            }
            Some(Reference::Url { file }) => {
                let body = url_request(source.field.kind, &file);
                let moved = self.moved_file(body, retry).await;
                // An input may have several URLs.
                let path = path_of(source.field, source.index);
                return moved.map_err(|error| error.at(&path));
            }
            // The validation of the input refuses every other value.
            Some(Reference::Step) | None => {
                return Err(Error::invalid_input(&without_output(
                    source.field,
                    source.index,
                )));
            }
        };
        if source.field.kind.media().is_none() {
            let asset = output.get("asset_id").and_then(|id| id.identifier());
            return asset
                .ok_or_else(|| Error::invalid_input(&without_output(source.field, source.index)));
        }
        let body = P::Value::from_members(Vec::from([
            ("task_id", P::Value::from_text(&task_id)),
            ("output", P::Value::from_number(position)),
        ]));
        self.moved_file(body, retry).await
    }

    /// Requests a transfer until it has ended. Returns the id of the file.
    ///
    /// # Errors
    /// Those of the request, such as a refusal with the reason `output_unavailable`.
    async fn moved_file(&self, body: P::Value, retry: &RetryPolicy<P>) -> Result<String, Error<P>> {
        let start = self.platform().now();
        loop {
            let data = {
                let _place = self.0.transfer_places.take().await;
                let body = Body::Json(body.clone());
                self.data(Call::new(
                    self.url("files"),
                    body,
                    Expected::Data,
                    retry.into(),
                ))
                .await?
            };
            if let Some(id) = data.get("file_id").and_then(|id| id.identifier()) {
                return Ok(id);
            }
            let is_over = self.platform().now() - start > MAX_TRANSFER_MS;
            if data.get("loaded").is_none() || is_over {
                return Err(Error::missing(200, MissingPart::FileId));
            }
            self.platform().sleep(PAUSE_MS, Wake::Never).await;
        }
    }
}

/// Returns the request for the file at a URL in a field of a kind.
fn url_request<V: HostValue>(kind: Kind, file: &V) -> V {
    let medium = kind.media().map(|media| V::from_text(media.name()));
    let members = [
        ("url", file.get("url")),
        ("content_type", file.get("type")),
        ("kind", medium),
    ];
    let present = members
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    V::from_members(present.collect())
}
