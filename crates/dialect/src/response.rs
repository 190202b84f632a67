//! The reader of responses: a task, a result, an error, or an unreadable response.

use serde_json::Value;

use super::document::Dialect;
use super::failure::stated_failure;
use super::inline::inline_medium;
use super::json::words;
use super::task::TaskDialect;
use mediagate_core::outputs::{self, Output};
use mediagate_core::response::{Expects, Unreadable};
use mediagate_core::{Code, Envelope, Outcome, Value as _, fraction};

/// A response, read by a dialect.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded<'a> {
    /// A task.
    Task(Reading<'a>),
    /// Success without a task, if data is expected: `data`, or the bare value.
    Data(&'a Value),
    /// Success without a task, but with outputs: `data`, or the bare value.
    Result(&'a Value, Vec<Output>),
    /// An error response: an envelope with a code other than 0.
    Error(Envelope<&'a Value>),
    /// Not a readable response.
    Unreadable(Unreadable),
}

/// A task record with its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<'a> {
    /// The place of the record: a JSON Pointer from the response's outermost object.
    pub place: String,
    /// The record.
    pub record: &'a Value,
    /// The id, if the record has one.
    pub id: Option<String>,
    /// The state: the document's word for a final one, and any other state unchanged.
    pub state: Option<String>,
    /// True if the state is final.
    pub is_terminal: bool,
    /// The progress from 0 to 1.
    pub progress: Option<f64>,
    /// The error of a failed task, or the envelope's error if the task has ended.
    pub error: Option<TaskError>,
    /// The outputs.
    pub outputs: Vec<Output>,
}

impl Reading<'_> {
    /// Returns true if the task has ended without success.
    fn has_failed(&self) -> bool {
        self.is_terminal && self.state.as_deref() != Some("SUCCEEDED")
    }
}

/// The error of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskError {
    /// The message.
    pub message: Option<String>,
    /// The upstream's code or name for the error.
    pub code: Option<Value>,
}

