//! One validator for every capability: it walks the description and the value together.

use crate::capability::{COMMON, Capability};
use crate::field::{Field, Kind};
use crate::grammar::{pages, time, volume};
use crate::suggest::nearest;
use crate::text::{concat, element};
use crate::value::{Type, Value};

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The path of the value, such as `prompt` or `segments[1].end_time`; empty for the body itself.
    pub path: String,
    /// The reason, as a stable identifier: `missing`, `empty`, `unknown_field`, `wrong_type`, `out_of_range`, `malformed` or `order`.
    pub reason: &'static str,
    /// What is wrong, and what is valid. Never contains a value from the request.
    pub message: String,
}

/// The number of issues after which the validator stops reading members and items, so that a hostile body is cheap. The
/// known fields may add a few more.
pub const MAX_ISSUES: usize = 100;

/// The most items that a list may have. The document sets no bound; this one limits the cost of validation.
pub(crate) const MAX_LIST_ITEMS: usize = 1000;

/// Validates the body of a create. Returns every issue at once; none mean that the body is valid.
///
/// A [`Type::Blob`] is valid in place of a file id.
pub fn validate<V: Value>(capability: &Capability, body: &V) -> Vec<Issue> {
    let mut check = Check::default();
    if check.object([capability.own_fields, COMMON], body, "") {
        check.any_of(capability, body);
    }
    check.issues
}

/// Validates an object with these fields and no others. No issues mean that it is valid.
pub fn validate_fields<V: Value>(fields: &'static [Field], body: &V) -> Vec<Issue> {
    let mut check = Check::default();
    check.object([fields, &[]], body, "");
    check.issues
}

/// The most characters of an unknown name that an issue's path shows.
const MAX_SHOWN_CHARS: usize = 64;

