//! The capability of a create, and what its input has in the place of ids.

use mediagate_core::{Capability, Field, Kind, Reference, Type, Value, find};

use crate::error::{Error, code};
use crate::platform::Platform;

/// The capability of this name.
///
/// # Errors
/// `invalid_argument` for any other value.
pub fn capability<P: Platform>(
    platform: &P,
    name: P::Value,
) -> Result<&'static Capability, Error<P::Value>> {
    let known = name.text().and_then(|it| find(&it));
    known.ok_or_else(|| {
        Error::new(
            platform,
            code::INVALID_ARGUMENT,
            "no such capability; capabilities() lists their names",
        )
    })
}

/// What an input has in the place of an id, and where it is.
#[derive(Clone, Copy)]
pub struct Source<V> {
    /// The position of its step in a pipeline; `None` in the input of a create.
    pub step: Option<usize>,
    /// The field that has it.
    pub field: &'static Field,
    /// Its list and its index there; `None` where it is the field's own value.
    pub item: Option<(V, usize)>,
    /// A file, or a task or an output: see [`mediagate_core::Reference`].
    pub value: V,
}

/// Visits the files, tasks and outputs in those fields that take ids of files or assets. Steps of a pipeline stay.
pub fn for_each_source<V: Value + Copy>(
    step: Option<usize>,
    capability: &Capability,
    input: V,
    visit: &mut dyn FnMut(Source<V>),
) {
    for field in capability.fields() {
        if field.kind.media().is_none() && !matches!(field.kind, Kind::Asset(_)) {
            continue;
        }
        let Some(value) = input.get(field.name) else {
            continue;
        };
        let mut source = |value: V, item| {
            let is_source = match value.kind() {
                Type::Blob => true,
                Type::Object => !matches!(Reference::read(value), Some(Reference::Step)),
                _ => false,
            };
            if is_source {
                visit(Source {
                    step,
                    field,
                    item,
                    value,
                });
            }
        };
        source(value, None);
        if matches!(field.kind, Kind::Files(_) | Kind::FileOrFiles(_)) {
            value
                .items()
                .enumerate()
                .for_each(|(index, it)| source(it, Some((value, index))));
        }
    }
}
