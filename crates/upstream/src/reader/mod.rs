//! The reader of responses: a task, a result, an error, or an unreadable response. The README has
//! its rules.

mod contrary;
mod details;
mod failure;
mod inline;
mod media;
mod record;
mod remedy;
mod state;

use mediagate_core::response::{Expects, Unreadable};
use mediagate_core::{Code, EXPIRED, Envelope, FAILED, Outcome, fraction};
use serde_json::{Value, json};

use crate::json::{identifier, words};
use crate::outputs::{Linked, Output, Search};
use crate::settings::{CodeMeaning, Dialect, TaskDialect};
use contrary::{is_denied, states_error};
pub use details::refused_content;
use details::{error_record, warnings_of};
use failure::stated_failure;
use media::{Link, link_media};
use record::Members;
use state::{End, State};

pub use inline::{InlineMedium, shown_type};
pub use record::TaskRecord;
pub use remedy::{Candidate, Finding};

/// A response that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A task.
    Task(TaskRecord),
    /// A finished result without a task (§4.2).
    Result(TaskRecord),
    /// Success, if data is expected: the whole body.
    Data(Value),
    /// An error response: a code other than 0.
    Error(UpstreamError),
    /// A code that means that the task does not exist any more.
    Gone,
    /// A response that the rules can't read.
    Unreadable {
        /// The defect of the response.
        defect: Unreadable,
        /// A line of settings that may read the response, if there is one.
        remedy: Option<String>,
    },
}

/// An error of the upstream.
#[derive(Clone, Debug, PartialEq)]
pub struct UpstreamError {
    /// The code.
    pub code: Code,
    /// The message. Empty if there is none.
    pub message: String,
    /// The response's `data`.
    pub data: Option<Value>,
}

impl UpstreamError {
    fn new(envelope: &Envelope<&Value>) -> Self {
        let message = envelope.message.and_then(Value::as_str);
        UpstreamError {
            code: envelope.code,
            message: message.unwrap_or_default().to_owned(),
            data: envelope.data.cloned(),
        }
    }
}

struct Response<'a> {
    dialect: &'a Dialect,
    status: u16,
    expects: Expects,
    /// The id by which the task was requested.
    known_id: Option<&'a str>,
    /// The code; `None` if the response has no readable one.
    code: Option<Code>,
}

struct Parts {
    /// The place of the record: a JSON Pointer from the response's outermost object.
    place: String,
    id: Option<String>,
    state: Option<State>,
    /// True if a flag of the record, or around it, denies a success.
    is_denied: bool,
    /// True if the id can only be a task's, by its place or by its name.
    is_certain: bool,
}

impl Parts {
    fn end(&self) -> Option<End> {
        self.state.as_ref()?.end
    }
}

impl Dialect {
    /// Reads a response. `status` is the HTTP status; `body` is `None` if the body is not JSON. The
    /// task was requested by `known_id`. `link` returns a URL for each medium that an ended task or
    /// a result has as text.
    pub fn read(
        &self,
        status: u16,
        body: Option<Value>,
        expects: Expects,
        known_id: Option<&str>,
        link: &mut Link<'_>,
    ) -> Answer {
        let Some(body) = body else {
            let defect = Unreadable::NotJson;
            return Answer::Unreadable {
                defect,
                remedy: None,
            };
        };
        let response = Response::new(self, status, &body, expects, known_id);
        if expects == Expects::Data {
            return response.data(body);
        }
        match response.parts(&body) {
            Some(parts) => response.task(body, parts, link),
            None => response.without_task(body, link),
        }
    }
}

impl<'a> Response<'a> {
    fn new(
        dialect: &'a Dialect,
        status: u16,
        body: &Value,
        expects: Expects,
        known_id: Option<&'a str>,
    ) -> Self {
        Response {
            dialect,
            status,
            expects,
            known_id,
            code: dialect.envelope.read(body).map(|envelope| envelope.code),
        }
    }

    fn is_2xx(&self) -> bool {
        (200..300).contains(&self.status)
    }

    fn unreadable(&self, defect: Unreadable, body: &Value) -> Answer {
        Answer::Unreadable {
            defect,
            remedy: self.remedy(body),
        }
    }

