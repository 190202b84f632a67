//! One validator for every capability: it walks the constant description beside the value.

use crate::capability::{COMMON, Capability};
use crate::field::{Field, Kind};
use crate::grammar::{pages, time, volume};
use crate::suggest::nearest;
use crate::text::{concat, element};
use crate::value::{Type, Value};

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Where, such as `prompt` or `segments[1].end_time`; empty for the body itself.
    pub path: String,
    /// Why, as a stable word: `missing`, `empty`, `unknown_field`, `wrong_type`, `out_of_range`, `malformed` or `order`.
    pub reason: &'static str,
    /// A sentence that says what is wrong and what would be right; it never repeats a value.
    pub message: String,
}

/// No more issues than this are listed: a body of nothing but unknown fields must not cost more than it is worth.
pub const MAX_ISSUES: usize = 100;

/// Longest list that is looked into. The document sets no bound; each item costs whoever checks it.
pub(crate) const LONGEST_LIST: usize = 1000;

/// Checks a request body against a capability and lists everything that is wrong with it; an empty list is valid.
///
/// A [`Type::Blob`] passes where a file id is asked for.
pub fn validate<V: Value>(capability: &Capability, body: &V) -> Vec<Issue> {
    let mut check = Check::default();
    if check.object([capability.own_fields, COMMON], body, "") {
        check.any_of(capability, body);
    }
    check.issues
}

/// Checks a value that has these fields and no others; an empty list is valid.
pub fn validate_fields<V: Value>(fields: &'static [Field], body: &V) -> Vec<Issue> {
    let mut check = Check::default();
    check.object([fields, &[]], body, "");
    check.issues
}

/// Characters of an unknown name that an issue repeats.
const LONGEST_NAME: usize = 64;

/// The fields of one object: a capability's own, and those it shares with all others. Slices and plain functions, not
/// generics: each instance of the validator would be downloaded.
type Fields = [&'static [Field]; 2];

#[derive(Default)]
pub(crate) struct Check {
    pub(crate) issues: Vec<Issue>,
}

impl Check {
    /// Checks an object's members; whether it is an object at all.
    pub(crate) fn object<V: Value>(&mut self, fields: Fields, value: &V, path: &str) -> bool {
        if value.kind() != Type::Object {
            self.wrong_type(path, value, "a JSON object");
            return false;
        }
        for name in value.keys() {
            if self.issues.len() >= MAX_ISSUES {
                break;
            }
            // A member that is `undefined` is none.
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
        let shown: String = name.chars().take(LONGEST_NAME).collect();
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
            Kind::Integer(least) => self.integer(value, path, least),
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

    fn text<V: Value>(&mut self, value: &V, path: &str, expected: &str, filled: bool, obeys: fn(&str) -> bool) {
        match value.text() {
            None => self.wrong_type(path, value, expected),
            Some(text) if filled && text.trim().is_empty() => {
                self.add(path.into(), "empty", &["is empty; give ", expected])
            }
            Some(text) if !obeys(&text) => self.add(path.into(), "malformed", &["is malformed; give ", expected]),
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
        if items.len() > LONGEST_LIST {
            return self.add(path.into(), "out_of_range", &["has more than 1000 items; give fewer"]);
        }
        for (index, item) in items.iter().enumerate() {
            if self.issues.len() >= MAX_ISSUES {
                break;
            }
            each(self, item, &element(path, index));
        }
    }

    fn integer<V: Value>(&mut self, value: &V, path: &str, least: i32) {
        let expected = Kind::Integer(least).expected();
        if value.kind() != Type::Number {
            return self.wrong_type(path, value, expected);
        }
        // A float cast saturates, so the comparison is also false for a fraction and for what is no int32.
        let fits = value.number().is_some_and(|it| f64::from(it as i32) == it && it as i32 >= least);
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