/// The fields of one object: a capability's own, and the common ones. Slices and plain functions rather than generics,
/// because a page would download each instance of the validator.
type Fields = [&'static [Field]; 2];

#[derive(Default)]
pub(crate) struct Check {
    pub(crate) issues: Vec<Issue>,
}

impl Check {
    /// Validates an object's members. Returns whether the value is an object.
    pub(crate) fn object<V: Value>(&mut self, fields: Fields, value: &V, path: &str) -> bool {
        if value.kind() != Type::Object {
            self.wrong_type(path, value, "a JSON object");
            return false;
        }
        for name in value.keys() {
            if self.issues.len() >= MAX_ISSUES {
                break;
            }
            // In a browser, `keys` includes members that are `undefined`; they count as absent.
            if !fields.into_iter().flatten().any(|it| it.name == name) && value.get(&name).is_some() {
                self.unknown(fields, path, &name);
            }
        }
        for field in fields.into_iter().flatten() {
            let path = join(path, field.name);
            match value.get(field.name) {
                Some(value) => self.field(field, &value, &path),
                None if field.required => self.add(path, "missing", &["is missing; give ", field.kind.expected()]),
                None => {}
            }
        }
        true
    }

    fn unknown(&mut self, fields: Fields, path: &str, name: &str) {
        let shown: String = name.chars().take(MAX_SHOWN_CHARS).collect();
        let path = join(path, &shown);
        match nearest(name, fields.into_iter().flatten().map(|it| it.name)) {
            Some(near) => self.add(path, "unknown_field", &["is not a known field; did you mean ", near, "?"]),
            None => self.add(path, "unknown_field", &["is not a known field; leave it out"]),
        }
    }

    fn any_of<V: Value>(&mut self, capability: &Capability, body: &V) {
        let names = capability.any_of;
        let Some(first) = names.first() else { return };
        if !names.iter().any(|it| body.get(it).is_some_and(|it| it.kind() != Type::List || !it.items().is_empty())) {
            let mut listed = String::new();
            for name in names {
                listed.push_str(if listed.is_empty() { "" } else { ", " });
                listed.push_str(name);
            }
            self.add((*first).into(), "missing", &["no reference: give at least one of ", &listed]);
        }
    }

    fn field<V: Value>(&mut self, field: &Field, value: &V, path: &str) {
        let expected = field.kind.expected();
        match field.kind {
            Kind::Text => self.text(value, path, expected, field.required, |_| true),
            Kind::PageRange => self.text(value, path, expected, true, |it| pages::parse(it).is_some()),
            Kind::Volume => self.text(value, path, expected, true, |it| volume::parse(it).is_some()),
            Kind::Asset(_) => self.text(value, path, expected, true, |_| true),
            Kind::File(_) => self.file(value, path, expected),
            Kind::Files(_) => self.list(value, path, expected, field.required, |check, value, path| {
                check.file(value, path, "the id of an uploaded file");
            }),
            Kind::FileOrFiles(media) if value.kind() == Type::List => {
                self.field(&Field::new(field.name, Kind::Files(media)), value, path);
            }
            Kind::FileOrFiles(_) => self.file(value, path, expected),
            Kind::TextList => self.list(value, path, expected, field.required, |check, value, path| {
                check.text(value, path, "a string", false, |_| true);
            }),
            Kind::Integer(min) => self.integer(value, path, min),
            Kind::Number if value.kind() == Type::Number && value.number().is_none() => {
                self.add(path.into(), "out_of_range", &["is not finite; give ", expected]);
            }
            Kind::Number => self.of_type(value, path, Type::Number, expected),
            Kind::Boolean => self.of_type(value, path, Type::Boolean, expected),
            Kind::Segments => self.list(value, path, expected, true, Check::segment),
            Kind::Region => {
                self.object([&REGION, &[]], value, path);
            }
            Kind::VideoSize => self.video_size(value, path, expected),
        }
    }

    fn text<V: Value>(&mut self, value: &V, path: &str, expected: &str, filled: bool, is_valid: fn(&str) -> bool) {
        match value.text() {
            None => self.wrong_type(path, value, expected),
            Some(text) if filled && text.trim().is_empty() => {
                self.add(path.into(), "empty", &["is empty; give ", expected])
            }
            Some(text) if !is_valid(&text) => self.add(path.into(), "malformed", &["is malformed; give ", expected]),
            Some(_) => {}
        }
    }

    fn file<V: Value>(&mut self, value: &V, path: &str, expected: &str) {
        if value.kind() != Type::Blob {
            self.text(value, path, expected, true, |_| true);
        }
    }

    fn list<V: Value>(&mut self, value: &V, path: &str, expected: &str, filled: bool, each: fn(&mut Check, &V, &str)) {
        if value.kind() != Type::List {
            return self.wrong_type(path, value, expected);
        }
        let items = value.items();
        if filled && items.is_empty() {
            self.add(path.into(), "empty", &["is empty; give ", expected, ", at least one"]);
        }
        if items.len() > MAX_LIST_ITEMS {
            return self.add(path.into(), "out_of_range", &["has more than 1000 items; give fewer"]);
        }
        for (index, item) in items.iter().enumerate() {
            if self.issues.len() >= MAX_ISSUES {
                break;
            }
            each(self, item, &element(path, index));
        }
    }

    fn integer<V: Value>(&mut self, value: &V, path: &str, min: i32) {
        let expected = Kind::Integer(min).expected();
        if value.kind() != Type::Number {
            return self.wrong_type(path, value, expected);
        }
        // A float cast truncates and saturates, so the comparison is false for a fraction and outside of int32.
        let fits = value.number().is_some_and(|it| f64::from(it as i32) == it && it as i32 >= min);
        if !fits {
            self.add(path.into(), "out_of_range", &["is out of range; give ", expected]);
        }
    }

    fn segment<V: Value>(&mut self, value: &V, path: &str) {
        if !self.object([&SEGMENT, &[]], value, path) {
            return;
        }
        let at = |name| {
            let text = value.get(name)?;
            time::parse(&text.text()?)
        };
        for name in [START, END] {
            let malformed = value.get(name).is_some_and(|it| it.text().is_some_and(|it| !it.trim().is_empty()));
            if malformed && at(name).is_none() {
                self.add(join(path, name), "malformed", &["is malformed; give HH:MM:SS, such as 00:01:30"]);
            }
        }
        if let (Some(start), Some(end)) = (at(START), at(END))
            && start >= end
        {
            self.add(join(path, END), "order", &["is not after ", START, "; give a later time"]);
        }
    }

    fn video_size<V: Value>(&mut self, value: &V, path: &str, expected: &str) {
        if value.kind() != Type::List {
            return self.wrong_type(path, value, expected);
        }
        let items = value.items();
        if items.len() != 2 {
            return self.add(path.into(), "malformed", &["has not two elements; give ", expected]);
        }
        for (index, item) in items.iter().enumerate() {
            self.integer(item, &element(path, index), 1);
        }
    }

    fn of_type<V: Value>(&mut self, value: &V, path: &str, kind: Type, expected: &str) {
        if value.kind() != kind {
            self.wrong_type(path, value, expected);
        }
    }

    fn wrong_type<V: Value>(&mut self, path: &str, value: &V, expected: &str) {
        self.add(path.into(), "wrong_type", &["is ", value.kind().described(), "; give ", expected]);
    }

    pub(crate) fn add(&mut self, path: String, reason: &'static str, message: &[&str]) {
        self.issues.push(Issue { path, reason, message: concat(message) });
    }
}

pub(crate) const START: &str = "start_time";
pub(crate) const END: &str = "end_time";

static SEGMENT: [Field; 2] = [Field::new(START, Kind::Text).required(), Field::new(END, Kind::Text).required()];

pub(crate) static REGION: [Field; 4] = [
    Field::new("x", Kind::Integer(0)).required(),
    Field::new("y", Kind::Integer(0)).required(),
    Field::new("width", Kind::Integer(1)).required(),
    Field::new("height", Kind::Integer(1)).required(),
];

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { concat(&[path, ".", name]) }
}