    /// Returns the first setting that may read the response.
    fn remedy(&self, body: &Value) -> Option<String> {
        let candidates = self.dialect.candidates(body, self.expects);
        candidates.first().map(Candidate::line)
    }

    fn error(&self, body: &Value) -> Answer {
        match self.dialect.envelope.read(body) {
            Some(envelope) => Answer::Error(UpstreamError::new(&envelope)),
            None => self.unreadable(Unreadable::NotAnEnvelope, body),
        }
    }

    /// Reads the response to a request that expects any data.
    fn data(&self, body: Value) -> Answer {
        match self.code {
            Some(code) if code != Code::OK => self.error(&body),
            None if !self.is_2xx() => self.refused(&body),
            None => Answer::Data(body),
            Some(_) if !self.is_2xx() => self.unreadable(Unreadable::Contradictory, &body),
            Some(_) => {
                let envelope = self.dialect.envelope.read(&body);
                let has_data = envelope.is_some_and(|envelope| envelope.data.is_some());
                if has_data || has_more(&body) {
                    Answer::Data(body)
                } else {
                    self.unreadable(Unreadable::NoData, &body)
                }
            }
        }
    }

    /// Reads a response without an envelope under a status other than 2xx.
    fn refused(&self, body: &Value) -> Answer {
        match stated_failure(body) {
            Some(failure) if failure.code != Code::SERVER_ERROR => {
                Answer::Error(UpstreamError::new(&failure))
            }
            _ => self.unreadable(Unreadable::NotAnEnvelope, body),
        }
    }

    /// Finds the first place of the settings with a record: an object with an id or a state. A
    /// create needs an id, so a place with only a state comes after every place with an id.
    fn parts(&self, body: &Value) -> Option<Parts> {
        let mut without_id = None;
        for place in self.dialect.task.record.iter() {
            match self.at(body, place) {
                Some(parts) if parts.id.is_none() && self.expects != Expects::Status => {
                    without_id = without_id.or(Some(parts));
                }
                Some(parts) => return Some(parts),
                None => {}
            }
        }
        without_id
    }

    fn at(&self, body: &Value, place: &str) -> Option<Parts> {
        let task = &self.dialect.task;
        let envelope = self.code.map(|_| body);
        let place = self.own_item(body, place)?;
        let record = body.pointer(&place).filter(|record| record.is_object())?;
        let around = objects_around(body, &place, envelope.is_some());
        let values: Vec<&Value> = [record].into_iter().chain(around.iter().copied()).collect();
        let id = task.id.find(&values, identifier);
        let state = self.dialect.state_of(record, &around, envelope);
        let has_own_id = self.has_own_id(record);
        // An envelope may have an `id` or a `status` of the request, unless the settings have
        // records only there.
        let is_envelope = place.is_empty() && envelope.is_some();
        let is_record = if is_envelope && !task.record.iter().all(str::is_empty) {
            has_own_id || id.is_some() && state.is_some()
        } else {
            id.is_some() || state.is_some()
        };
        if !is_record {
            return None;
        }
        Some(Parts {
            is_denied: values.into_iter().chain(envelope).any(is_denied),
            is_certain: has_own_id || !matches!(place.as_str(), "" | "/data" | "/data/0"),
            place,
            id,
            state,
        })
    }

    /// Returns true if the id is surely a task's. `id` and `uuid` may be of anything, unless their
    /// place is a task's.
    fn has_own_id(&self, record: &Value) -> bool {
        self.dialect.task.id.iter().any(|place| {
            let id = record.pointer(place).and_then(identifier);
            id.is_some() && !matches!(place, "/id" | "/uuid")
        })
    }

    /// Returns the place of the record itself. In a list, it is the item with the id of the
    /// requested task; `None` if the list has only others.
    fn own_item(&self, body: &Value, place: &str) -> Option<String> {
        if let Some(known) = self.known_id
            && self.expects == Expects::Status
            && let Some(list) = place.strip_suffix("/0")
            && let Some(Value::Array(items)) = body.pointer(list)
        {
            let id = &self.dialect.task.id;
            let ids: Vec<_> = items
                .iter()
                .map(|item| id.find(&[item], identifier))
                .collect();
            if let Some(index) = ids.iter().position(|id| id.as_deref() == Some(known)) {
                return Some(format!("{list}/{index}"));
            }
            if ids.iter().any(Option::is_some) {
                return None;
            }
        }
        Some(place.to_owned())
    }