impl Dialect {
    /// Reads a response. `status` is the HTTP status; `body` is `None` if the body is not JSON.
    ///
    /// The envelope decides, not the status (§7). Two kinds of tasks count also under a code other
    /// than 0: a task that has ended, and a created task unless the code rules out a create.
    pub fn decode<'a>(
        &self,
        status: u16,
        body: Option<&'a Value>,
        expects: Expects,
    ) -> Decoded<'a> {
        let succeeded = (200..300).contains(&status);
        let Some(body) = body else {
            return Decoded::Unreadable(Unreadable::NotJson);
        };
        let envelope = self.envelope.read(body);
        let code = envelope.as_ref().map(|envelope| envelope.code);
        // Without an envelope, only the status is left to decide.
        let is_success = code.map_or(succeeded, |code| code == Code::OK);
        let task = self
            .task(body, &envelope)
            .filter(|task| counts(task, code, is_success, expects));
        match (task, envelope) {
            (Some(task), _) => Decoded::Task(task),
            (None, Some(envelope)) if !is_success => Decoded::Error(envelope),
            (None, None) if !succeeded => match stated_failure(body) {
                Some(failure) if failure.code != Code::SERVER_ERROR => Decoded::Error(failure),
                _ => Decoded::Unreadable(Unreadable::NotAnEnvelope),
            },
            (None, None) if expects == Expects::Data => Decoded::Data(body),
            (None, Some(_))
                if !succeeded && matches!(expects, Expects::Data | Expects::TaskOrResult) =>
            {
                Decoded::Unreadable(Unreadable::Contradictory)
            }
            (None, Some(envelope)) if expects == Expects::Data => match envelope.data {
                Some(data) => Decoded::Data(data),
                None if has_more(body) => Decoded::Data(body),
                None => Decoded::Unreadable(Unreadable::NoData),
            },
            (None, envelope) => self.without_task(body, envelope, expects),
        }
    }

    /// Reads a successful response that has no task in the dialect's places.
    ///
    /// A result needs an output. A response without an output is a task in another place, an error,
    /// or unreadable.
    fn without_task<'a>(
        &self,
        body: &'a Value,
        envelope: Option<Envelope<&'a Value>>,
        expects: Expects,
    ) -> Decoded<'a> {
        // Some services respond with 200 and a member with an error.
        if let Some(failure) = stated_failure(body) {
            return Decoded::Error(failure);
        }
        if expects == Expects::TaskOrResult {
            let data = envelope.as_ref().and_then(|envelope| envelope.data);
            let result = data.unwrap_or(body);
            let mut found = self.outputs(&[result], "");
            if !result.is_object() {
                outputs::add_all(result, &mut found);
            }
            let has_output = !found.is_empty()
                || has_inline_media(result, "", &self.task.not_outputs, MAX_DEPTH);
            let task = self.task_within(body, &envelope);
            match task.filter(|task| !has_output || task.has_failed()) {
                Some(task) => return Decoded::Task(task),
                None if has_output => return Decoded::Result(result, found),
                None => {}
            }
        }
        Decoded::Unreadable(match envelope {
            Some(_) => Unreadable::NoTask,
            None => Unreadable::NotAnEnvelope,
        })
    }

    /// Finds the first object with an id and a state in the whole response.
    fn task_within<'a>(
        &self,
        body: &'a Value,
        envelope: &Option<Envelope<&'a Value>>,
    ) -> Option<Reading<'a>> {
        let mut places = Vec::new();
        list_places(body, String::new(), MAX_DEPTH, &mut places);
        places.iter().find_map(|(place, record)| {
            let own = &[*record];
            let has_id = self.task.id.find(own, |id| id.identifier()).is_some();
            let is_task = has_id && self.state(own).is_some();
            is_task.then(|| self.read(body, place, record, envelope))
        })
    }

    /// Returns the first record in the dialect's places that has an id or a state.
    fn task<'a>(
        &self,
        body: &'a Value,
        envelope: &Option<Envelope<&'a Value>>,
    ) -> Option<Reading<'a>> {
        self.task.record.iter().find_map(|place| {
            let record = body.pointer(place).filter(|record| record.is_object())?;
            let reading = self.read(body, place, record, envelope);
            let has_id = reading.id.is_some();
            let has_state = reading.state.is_some();
            // An envelope may have its own `id` or `status`, so it needs both to be a record,
            // unless the dialect has records only there.
            let is_envelope = place.is_empty() && envelope.is_some();
            let is_record = reading.is_terminal && reading.progress.is_some();
            let is_own = is_envelope && !(is_record && self.task.record.iter().all(str::is_empty));
            let is_task = if is_own {
                has_id && has_state
            } else {
                has_id || has_state
            };
            is_task.then_some(reading)
        })
    }

    /// Reads a record, with the objects around it in the body.
    fn read<'a>(
        &self,
        body: &'a Value,
        place: &str,
        record: &'a Value,
        envelope: &Option<Envelope<&'a Value>>,
    ) -> Reading<'a> {
        let mut values = Vec::from([record]);
        values.extend(around(body, place, envelope.is_some()));
        let (mut state, is_terminal) = self.state(&values).unzip();
        let is_terminal = is_terminal.unwrap_or(false);
        let outputs = self.outputs(&values, place);
        if self.is_flag_with_error(&values, state.as_deref(), &outputs) {
            state = Some("FAILED".to_owned());
        }
        let error = envelope
            .as_ref()
            .filter(|envelope| envelope.code != Code::OK);
        let is_failed = is_terminal && (state.as_deref() != Some("SUCCEEDED") || error.is_some());
        Reading {
            id: self.task.id.find(&values, |id| id.identifier()),
            progress: self
                .task
                .progress
                .find(&values, |progress| self.fraction(progress)),
            error: is_failed
                .then(|| self.error(&values, error, envelope))
                .flatten(),
            outputs,
            place: place.to_owned(),
            record,
            state,
            is_terminal,
        }
    }

    /// Returns the state, and true if it is final. A final state has precedence over another word
    /// in the same object.
    fn state(&self, values: &[&Value]) -> Option<(String, bool)> {
        values.iter().find_map(|value| {
            let value = &[*value];
            let terminal = self
                .task
                .state
                .find(value, |state| self.states.terminal(&word(state)?));
            let terminal = terminal.map(|state| (state.to_owned(), true));
            terminal.or_else(|| Some((self.task.state.find(value, word)?, false)))
        })
    }

    /// Returns true if a task whose state is a flag, such as `"done": true`, has an error and no
    /// output. The flag is true after a failure, too.
    fn is_flag_with_error(
        &self,
        values: &[&Value],
        state: Option<&str>,
        outputs: &[Output],
    ) -> bool {
        let Some(record) = values.first() else {
            return false;
        };
        let is_flag = self.task.state.find(values, Value::as_bool) == Some(true);
        if !is_flag || state != Some("SUCCEEDED") {
            return false;
        }
        let has_output =
            !outputs.is_empty() || has_inline_media(record, "", &self.task.not_outputs, MAX_DEPTH);
        // The default has places such as `message`, which a success may have as well.
        let is_own_place = self.task.error_message != TaskDialect::default().error_message;
        let has_error = stated_failure(record).is_some()
            || is_own_place && self.task.error_message.find(values, words).is_some();
        has_error && !has_output
    }

    fn fraction(&self, value: &Value) -> Option<f64> {
        match self.task.progress_complete {
            None => fraction(value),
            Some(complete) => {
                let text = value.as_str().map(|text| text.trim().trim_end_matches('%'));
                let number = value.as_f64().or_else(|| text?.parse().ok())?;
                Some(number / complete).filter(|share| (0.0..=1.0).contains(share))
            }
        }
    }

    /// Returns the error of a task. `failed` is the envelope if its code is not 0.
    fn error(
        &self,
        values: &[&Value],
        failed: Option<&Envelope<&Value>>,
        envelope: &Option<Envelope<&Value>>,
    ) -> Option<TaskError> {
        // If the record is the envelope, its `message` may be "ok".
        let of_envelope = envelope
            .as_ref()
            .filter(|_| failed.is_none())
            .and_then(|envelope| envelope.message);
        let own = |value: &Value| !of_envelope.is_some_and(|other| core::ptr::eq(value, other));
        let message = self
            .task
            .error_message
            .find(values, |message| words(message).filter(|_| own(message)));
        let code = |value: &Value| {
            Some(value.clone()).filter(|value| value.identifier().is_some_and(|code| code != "0"))
        };
        let error = TaskError {
            message: message.or_else(|| words(failed?.message?)),
            code: failed
                .map(|failure| failure.code.0.into())
                .or_else(|| self.task.error_code.find(values.get(..1)?, code)),
        };
        (error != TaskError::default()).then_some(error)
    }

    /// Returns the outputs at the dialect's places, then in the record, then beside the record.
    fn outputs(&self, values: &[&Value], place: &str) -> Vec<Output> {
        let mut found = Vec::new();
        let named = values.iter().flat_map(|value| {
            self.task
                .outputs
                .iter()
                .filter_map(|pointer| value.pointer(pointer))
        });
        named.for_each(|output| outputs::add_all(output, &mut found));
        let record = values.first();
        let around = values.get(1);
        let other = &self.task.not_outputs;
        let own = record.map(|record| outputs::find(*record, other));
        let name = place.rsplit('/').next().unwrap_or_default();
        let beside = around.map(|object| outputs::find_beside(*object, name, other));
        own.into_iter()
            .chain(beside)
            .flatten()
            .for_each(|output| outputs::add(&mut found, output));
        outputs::sort(&mut found);
        found
    }
}

