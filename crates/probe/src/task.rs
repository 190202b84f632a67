//! The creation of a task, the search for the path of its status, and its polls.

use serde_json::{Value, json};

use super::explain::explained;
use super::history::{End, History, text};
use super::leaves::{Leaf, leaves};
use super::report::Report;
use super::session::{Session, default_path};
use super::step::{DecodedResponse, TITLE, strings};
use mediagate_core::{Capability, Code, Group, Outcome};
use mediagate_dialect::{capability_named, path_segment, status_path};

/// The likely paths of a generation task's status, after the prefix. The document shows the first
/// one (§4.1).
const GENERATE_PATHS: [&str; 9] = [
    "generate/tasks/{task_id}",
    "tasks/{task_id}",
    "generate/task/{task_id}",
    "task/{task_id}",
    "jobs/{task_id}",
    "tasks/{task_id}/status",
    "generate/{medium}/tasks/{task_id}",
    "generate/{medium}/{capability}/tasks/{task_id}",
    "generate/{medium}/{capability}/{task_id}",
];
/// The likely paths of a processing task's status, after the prefix; the first is the default.
const PROCESS_PATHS: [&str; 13] = [
    "process/tasks/{task_id}",
    "generate/tasks/{task_id}",
    "tasks/{task_id}",
    "process/task/{task_id}",
    "processing/tasks/{task_id}",
    "task/{task_id}",
    "jobs/{task_id}",
    "process/jobs/{task_id}",
    "tasks/{task_id}/status",
    "process/tasks/{task_id}/status",
    "process/{medium}/tasks/{task_id}",
    "process/{medium}/{capability}/tasks/{task_id}",
    "process/{medium}/{capability}/{task_id}",
];
/// Milliseconds between two polls.
const POLL_MS: u64 = 2_000;
/// The largest number of polls of a task, which takes half an hour.
const MAX_POLLS: usize = 900;
/// The number of polls in a row without a readable response after which the task is given up.
const MAX_LOST_POLLS: usize = 5;
/// The id of a task that does not exist.
const NO_TASK: &str = "mediagate-probe-no-task";
/// The largest number of members of a response that are tried as the task's id at the first path.
const MAX_IDS: usize = 6;
/// The largest number of such members at each later path.
const MAX_OTHER_IDS: usize = 3;
/// Words in the names of task ids.
const IDS: [&str; 9] = [
    "id",
    "task",
    "job",
    "uuid",
    "ticket",
    "key",
    "handle",
    "ref",
    "reference",
];
/// Words in the names of ids that are not a task's.
const NOT_TASKS: [&str; 9] = [
    "request", "trace", "model", "user", "file", "asset", "credits", "cost", "price",
];

/// Returns the setting for a group's status path.
pub(super) const fn path_setting(group: Group) -> &'static str {
    match group {
        Group::Generate => "UPSTREAM_TASK_PATH_GENERATE",
        Group::Process => "UPSTREAM_TASK_PATH_PROCESS",
    }
}

/// Creates one task, if a person consents, and follows it. Stores the task's history before the
/// first poll, so that an interruption does not lose it.
pub(super) async fn follow(
    session: &Session,
    report: &mut Report,
    histories: &mut Vec<History>,
    capability: &'static Capability,
    mut input: Value,
) {
    let setting = path_setting(capability.group());
    let name = capability.name();
    if !session.may_create(capability).await {
        report.untried(setting, &format!("no task of {name} was created"));
        return;
    }
    if let Some(file_id) = input["file_id"].as_str() {
        confirm(session, report, file_id).await;
    }
    input["title"] = json!(TITLE);
    let create = match session.create(capability, input.clone()).await {
        Ok(response) => response,
        Err(_) if session.is_interrupted() => return,
        Err(why) => {
            report.note(format!(
                "The create of {name} got no response ({why}). {MAY_EXIST}"
            ));
            report.untried(setting, "the response to the create was lost");
            return;
        }
    };
    if is_rejected(&create) {
        report.note(format!("{name} was not created: {}", explained(&create)));
        report.untried(setting, &format!("no task of {name} was created"));
        if input["file_id"].is_string() && create.code == Some(Code::INVALID_INPUT.0) {
            let why = "the create with an uploaded file was refused; if the service requires a \
                       request that confirms each file, set its path";
            report.untried("upload.confirm", why);
        }
        return;
    }
    let paths = session.paths(setting, likely_paths(capability.group()));
    let Some((path, id, first)) = status(session, capability, &paths, &create, &input).await else {
        if create.success().is_none() {
            report.note(format!(
                "The create of {name} was refused, or failed: {} {MAY_EXIST}",
                explained(&create)
            ));
        } else {
            report.note(format!(
                "The task of {name} was created, and could not be followed. {MAY_EXIST}"
            ));
        }
        report.unknown(
            setting,
            &format!("no path that was tried has the task that was created ({name})"),
        );
        return;
    };
    report.tasks.push(format!("{id} ({name})"));
    if path != default_path(likely_paths(capability.group())) {
        report.set(setting, &*path);
    }
    let path = filled(&path, capability, &id);
    histories.push(History {
        id,
        create,
        polls: Vec::from([first]),
    });
    if let Some(history) = histories.last_mut() {
        poll(session, report, &path, history, name).await;
    }
}

/// Confirms a file, if the known dialect has a request for that.
async fn confirm(session: &Session, report: &mut Report, file_id: &str) {
    let Some(dialect) = session.known.dialect().upload.confirm else {
        return;
    };
    let Some(segment) = path_segment(file_id) else {
        // No path can contain this id.
        return;
    };
    let path = dialect.path(&segment);
    let body = dialect.body(file_id);
    let response = session.try_post("confirm the file", &path, body).await;
    if !(200..300).contains(&response.status) {
        report.note(format!(
            "The file was not confirmed: {}",
            explained(&response)
        ));
    }
}