    fn task(&self, body: Value, parts: Parts, link: &mut Link<'_>) -> Answer {
        match self.expects {
            Expects::Status => self.status_of_task(body, parts, link),
            // The envelope may have an id and a state of its own, but a create makes a new id.
            _ if parts.id.is_none() => self.without_task(body, link),
            _ => self.created_task(body, parts, link),
        }
    }

    fn status_of_task(&self, body: Value, parts: Parts, link: &mut Link<'_>) -> Answer {
        let counts = match parts.end() {
            Some(End::Succeeded) => self.status < 400 && !parts.is_denied,
            Some(End::Failed) => self.status < 500,
            None => true,
        };
        match self.code {
            None if self.dialect.envelope.is_required() => {
                self.unreadable(Unreadable::NotAnEnvelope, &body)
            }
            None if !self.is_2xx() => {
                if parts.end() == Some(End::Failed) && counts {
                    return self.record(body, parts, link);
                }
                self.refused(&body)
            }
            Some(code) if code != Code::OK => {
                if parts.end() == Some(End::Failed) && counts {
                    return self.record(body, parts, link);
                }
                self.failed_read(code, &body)
            }
            _ if counts => self.record(body, parts, link),
            _ => self.unreadable(Unreadable::Contradictory, &body),
        }
    }

    /// Reads a status under a code other than 0, without a record that counts. The settings may
    /// give the code a meaning for the task.
    fn failed_read(&self, code: Code, body: &Value) -> Answer {
        let word = match self.dialect.task.codes.get(&code.0.to_string()) {
            None => return self.error(body),
            Some(CodeMeaning::Gone) => return Answer::Gone,
            Some(CodeMeaning::Failed) => FAILED,
            Some(CodeMeaning::Expired) => EXPIRED,
        };
        let record = self
            .parts(body)
            .and_then(|parts| body.pointer(&parts.place));
        let values: Vec<&Value> = record.into_iter().collect();
        let members = Members {
            id: self.known_id.unwrap_or_default().to_owned(),
            state: Some(word.to_owned()),
            is_terminal: true,
            error: self.error_of(body, &values),
            ..Members::default()
        };
        Answer::Task(TaskRecord::of_task(json!({"task": {}}), "/task", members))
    }

    /// Reads the response to a create that has a record with an id. The id is never thrown away,
    /// unless the code rules out a create. A state that the rest contradicts is.
    fn created_task(&self, body: Value, mut parts: Parts, link: &mut Link<'_>) -> Answer {
        let is_taskless = self.expects == Expects::TaskOrResult;
        let is_believed = match self.code {
            Some(code) if code != Code::OK => {
                if code.outcome() != Outcome::Unknown {
                    return self.error(&body);
                }
                false
            }
            Some(_) => self.status < 400,
            None if !self.is_2xx() => return self.refused(&body),
            // The document shows no response of text-to-image, not even an envelope.
            None => {
                !self.dialect.envelope.is_required() || is_taskless && body.get("code").is_none()
            }
        };
        let is_doubtful = parts.end() == Some(End::Succeeded) && parts.is_denied;
        let is_failed_below_500 = parts.end() == Some(End::Failed) && self.status < 500;
        if parts.end().is_some() && (!is_believed || is_doubtful) && !is_failed_below_500 {
            parts.state = None;
        }
        if is_taskless && parts.state.is_none() && !parts.is_certain && is_believed {
            // The id may be the request's, beside a finished result.
            return match self.result(body, link) {
                Ok(answer) => answer,
                Err(body) => self.record(body, parts, link),
            };
        }
        self.record(body, parts, link)
    }

