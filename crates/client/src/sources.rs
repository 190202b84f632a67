//! Files, URLs and results in an input. Each is replaced by its id before the input is sent: a file
//! is uploaded, and the gateway moves a result, or the file at a URL, into the storage.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::future::poll_fn;

use mediagate_core::{
    Capability, Field, Kind, MissingPart, Reference, Type, Value, fits, path_of, without_output,
};

use crate::Client;
use crate::call::Call;
use crate::error::Error;
use crate::limits::{CreateState, Listeners, RetryPolicy, aborted};
use crate::platform::{Body, BoxFuture, HostValue, Platform, Wake};
use crate::response::ResponseKind;
use crate::sync::try_all;
use crate::upload::ProgressSum;

/// The time between two requests for a transfer that goes on. The gateway also waits some seconds
/// for its end.
const PAUSE_MS: u32 = 1_000;
/// The longest time for a transfer. The gateway gives up a little earlier.
const MAX_TRANSFER_MS: f64 = 900_000.0;

struct Source<V> {
    field: &'static Field,
    /// The index in the list of the field; `None` if the source is the whole value of the field.
    index: Option<usize>,
    value: V,
}

impl<P: Platform> Client<P> {
    /// Replaces each file, URL and result in inputs by its id. `listeners` receive the progress of
    /// the files, and the states of the create, with [`CreateState::Sending`] as the last. Returns
    /// the error of the first upload or transfer that fails, which ends all others. Returns
    /// [`Kind::Aborted`](crate::error::Kind::Aborted) if the listener fails for `Sending`.
    pub(super) async fn replace_sources(
        &self,
        inputs: &mut [(&'static Capability, P::Value)],
        retry: &RetryPolicy<P>,
        listeners: Listeners<P>,
    ) -> Result<(), Error<P>> {
        let sum = listeners.on_progress.map(ProgressSum::new);
        let mut ids: Vec<BoxFuture<'_, _>> = Vec::new();
        let mut files = Vec::new();
        let mut tasks = Vec::new();
        // The walk that later replaces the sources also lists them, so that both have one order.
        for (capability, input) in inputs.iter() {
            replace(capability, input.clone(), &mut |source| {
                ids.push(if source.value.kind() == Type::Blob {
                    files.push(source.value.clone());
                    let size = self.platform().file_info(&source.value).size;
                    let progress = sum.as_ref().map(|sum| sum.add(source.value.clone(), size));
                    Box::pin(async move { self.file_id(&source.value, progress, retry).await })
                } else {
                    let reference = Reference::read(source.value.clone());
                    if let Some(Reference::Task { id, capability }) = &reference {
                        tasks.push(self.task(id.clone(), capability));
                    }
                    Box::pin(self.moved_id(source, reference, retry))
                });
                None
            });
        }
        let state = || {
            if tasks.iter().any(|task| !task.has_ended()) {
                return CreateState::Waiting;
            }
            if files
                .iter()
                .any(|file| self.platform().file_id(file).is_none())
            {
                return CreateState::Uploading;
            }
            CreateState::Moving
        };
        let mut ids = Box::pin(try_all(ids));
        let mut reported = None;
        let ids = poll_fn(|context| {
            let ids = ids.as_mut().poll(context);
            if let Some(on_state) = &listeners.on_state
                && ids.is_pending()
            {
                let state = state();
                if reported.replace(state) != Some(state) {
                    // The uploads go on meanwhile, so nothing waits for this listener.
                    drop(on_state(state));
                }
            }
            ids
        })
        .await?;
        if let Some(on_state) = &listeners.on_state {
            on_state(CreateState::Sending).await.map_err(aborted)?;
        }
        let mut ids = ids.into_iter();
        for (capability, input) in inputs {
            *input = replace(capability, input.clone(), &mut |_| ids.next());
        }
        Ok(())
    }

    /// Returns the id of a result, or of the file at a URL. The id of an asset is in the output.
    /// The id of a file comes with its transfer into the storage. The error is `invalid_input` if
    /// no output fits the field, or an error of the task or the transfer.
    async fn moved_id(
        &self,
        source: Source<P::Value>,
        reference: Option<Reference<P::Value>>,
        retry: &RetryPolicy<P>,
    ) -> Result<String, Error<P>> {
        let (task_id, output, position) = match reference {
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
    async fn moved_file(&self, body: P::Value, retry: &RetryPolicy<P>) -> Result<String, Error<P>> {
        let start = self.platform().now();
        loop {
            let data = {
                let _permit = self.0.transfer_limit.acquire().await;
                let body = Body::Json(body.clone());
                self.data(Call::new(
                    self.url("files"),
                    body,
                    ResponseKind::Data,
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

/// Replaces each source in a field by the id that `id` returns. A source stays if `id` returns
/// none. A step of a pipeline always stays, because the gateway replaces it. A single value becomes
/// a list in a field that accepts both: the upstream takes only lists there.
fn replace<V: HostValue>(
    capability: &Capability,
    mut input: V,
    id: &mut dyn FnMut(Source<V>) -> Option<String>,
) -> V {
    for field in capability.fields() {
        if field.kind.media().is_none() && !matches!(field.kind, Kind::Asset(_)) {
            continue;
        }
        let Some(value) = input.get(field.name) else {
            continue;
        };
        let mut has_changed = false;
        let mut with_id = |value: V, index| {
            let source = Source {
                field,
                index,
                value: value.clone(),
            };
            match is_source(&value).then(|| id(source)).flatten() {
                Some(id) => {
                    has_changed = true;
                    V::from_text(&id)
                }
                None => value,
            }
        };
        let value = if value.kind() == Type::List {
            let items = value.items().enumerate();
            V::from_items(
                items
                    .map(|(index, item)| with_id(item, Some(index)))
                    .collect(),
            )
        } else if matches!(field.kind, Kind::FileOrFiles(_)) {
            let item = with_id(value, None);
            has_changed = true;
            V::from_items(Vec::from([item]))
        } else {
            with_id(value, None)
        };
        // Without a change, the caller's own value is sent instead of a copy.
        if has_changed {
            input = input.with(field.name, value);
        }
    }
    input
}

fn is_source<V: Value>(value: &V) -> bool {
    match value.kind() {
        Type::Blob => true,
        Type::Object => !matches!(Reference::read(value.clone()), Some(Reference::Step)),
        _ => false,
    }
}

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