/// The levels of a response that are searched for a task.
const MAX_DEPTH: usize = 6;

/// Returns true if a value has a medium as text, in a member that may have results.
fn has_inline_media(value: &Value, name: &str, left_out: &[String], depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    match value {
        Value::String(text) => inline_medium(name, text).is_some(),
        Value::Array(items) => items
            .iter()
            .any(|item| has_inline_media(item, name, left_out, depth - 1)),
        Value::Object(members) => members.iter().any(|(name, member)| {
            !outputs::is_left_out(name, left_out)
                && has_inline_media(member, name, left_out, depth - 1)
        }),
        _ => false,
    }
}

/// Returns a state as a word. The state may be a string, a number or a boolean.
fn word(state: &Value) -> Option<String> {
    match state {
        Value::Bool(state) => Some(state.to_string()),
        other => other.identifier(),
    }
}

/// Lists the objects in a response with their JSON Pointers, the outer ones first. Skips members
/// that repeat the request.
fn list_places<'a>(
    value: &'a Value,
    place: String,
    depth: usize,
    places: &mut Vec<(String, &'a Value)>,
) {
    if value.is_object() {
        places.push((place.clone(), value));
    }
    if depth == 0 {
        return;
    }
    let mut inner = |name: String, value| {
        list_places(value, format!("{place}/{name}"), depth - 1, places);
    };
    for (name, member) in value.as_object().into_iter().flatten() {
        if !outputs::repeats_request(name) {
            inner(escaped(name), member);
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        inner(index.to_string(), item);
    }
}

/// Returns a name as a segment of a JSON Pointer (RFC 6901).
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns true if an envelope has further members.
fn has_more(body: &Value) -> bool {
    let own = ["code", "message", "data", "Code", "Message", "Data"];
    body.as_object()
        .is_some_and(|members| members.keys().any(|name| !own.contains(&name.as_str())))
}

/// Returns true if the task found in a response with this code is the one that the caller expects.
fn counts(task: &Reading<'_>, code: Option<Code>, is_success: bool, expects: Expects) -> bool {
    // An `id` in `data` itself may be the id of anything, unless there is a state, too.
    let is_nested = !matches!(task.place.as_str(), "" | "/data" | "/data/0" | "/Data");
    let is_task = task.state.is_some() || is_nested || task.record.get("id").is_none();
    match expects {
        Expects::Data => false,
        Expects::Status if is_success => true,
        Expects::Status => task.is_terminal,
        _ if task.id.is_none() => false,
        _ if !is_success => is_task && code.is_some_and(|code| code.outcome() == Outcome::Unknown),
        Expects::Task => true,
        Expects::TaskOrResult => is_task,
    }
}

/// Returns the objects around a place, the innermost first, without the envelope.
fn around<'a>(body: &'a Value, place: &str, is_envelope: bool) -> Vec<&'a Value> {
    place
        .rmatch_indices('/')
        .filter(|(index, _)| *index > 0 || !is_envelope)
        .filter_map(|(end, _)| body.pointer(place.get(..end)?))
        .filter(|object| object.is_object())
        .collect()
}
