//! The capability and the files of a create.

use mediagate_core::{Capability, Kind, Type, Value, find};

use crate::error::{Error, code};
use crate::platform::Platform;

/// The capability of this name.
///
/// # Errors
/// `invalid_argument` for any other value.
pub fn capability<P: Platform>(platform: &P, name: P::Value) -> Result<&'static Capability, Error<P::Value>> {
    let known = name.text().and_then(|it| find(&it));
    known.ok_or_else(|| {
        Error::new(platform, code::INVALID_ARGUMENT, "no such capability; capabilities() lists their names")
    })
}

/// A file in an input, and where it is.
#[derive(Clone, Copy)]
pub struct FilePlace<V> {
    /// The field that has it.
    pub field: &'static str,
    /// Its list and its index there; `None` where it is the field's own value.
    pub item: Option<(V, usize)>,
    /// The file.
    pub file: V,
}

/// Visits the files in those fields that take files.
pub fn for_each_file<V: Value>(capability: &Capability, input: V, visit: &mut dyn FnMut(FilePlace<V>)) {
    for field in capability.fields() {
        let (Kind::File(_) | Kind::Files(_) | Kind::FileOrFiles(_)) = field.kind else { continue };
        let Some(value) = input.get(field.name) else { continue };
        let mut file = |file: V, item| {
            if file.kind() == Type::Blob {
                visit(FilePlace { field: field.name, item, file });
            }
        };
        file(value, None);
        if !matches!(field.kind, Kind::File(_)) {
            value.items().enumerate().for_each(|(index, it)| file(it, Some((value, index))));
        }
    }
}
