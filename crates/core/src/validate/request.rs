use alloc::string::String;
use alloc::vec::Vec;

use super::check::Check;
use super::issue::{Issue, IssueReason};
use super::path::Path;
use crate::capability::{COMMON, Capability};
use crate::field::{Field, Kind};
use crate::reference::wanted;
use crate::text::cut;
use crate::value::{Type, Value};

/// Validates the body of a create. Returns every issue at once; a body without an error is valid,
/// see [`is_valid`](super::is_valid). An unknown name passes, with a warning if a field has a
/// similar name.
///
/// A [`Type::Blob`] is valid instead of a file id if it is a file of the field's kind. So is a
/// [`Reference`], for a value with [`Value::TAKES_FILES`].
///
/// [`Reference`]: crate::Reference
pub fn validate<V: Value>(capability: &Capability, body: V) -> Vec<Issue> {
    request::<_, false>(capability, &body)
}

/// Like [`validate`], but an unknown name is an error.
pub fn validate_strictly<V: Value>(capability: &Capability, body: V) -> Vec<Issue> {
    request::<_, true>(capability, &body)
}

/// Validates an object with these fields and no others.
pub fn validate_fields<V: Value>(fields: &'static [Field], body: V) -> Vec<Issue> {
    let mut check = Check::<true>::default();
    check.object([fields, &[], &[]], &body, &Path::Body, "a JSON object");
    check.issues
}

/// Returns the issue of a task that stands for an id but has no output that the field takes.
/// `index` is its position in the field's list.
pub fn without_output(field: &Field, index: Option<usize>) -> Vec<Issue> {
    let mut check = Check::<false>::default();
    with_path(field, index, |path| {
        check.error(
            path,
            IssueReason::WrongType,
            "is a task without such an output; give ",
            wanted(field.kind),
        );
    });
    check.issues
}

/// Returns the path of a field's value, or of an item of its list, such as `image_file_ids[1]`.
pub fn path_of(field: &Field, index: Option<usize>) -> String {
    let mut text = String::new();
    with_path(field, index, |path| path.write(&mut text));
    text
}

/// Calls a function with the path of a field's value. The path can't be returned, because it
/// borrows from its parent.
fn with_path(field: &Field, index: Option<usize>, use_path: impl FnOnce(&Path<'_>)) {
    let member = Path::Member(&Path::Body, field.name);
    let item = index.map(|index| Path::Item(&member, index));
    use_path(item.as_ref().unwrap_or(&member));
}

fn request<V: Value, const STRICT: bool>(capability: &Capability, body: &V) -> Vec<Issue> {
    let mut check = Check::<STRICT>::default();
    let has_region = capability
        .own_fields
        .iter()
        .any(|field| field.kind == Kind::Region);
    let parts: &[Field] = if has_region { &REGION_PARTS } else { &[] };
    if check.object(
        [capability.own_fields, COMMON, parts],
        body,
        &Path::Body,
        "a JSON object",
    ) {
        any_of(&mut check, capability, body);
        if STRICT {
            twice(&mut check, parts, body);
        }
    }
    check.issues
}

/// The parts of a region as members of the request. The document's `region.x` may mean either form
/// (§4.3).
static REGION_PARTS: [Field; 4] = [
    Field::new("region.x", Kind::Int32),
    Field::new("region.y", Kind::Int32),
    Field::new("region.width", Kind::PositiveInt32),
    Field::new("region.height", Kind::PositiveInt32),
];

/// Reports each part of a region that is present both by its dotted name and inside of the region.
fn twice<V: Value, const STRICT: bool>(check: &mut Check<STRICT>, parts: &[Field], body: &V) {
    let is_there = |part: Option<V>| part.is_some_and(|value| value.kind() != Type::Null);
    for part in parts {
        let (region, member) = cut(part.name, b".");
        let inside = body.get(region).and_then(|region| region.get(member?));
        if is_there(body.get(part.name)) && is_there(inside) {
            let path = Path::Member(&Path::Body, part.name);
            check.error(
                &path,
                IssueReason::Malformed,
                "is there twice; leave out one of the two",
                "",
            );
        }
    }
}

fn any_of<V: Value, const STRICT: bool>(
    check: &mut Check<STRICT>,
    capability: &Capability,
    body: &V,
) {
    let names = capability.any_of;
    let Some(first) = names.first() else {
        return;
    };
    let is_empty =
        |value: &V| value.kind() == Type::Null || value.kind() == Type::List && value.length() == 0;
    if names
        .iter()
        .any(|name| body.get(name).is_some_and(|value| !is_empty(&value)))
    {
        return;
    }
    let mut listed = String::new();
    for name in names {
        listed.push_str(if listed.is_empty() { "" } else { ", " });
        listed.push_str(name);
    }
    let path = Path::Member(&Path::Body, first);
    check.error(
        &path,
        IssueReason::Missing,
        "no reference: give at least one of ",
        &listed,
    );
}
