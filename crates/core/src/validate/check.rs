use alloc::string::String;
use alloc::vec::Vec;

use super::issue::{Issue, IssueReason, MAX_ISSUES, Severity};
use super::path::Path;
use crate::field::{Field, FileKind, Kind, MAX_SIZE};
use crate::grammar::{pages, time, volume};
use crate::reference::{Reference, is_url, may_fit, wanted};
use crate::suggest::nearest;
use crate::text::{concat, is_blank};
use crate::value::{Type, Value};

/// The fields of an object: a capability's own, the common ones, and the parts of a region. Not a
/// generic iterator, because a page would download each instance of the validator.
type Fields = [&'static [Field]; 3];

/// The most characters of an unknown name that an issue's path shows.
const MAX_SHOWN_CHARS: usize = 64;

const DOUBT: &str = "; the media service may refuse it";

/// The issues of a body. With `STRICT`, an unknown name is an error, because a client cannot tell
/// which extra fields the gateway sends on. It is a constant so that a page downloads only one of
/// the two.
#[derive(Default)]
pub(crate) struct Check<const STRICT: bool> {
    pub(crate) issues: Vec<Issue>,
    errors: usize,
    /// The number of unknown names so far. The search for a similar name takes time, so it is
    /// limited.
    unknown: usize,
}

impl<const STRICT: bool> Check<STRICT> {
    /// Validates an object's members. Returns true if the value is an object.
    pub(crate) fn object<V: Value>(
        &mut self,
        fields: Fields,
        value: &V,
        path: &Path<'_>,
        expected: &str,
    ) -> bool {
        if value.kind() != Type::Object {
            self.wrong_type(path, value, expected);
            return false;
        }
        let members = value.members();
        for (name, _) in &members {
            if !fields
                .iter()
                .any(|list| list.iter().any(|field| *field.name == **name))
            {
                self.unknown(fields, path, name);
            }
        }
        for field in fields.into_iter().flatten() {
            let member = members.iter().find(|(name, _)| *field.name == **name);
            let value = member.map(|(_, value)| value);
            self.field(field, value, &Path::Member(path, field.name));
        }
        true
    }

    /// Validates a field. `null` counts as absent.
    fn field<V: Value>(&mut self, field: &Field, value: Option<&V>, path: &Path<'_>) {
        if let Some(value) = value {
            let errors = self.errors;
            self.value(field.kind, field.required, value, path);
            // Every kind reports an error for `null`, so only a value with an error can be `null`.
            // In a browser, reading a value's type is a call of JavaScript.
            if self.errors == errors || value.kind() != Type::Null {
                return;
            }
            self.issues.pop();
            self.errors = errors;
        }
        if field.required {
            self.error(
                path,
                IssueReason::Missing,
                "is missing; give ",
                expected::<V>(field.kind),
            );
        }
    }

    /// Reports an unknown name, as an error or a warning. Without `STRICT`, a name that is not
    /// similar to a field's passes.
    fn unknown(&mut self, fields: Fields, path: &Path<'_>, name: &str) {
        if self.unknown == MAX_ISSUES {
            return;
        }
        self.unknown += 1;
        let end = name
            .char_indices()
            .nth(MAX_SHOWN_CHARS)
            .map_or(name.len(), |(index, _)| index);
        let path = Path::Member(path, name.get(..end).unwrap_or_default());
        let severity = if STRICT {
            Severity::Error
        } else {
            Severity::Warning
        };
        let names = fields.into_iter().flatten().map(|field| field.name);
        match nearest(name, names.clone()) {
            Some(near) => {
                let rest = concat(&[near, "?"]);
                self.add(
                    severity,
                    &path,
                    IssueReason::UnknownField,
                    "is not a known field; did you mean ",
                    &rest,
                );
            }
            None if STRICT => {
                self.error(
                    &path,
                    IssueReason::UnknownField,
                    "is not a known field; leave it out, or use one of ",
                    &names.collect::<Vec<_>>().join(", "),
                );
            }
            None => {}
        }
    }

    /// Validates a value by its kind. `is_required` refers to the value's field.
    fn value<V: Value>(&mut self, kind: Kind, is_required: bool, value: &V, path: &Path<'_>) {
        let expected = expected::<V>(kind);
        let found = value.kind();
        let is_list = found == Type::List;
        match kind {
            Kind::File(media) | Kind::FileOrFiles(media) if found == Type::Blob => {
                self.file(media, value, path)
            }
            Kind::File(_) | Kind::FileOrFiles(_) | Kind::Asset(_)
                if V::TAKES_FILES && found == Type::Object =>
            {
                self.reference(kind, value, path);
            }
            Kind::Files(media) => self.list(value, path, expected, is_required, Kind::File(media)),
            Kind::FileOrFiles(media) if is_list => {
                self.value(Kind::Files(media), is_required, value, path)
            }
            Kind::TextList => self.list(value, path, expected, is_required, Kind::Text),
            Kind::Segments => self.list(value, path, expected, true, Kind::Segment),
            Kind::Integer
            | Kind::PositiveInteger
            | Kind::Int32
            | Kind::PositiveInt32
            | Kind::Size => {
                self.integer(kind, value, path);
            }
            Kind::Number if found == Type::Number && value.number().is_none() => {
                self.error(
                    path,
                    IssueReason::OutOfRange,
                    "is not finite; give ",
                    expected,
                );
            }
            Kind::Number => self.of_type(value, path, Type::Number, expected),
            Kind::Boolean => self.of_type(value, path, Type::Boolean, expected),
            Kind::Segment => self.segment(value, path),
            Kind::VideoSize if is_list => {
                if value.length() != 2 {
                    self.doubt(path, IssueReason::Malformed, "has not two elements");
                }
                self.list(value, path, expected, false, Kind::PositiveInteger);
            }
            // The document says "object" and names no members, so unknown ones pass (§4.3).
            Kind::VideoSize if found == Type::Object => {
                for field in kind.members() {
                    self.field(
                        field,
                        value.get(field.name).as_ref(),
                        &Path::Member(path, field.name),
                    );
                }
            }
            Kind::VideoSize => self.wrong_type(path, value, expected),
            Kind::Region => {
                self.object([kind.members(), &[], &[]], value, path, expected);
            }
            _ => self.text(kind, value, path),
        }
    }

    fn text<V: Value>(&mut self, kind: Kind, value: &V, path: &Path<'_>) {
        let expected = expected::<V>(kind);
        let Some(text) = value.text() else {
            return self.wrong_type(path, value, expected);
        };
        let is_blank = is_blank(&text);
        match kind {
            Kind::Choice if is_blank => self.doubt(path, IssueReason::Empty, "is blank"),
            Kind::Text | Kind::Choice => {}
            _ if is_blank => self.error(path, IssueReason::Empty, "is empty; give ", expected),
            Kind::File(_) | Kind::FileOrFiles(_) if V::TAKES_FILES => {
                if let Some(place) = place_of(&text) {
                    self.error(path, IssueReason::WrongType, place, expected);
                }
            }
            Kind::Time if time::parse(&text).is_none() => self.error(
                path,
                IssueReason::Malformed,
                "is malformed; give ",
                expected,
            ),
            Kind::PageRange if pages::is_doubtful(&text) => {
                self.doubt(path, IssueReason::Malformed, "is an unusual range")
            }
            Kind::Volume if volume::is_doubtful(&text) => {
                self.doubt(path, IssueReason::Malformed, "is an unusual volume")
            }
            _ => {}
        }
    }

    fn file<V: Value>(&mut self, media: FileKind, file: &V, path: &Path<'_>) {
        if file.get("size").and_then(|size| size.number()) == Some(0.0) {
            self.error(
                path,
                IssueReason::Empty,
                "is an empty file; give one with at least one byte",
                "",
            );
        } else if file
            .get("type")
            .is_some_and(|media_type| media_type.text().is_some_and(|text| !media.fits(&text)))
        {
            self.error(
                path,
                IssueReason::WrongType,
                "is a file of another kind; give ",
                media.described(),
            );
        }
    }

    fn reference<V: Value>(&mut self, kind: Kind, value: &V, path: &Path<'_>) {
        match Reference::read(value.clone()) {
            None => self.wrong_type(path, value, expected::<V>(kind)),
            // A task passes, because its outputs are known only at its end.
            Some(Reference::Output { output, .. }) if !may_fit(kind, &output) => {
                self.error(
                    path,
                    IssueReason::WrongType,
                    "is an output of another kind; give ",
                    wanted(kind),
                );
            }
            Some(Reference::Url { .. }) if kind.media().is_none() => {
                self.wrong_type(path, value, expected::<V>(kind));
            }
            Some(Reference::Url { file }) => {
                let url = file.get("url").and_then(|url| url.text());
                let problem = match url.as_deref() {
                    Some(url) if is_url(url) => return,
                    Some(url) if is_data_uri(url) => MALFORMED_DATA_URI,
                    _ => "is no https URL; give ",
                };
                self.error(path, IssueReason::WrongType, problem, expected::<V>(kind));
            }
            Some(_) => {}
        }
    }

    fn list<V: Value>(
        &mut self,
        value: &V,
        path: &Path<'_>,
        expected: &str,
        is_filled: bool,
        each: Kind,
    ) {
        if value.kind() != Type::List {
            return self.wrong_type(path, value, expected);
        }
        if is_filled && value.length() == 0 {
            self.error(
                path,
                IssueReason::Empty,
                "is empty; give ",
                &concat(&[expected, ", at least one"]),
            );
        }
        for (index, item) in value.items().enumerate() {
            if self.errors < MAX_ISSUES {
                self.value(each, false, &item, &Path::Item(path, index));
            }
        }
    }

    fn integer<V: Value>(&mut self, kind: Kind, value: &V, path: &Path<'_>) {
        if value.kind() != Type::Number {
            return self.wrong_type(path, value, expected::<V>(kind));
        }
        // A float cast saturates, so a number outside of the type's range differs from its cast.
        let number = value.number().filter(|number| match kind {
            Kind::Size => (1.0..=MAX_SIZE).contains(number) && *number as u64 as f64 == *number,
            Kind::Int32 | Kind::PositiveInt32 => f64::from(*number as i32) == *number,
            _ => is_whole(*number),
        });
        match number {
            None => {
                let (what, rest) = match kind {
                    Kind::Size => ("is out of range; give ", expected::<V>(kind)),
                    _ if value.number().is_some_and(is_whole) => {
                        ("is out of range; give ", "a whole number of 32 bits")
                    }
                    _ => ("must be a whole number", ""),
                };
                self.error(path, IssueReason::OutOfRange, what, rest);
            }
            Some(..1.0) if matches!(kind, Kind::PositiveInteger | Kind::PositiveInt32) => {
                self.doubt(path, IssueReason::OutOfRange, "is not positive");
            }
            Some(_) => {}
        }
    }

    fn segment<V: Value>(&mut self, value: &V, path: &Path<'_>) {
        let kind = Kind::Segment;
        if !self.object([kind.members(), &[], &[]], value, path, expected::<V>(kind)) {
            return;
        }
        let at = |name| value.get(name).and_then(|time| time::parse(&time.text()?));
        let (Some(start), Some(end)) = (at("start_time"), at("end_time")) else {
            // A missing or malformed time has its own error.
            return;
        };
        let path = Path::Member(path, "end_time");
        if start > end {
            self.error(
                &path,
                IssueReason::Order,
                "is before start_time; give a later time",
                "",
            );
        } else if start == end {
            self.doubt(&path, IssueReason::Order, "is the same as start_time");
        }
    }

    fn of_type<V: Value>(&mut self, value: &V, path: &Path<'_>, kind: Type, expected: &str) {
        if value.kind() != kind {
            self.wrong_type(path, value, expected);
        }
    }

    fn wrong_type<V: Value>(&mut self, path: &Path<'_>, value: &V, expected: &str) {
        self.error(
            path,
            IssueReason::WrongType,
            &concat(&["is ", &value.described(), "; give "]),
            expected,
        );
    }

    pub(crate) fn error(&mut self, path: &Path<'_>, reason: IssueReason, what: &str, rest: &str) {
        self.add(Severity::Error, path, reason, what, rest);
    }

    fn doubt(&mut self, path: &Path<'_>, reason: IssueReason, what: &str) {
        self.add(Severity::Warning, path, reason, what, DOUBT);
    }

    /// Adds an issue. Its message is `what`, the problem, followed by `rest`.
    fn add(
        &mut self,
        severity: Severity,
        path: &Path<'_>,
        reason: IssueReason,
        what: &str,
        rest: &str,
    ) {
        // Only warnings are dropped: a request must not pass because its errors are too many.
        if severity == Severity::Error {
            self.errors += 1;
        } else if self.issues.len() - self.errors >= MAX_ISSUES {
            return;
        }
        let mut text = String::new();
        path.write(&mut text);
        self.issues.push(Issue {
            path: text,
            reason,
            message: concat(&[what, rest]),
            severity,
        });
    }
}

/// The number from which no float has a fraction.
const MAX_FRACTION: f64 = 9_007_199_254_740_992.0;

fn is_whole(number: f64) -> bool {
    // A float cast truncates, so a number with a fraction differs from its cast.
    number as i64 as f64 == number || number.abs() >= MAX_FRACTION
}

const MALFORMED_DATA_URI: &str = "is a malformed data URI; give ";

/// Returns true if a text begins as a data URI. A client converts each valid data URI to a file.
fn is_data_uri(text: &str) -> bool {
    text.starts_with("data:")
}

/// Describes a string that is a URL or a path. Returns `None` for an id of a file, which is in
/// base64url and has no character of either.
fn place_of(text: &str) -> Option<&'static str> {
    if is_data_uri(text) {
        Some(MALFORMED_DATA_URI)
    } else if text.contains(':') && !text.contains('\\') {
        Some("is a URL (give it as { url }, or fetch it and use the Blob); give ")
    } else if text.contains(['/', '\\', '.']) {
        Some("is a path (read the file, in Node by fs.openAsBlob); give ")
    } else {
        None
    }
}

const fn expected<V: Value>(kind: Kind) -> &'static str {
    if V::TAKES_FILES {
        kind.expected_with_files()
    } else {
        kind.expected()
    }
}