const MAY_EXIST: &str =
    "The task may exist and may have been charged: see your account. It was not repeated.";

/// Returns true if the service certainly created no task.
fn is_rejected(create: &DecodedResponse) -> bool {
    match create.code {
        Some(code) => Code(code).outcome() == Outcome::Rejected,
        None => (400..500).contains(&create.status),
    }
}

const fn likely_paths(group: Group) -> &'static [&'static str] {
    match group {
        Group::Generate => &GENERATE_PATHS,
        Group::Process => &PROCESS_PATHS,
    }
}

/// Returns the path of the status of a task that a capability created.
fn filled(template: &str, capability: &Capability, id: &str) -> String {
    // `status_path` returns `None` only without a capability.
    status_path(template, capability.group(), Some(capability), id).unwrap_or_default()
}

/// Returns the path that has the task, the task's id, and the status there. Tries every member of
/// the response that may be the id.
async fn status(
    session: &Session,
    capability: &Capability,
    paths: &[String],
    create: &DecodedResponse,
    input: &Value,
) -> Option<(String, String, DecodedResponse)> {
    let ids = ids(create, input);
    for (index, path) in paths.iter().enumerate() {
        for id in ids
            .iter()
            .take(if index == 0 { MAX_IDS } else { MAX_OTHER_IDS })
        {
            let response = patient_get(session, &filled(path, capability, id)).await;
            let without_task = filled(path, capability, NO_TASK);
            if response.success().is_some_and(Value::is_object)
                && shows(session, &without_task, id, &response).await
            {
                return Some((path.clone(), id.clone(), response));
            }
        }
    }
    None
}

/// Reads a status. Repeats the request twice if there is no response or a server error.
async fn patient_get(session: &Session, path: &str) -> DecodedResponse {
    let mut response = session.try_get("read the task", path).await;
    for _ in 0..2 {
        if response.status < 500 && response.status != 0 || session.is_interrupted() {
            break;
        }
        session.wait(POLL_MS).await;
        response = session.try_get("read the task", path).await;
    }
    response
}

/// Returns true if a response is the status of a task: it has the id, or the same path fails for a
/// task that does not exist.
async fn shows(
    session: &Session,
    without_task: &str,
    id: &str,
    response: &DecodedResponse,
) -> bool {
    let has_id = response
        .body
        .as_ref()
        .is_some_and(|body| leaves(body).iter().any(|leaf| text(&leaf.value) == id));
    has_id
        || session
            .try_get("read no task", without_task)
            .await
            .success()
            .is_none()
}

/// Returns the values that may be the task's id, the most likely first.
fn ids(create: &DecodedResponse, input: &Value) -> Vec<String> {
    let sent = strings(input);
    let body = create.body.clone().unwrap_or_default();
    // Strings of the request and parts of the envelope are no new ids.
    let is_own = |leaf: &Leaf| {
        leaf.text()
            .is_some_and(|text| sent.contains(&text) || capability_named(text).is_some())
            || ["/code", "/message", "/Code", "/Message"].contains(&leaf.place.as_str())
    };
    let is_safe = |leaf: &Leaf| {
        let text = text(&leaf.value);
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:~".contains(&byte))
            && text.bytes().any(|byte| byte != b'.')
    };
    let mut found: Vec<Leaf> = leaves(&body)
        .into_iter()
        .filter(|leaf| leaf.may_be_id() && is_safe(leaf) && !is_own(leaf))
        .collect();
    // A value without a digit is more likely a word than an id.
    let has_digit = |leaf: &Leaf| text(&leaf.value).bytes().any(|byte| byte.is_ascii_digit());
    found.sort_by_key(|leaf| {
        (
            !has_digit(leaf),
            leaf.is_named(&NOT_TASKS),
            !leaf.is_named(&IDS),
            !leaf.value.is_string(),
        )
    });
    let mut ids: Vec<String> = Vec::new();
    for id in found.iter().map(|leaf| text(&leaf.value)) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.truncate(MAX_IDS);
    ids
}

async fn poll(
    session: &Session,
    report: &mut Report,
    path: &str,
    history: &mut History,
    name: &str,
) {
    let mut polls = 0;
    let mut lost = 0;
    while history.end().is_none()
        && polls < MAX_POLLS
        && lost < MAX_LOST_POLLS
        && !session.is_interrupted()
    {
        session.wait(POLL_MS).await;
        polls += 1;
        let response = session.try_get("read the task", path).await;
        if response.body.is_none() || response.is_busy() || response.is_unauthenticated() {
            lost += 1;
        } else {
            lost = 0;
            history.add(response);
        }
    }
    let id = &history.id;
    let word = history.word().unwrap_or_default();
    match history.end() {
        None => report.note(format!(
            "The task {id} of {name} was not seen to end; its last state was {word:?}. It may go \
             on, and may be charged: see your account. Another run creates another task."
        )),
        Some(End::Succeeded) => {}
        Some(end) => report.note(format!(
            "The task {id} of {name} ended in {word:?}, which is taken as {}.",
            end.word()
        )),
    }
}

impl End {
    /// Returns the document's word (§3).
    pub(super) const fn word(self) -> &'static str {
        match self {
            End::Succeeded => "SUCCEEDED",
            End::Failed => "FAILED",
            End::Expired => "EXPIRED",
        }
    }
}
