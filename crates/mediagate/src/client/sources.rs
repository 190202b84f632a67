//! Files and results in an input, each of which is replaced by its id before the input is sent.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use mediagate_core::{Capability, Field, Kind, Reference, Type, Value};

use super::Client;
use super::create::Step;
use super::error::Error;
use super::limits::RetryPolicy;
use super::platform::{HostValue, Platform};
use super::sync::try_all;
use crate::sendable::BoxFuture;

/// A file, a task or an output in the place of an id.
pub(crate) struct Source<V> {
    /// The field that has it.
    pub(crate) field: &'static Field,
    /// Its index in the list of the field; `None` where it is the field's own value.
    pub(crate) index: Option<usize>,
    /// The file, or the reference: see [`mediagate_core::Reference`].
    pub(crate) value: V,
}

impl<P: Platform> Client<P> {
    /// Replaces each file and result in an input by its id.
    ///
    /// # Errors
    /// Those of the first upload or transfer that fails, which ends the others.
    pub(super) async fn with_ids(
        &self,
        capability: &'static Capability,
        input: P::Value,
        retry: &RetryPolicy<P>,
    ) -> Result<P::Value, Error<P>> {
        let mut ids = try_all(self.ids(capability, &input, retry))
            .await?
            .into_iter();
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
            .flat_map(|it| self.ids(it.capability, &it.input, retry));
        let mut ids = try_all(all.collect()).await?.into_iter();
        Ok(steps
            .iter()
            .map(|it| replace(it.capability, it.input.clone(), &mut |_| ids.next()))
            .collect())
    }

    /// The ids of the files and results in an input, in the order of [`replace`].
    fn ids<'a>(
        &'a self,
        capability: &'static Capability,
        input: &P::Value,
        retry: &'a RetryPolicy<P>,
    ) -> Vec<BoxFuture<'a, Result<String, Error<P>>>> {
        let mut ids: Vec<BoxFuture<'a, _>> = Vec::new();
        replace(capability, input.clone(), &mut |source| {
            ids.push(if source.value.kind() == Type::Blob {
                Box::pin(async move { self.file_id(&source.value, None, retry).await })
            } else {
                Box::pin(async move { self.result_id(source, retry).await })
            });
            None
        });
        ids
    }
}

/// Replaces the files, tasks and outputs in those fields that take ids of files or assets. Those for which there is no id stay,
/// and so do steps of a pipeline.
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
            V::from_items(items.map(|(index, it)| with_id(it, Some(index))).collect())
        } else {
            with_id(value, None)
        };
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
