//! Transfers: a result of a task that an input has in the place of an id. The gateway moves its file into the storage.

use alloc::string::String;
use alloc::vec::Vec;

use mediagate_core::{Reference, Value, fits, without_output};

use super::Client;
use super::call::Call;
use super::error::Error;
use super::limits::RetryPolicy;
use super::platform::{Body, HostValue, Platform, Wake};
use super::response::Expected;
use super::sources::Source;

/// Milliseconds between two requests for a transfer that goes on. The gateway itself waits some seconds for its end.
const PAUSE_MS: u32 = 1_000;

impl<P: Platform> Client<P> {
    /// Returns the id of a result: that of an asset as it is, and that of a file once it is in the storage.
    ///
    /// # Errors
    /// Those of a task that is waited for; `invalid_input` where it has no output that fits; those of the transfer.
    pub(super) async fn result_id(
        &self,
        source: Source<P::Value>,
        retry: &RetryPolicy<P>,
    ) -> Result<String, Error<P>> {
        let (task_id, output, position) = match Reference::read(source.value.clone()) {
            Some(Reference::Output { task_id, output }) => {
                let position = output.get("output").and_then(|it| it.number());
                (task_id, output, position.unwrap_or_default())
            }
            Some(Reference::Task { id, capability }) => {
                let task = self.task(id.clone(), capability);
                let done = task.done_for(retry).await?;
                let outputs = done.raw.as_ref().and_then(|it| it.get("outputs"));
                let found = outputs.iter().flat_map(|it| it.items().enumerate());
                let fitting = found
                    .into_iter()
                    .find(|(_, it)| fits(source.field.kind, it.clone()));
                let Some((position, output)) = fitting else {
                    let issues = without_output(source.field, source.index);
                    return Err(Error::invalid_input(&issues));
                };
                (id, output, position as f64)
            }
            // A valid input has no other value here.
            Some(Reference::Step) | None => {
                return Err(Error::invalid_input(&without_output(
                    source.field,
                    source.index,
                )));
            }
        };
        if source.field.kind.media().is_none() {
            let asset = output.get("asset_id").and_then(|it| it.identifier());
            return asset
                .ok_or_else(|| Error::invalid_input(&without_output(source.field, source.index)));
        }
        self.moved_file(&task_id, position, retry).await
    }

    /// Has the gateway move an output, and waits for the end of that.
    async fn moved_file(
        &self,
        task_id: &str,
        position: f64,
        retry: &RetryPolicy<P>,
    ) -> Result<String, Error<P>> {
        let body = P::Value::from_members(Vec::from([
            ("task_id", P::Value::from_text(task_id)),
            ("output", P::Value::from_number(position)),
        ]));
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
            if let Some(id) = data.get("file_id").and_then(|it| it.identifier()) {
                return Ok(id);
            }
            if data.get("loaded").is_none() {
                return Err(Error::unreadable(200, "no_file_id"));
            }
            self.platform().sleep(PAUSE_MS, Wake::Never).await;
        }
    }
}