    fn record(&self, mut body: Value, parts: Parts, link: &mut Link<'_>) -> Answer {
        let task = &self.dialect.task;
        let is_ended = parts.end().is_some();
        let Parts {
            place,
            id,
            mut state,
            ..
        } = parts;
        let mut linked = Linked::new();
        if is_ended {
            // Outputs may be beside the record as well.
            let mut places = vec![place.clone()];
            for (outer, _) in around(&body, &place, false) {
                places.push(outer);
            }
            places.push("/data".to_owned());
            for place in places {
                if let Some(value) = body.pointer_mut(&place)
                    && value.is_object()
                {
                    linked.append(&mut link_media(value, &task.not_outputs, link));
                }
            }
        }
        let Some(record) = body.pointer(&place) else {
            return self.unreadable(Unreadable::NoTask, &body);
        };
        let mut values = vec![record];
        values.extend(objects_around(&body, &place, self.code.is_some()));
        let outputs = self.outputs(&body, &place, &linked);
        if let Some(success) = &state
            && success.is_success()
        {
            // A flag such as `"done": true` is true after a failure as well.
            if (outputs.is_empty() || success.is_flag) && self.states_failure(&values) {
                state = Some(State::ended(FAILED));
            } else if outputs.is_empty() && self.expects != Expects::Status {
                // The end of a create without outputs does not count: it is read again.
                state = None;
            }
        }
        let end = state.as_ref().and_then(|state| state.end);
        let error = match end {
            Some(End::Failed) => self.error_of(&body, &values),
            _ => None,
        };
        let id = self.known_id.map(ToOwned::to_owned).or(id);
        let members = Members {
            id: id.unwrap_or_default(),
            is_terminal: end.is_some(),
            state: state.map(|state| state.word),
            progress: task
                .progress
                .find(&values, |progress| self.fraction(progress)),
            outputs,
            error,
            warnings: warnings_of(record),
        };
        Answer::Task(TaskRecord::of_task(body, &place, members))
    }

    /// Returns true if a record has an error beside the word for success.
    fn states_failure(&self, values: &[&Value]) -> bool {
        let task = &self.dialect.task;
        // The default has places such as `message`, which a success may have as well.
        let is_own_place = task.error_message != TaskDialect::default().error_message;
        values.first().is_some_and(|record| states_error(record))
            || is_own_place && task.error_message.find(values, words).is_some()
    }

    /// Reads a response that has no record in the places of the settings.
    fn without_task(&self, body: Value, link: &mut Link<'_>) -> Answer {
        let is_taskless = self.expects == Expects::TaskOrResult;
        match self.code {
            Some(code) if code != Code::OK => {
                return if self.expects == Expects::Status {
                    self.failed_read(code, &body)
                } else {
                    self.error(&body)
                };
            }
            None if !self.is_2xx() => return self.refused(&body),
            Some(_) if !self.is_2xx() && is_taskless => {
                return self.unreadable(Unreadable::Contradictory, &body);
            }
            _ => {}
        }
        // Some services respond with 200 and a member with an error.
        if let Some(failure) = stated_failure(&body) {
            return Answer::Error(UpstreamError::new(&failure));
        }
        let body = if is_taskless {
            match self.result(body, link) {
                Ok(answer) => return answer,
                Err(body) => body,
            }
        } else {
            body
        };
        let defect = match self.code {
            Some(_) => Unreadable::NoTask,
            None => Unreadable::NotAnEnvelope,
        };
        self.unreadable(defect, &body)
    }

    /// Reads a finished result of text-to-image, which needs a picture at an output's place, and
    /// nothing in the response that states otherwise. Any other body is returned as the error.
    fn result(&self, mut body: Value, link: &mut Link<'_>) -> Result<Answer, Value> {
        let has_code = body.get("code").is_some_and(|code| !code.is_null());
        if !self.is_2xx() || self.code.is_none() && has_code || self.dialect.is_contrary(&body) {
            return Err(body);
        }
        let left_out = &self.dialect.task.not_outputs;
        let mut linked = link_media(&mut body, left_out, link);
        let inner = body.get_mut("data").filter(|data| !data.is_null());
        let has_inner = inner.is_some();
        if let Some(data) = inner {
            linked.append(&mut link_media(data, left_out, link));
        }
        let mut search = Search::new(left_out, &linked);
        let data = body.get("data").filter(|_| has_inner);
        for value in data.into_iter().chain([&body]) {
            self.read_named_outputs(value, &mut search);
        }
        for value in data.into_iter().chain([&body]) {
            search.read(value, None);
        }
        let mut outputs = search.found;
        outputs.retain(|output| {
            output.url.is_some() && output.kind.is_none_or(|kind| kind == "image")
        });
        if outputs.is_empty() {
            return Err(body);
        }
        let result = match body.get_mut("data") {
            Some(data) if self.code.is_some() && has_inner => data.take(),
            _ => body,
        };
        Ok(Answer::Result(TaskRecord::of_result(result, outputs)))
    }

