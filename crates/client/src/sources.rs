//! Files, URLs and results in an input. Each is replaced by its id before the input is sent.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use mediagate_core::{Capability, Field, Kind, Reference, Type, Value};

use crate::Client;
use crate::create::Step;
use crate::error::Error;
use crate::limits::RetryPolicy;
use crate::platform::{HostValue, Platform};
use crate::sendable::BoxFuture;
use crate::sync::try_all;

/// A file, a URL, a task or an output instead of an id.
pub(crate) struct Source<V> {
    /// The field that contains the source.
    pub(crate) field: &'static Field,
    /// The index in the list of the field; `None` if the source is the whole value of the field.
    pub(crate) index: Option<usize>,
    /// The file, or the reference ([`mediagate_core::Reference`]).
    pub(crate) value: V,
}

impl<P: Platform> Client<P> {
    /// Replaces each file and result in an input by its id.
    ///
    /// # Errors
    /// The error of the first upload or transfer that fails. It ends all others.
    pub(super) async fn with_ids(
        &self,
        capability: &'static Capability,
        input: P::Value,
        retry: &RetryPolicy<P>,
    ) -> Result<P::Value, Error<P>> {
        let ids = self.ids(capability, &input, retry);
        if ids.is_empty() {
            return Ok(input);
        }
        let mut ids = try_all(ids).await?.into_iter();
        Ok(replace(capability, input, &mut |_| ids.next()))
    }

    /// Replaces each file and result in the inputs of steps by its id.
    ///
    /// # Errors
    /// Those of [`Client::with_ids`].
    pub(super) async fn steps_with_ids(
        &self,
        steps: &[Step<P::Value>],
        retry: &RetryPolicy<P>,
    ) -> Result<Vec<P::Value>, Error<P>> {
        let all = steps
            .iter()
            .flat_map(|step| self.ids(step.capability, &step.input, retry));
        let mut ids = try_all(all.collect()).await?.into_iter();
        Ok(steps
            .iter()
            .map(|step| replace(step.capability, step.input.clone(), &mut |_| ids.next()))
            .collect())
    }

    /// Returns the uploads and transfers of the files and results in an input, in the order of
    /// [`replace`].
    fn ids<'a>(
        &'a self,
        capability: &'static Capability,
        input: &P::Value,
        retry: &'a RetryPolicy<P>,
    ) -> Vec<BoxFuture<'a, Result<String, Error<P>>>> {
        let mut ids: Vec<BoxFuture<'a, _>> = Vec::new();
        // The walk that later replaces the sources also lists them, so that both have one order.
        replace(capability, input.clone(), &mut |source| {
            ids.push(if source.value.kind() == Type::Blob {
                Box::pin(async move { self.file_id(&source.value, None, retry).await })
            } else {
                Box::pin(async move { self.moved_id(source, retry).await })
            });
            None
        });
        ids
    }
}

/// Replaces each source in a field for files or assets by the id that `id` returns. A source stays
/// if `id` returns none. A step of a pipeline always stays, because the gateway replaces it.
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
        let mut replaced = false;
        let mut with_id = |value: V, index| {
            let source = Source {
                field,
                index,
                value: value.clone(),
            };
            match is_source(&value).then(|| id(source)).flatten() {
                Some(id) => {
                    replaced = true;
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
        } else {
            with_id(value, None)
        };
        // Without a source, the caller's own value is sent instead of a copy.
        if replaced {
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