    fn read_named_outputs(&self, value: &Value, search: &mut Search<'_>) {
        for place in self.dialect.task.outputs.iter() {
            if let Some(named) = value.pointer(place) {
                search.read_named(named);
            }
        }
    }

    /// Returns the outputs at the places of the settings, then in the record, then in the objects
    /// around it, with the envelope and its `data`. Outputs with a URL come before outputs with
    /// only an id.
    fn outputs(&self, body: &Value, place: &str, linked: &Linked) -> Vec<Output> {
        let mut search = Search::new(&self.dialect.task.not_outputs, linked);
        let mut values: Vec<(String, &Value)> = Vec::new();
        if let Some(record) = body.pointer(place) {
            values.push((place.to_owned(), record));
        }
        values.extend(around(body, place, false));
        if let Some(data) = body.get("data")
            && data.is_object()
            && !place.starts_with("/data")
        {
            values.push(("/data".to_owned(), data));
        }
        for (_, value) in &values {
            self.read_named_outputs(value, &mut search);
        }
        for (own, value) in values {
            // The member that leads to the record.
            let inner = place.strip_prefix(&own).unwrap_or_default();
            search.read(value, inner.split('/').nth(1));
        }
        search.found.sort_by_key(|output| output.url.is_none());
        search.found
    }

    fn fraction(&self, value: &Value) -> Option<f64> {
        match self.dialect.task.progress_complete {
            None => fraction(value),
            Some(complete) => {
                let text = value.as_str().map(|text| text.trim().trim_end_matches('%'));
                let number = value.as_f64().or_else(|| text?.parse().ok())?;
                Some(number / complete).filter(|share| (0.0..=1.0).contains(share))
            }
        }
    }

    fn error_of(&self, body: &Value, values: &[&Value]) -> Option<Value> {
        let envelope = self.dialect.envelope.read(body);
        let task = &self.dialect.task;
        let message = task.error_message.find(values, |message| match &envelope {
            // If the record is the envelope, its `message` may be "ok".
            Some(envelope) if envelope.code == Code::OK && is_message_of(envelope, message) => None,
            _ => words(message),
        });
        let failure = envelope.filter(|envelope| envelope.code != Code::OK);
        let code = match &failure {
            Some(failure) => Some(failure.code.0.into()),
            None => {
                let record = values.get(..1).unwrap_or_default();
                task.error_code.find(record, error_code)
            }
        };
        error_record(
            message.or_else(|| words(failure?.message?)),
            code,
            values.iter().find_map(|value| refused_content(value)),
        )
    }
}

fn is_message_of(envelope: &Envelope<&Value>, value: &Value) -> bool {
    envelope
        .message
        .is_some_and(|message| core::ptr::eq(message, value))
}

fn error_code(value: &Value) -> Option<Value> {
    let code = identifier(value)?;
    (code != "0").then(|| value.clone())
}

fn has_more(body: &Value) -> bool {
    let own = ["code", "message", "data"];
    match body {
        Value::Object(members) => members.keys().any(|name| !own.contains(&name.as_str())),
        _ => false,
    }
}

/// Returns the objects around a place with their places, the innermost first, without the envelope.
fn around<'a>(body: &'a Value, place: &str, is_envelope: bool) -> Vec<(String, &'a Value)> {
    let mut found = Vec::new();
    for (end, _) in place.rmatch_indices('/') {
        let outer = &place[..end];
        if let Some(object) = body.pointer(outer)
            && object.is_object()
            && !(is_envelope && outer.is_empty())
        {
            found.push((outer.to_owned(), object));
        }
    }
    found
}

fn objects_around<'a>(body: &'a Value, place: &str, is_envelope: bool) -> Vec<&'a Value> {
    let around = around(body, place, is_envelope);
    around.into_iter().map(|(_, object)| object).collect()
}
