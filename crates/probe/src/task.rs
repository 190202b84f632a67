//! Creates a task, finds where its status is, and follows it to its end.

use serde_json::{Value, json};

use super::explain::explained;
use super::history::{End, History, text};
use super::leaves::{Leaf, leaves};
use super::report::Report;
use super::session::Session;
use super::step::{Reply, TITLE, strings};
use mediagate_core::{Capability, Code, Group, Outcome, PREFIX};
use mediagate_dialect::{capability_named, path_segment, status_path};

/// Likely paths of a task's status, after the prefix, for each group the default first. The document shows the first of
/// generation.
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
/// Milliseconds between two polls, and how many there are at most: half an hour.
const POLL_MS: u64 = 2_000;
const MAX_POLLS: usize = 900;
/// How many polls in a row may bring nothing.
const MAX_LOST_POLLS: usize = 5;
/// A task that does not exist.
const NO_TASK: &str = "mediagate-probe-no-task";
/// The most members of a response that are tried as the task's id: at the first path, and at others.
const MAX_IDS: usize = 6;
const MAX_OTHER_IDS: usize = 3;
const IDS: &[&str] = &[
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
const NOT_TASKS: &[&str] = &[
    "request", "trace", "model", "user", "file", "asset", "credits", "cost", "price",
];

/// The setting with a group's status path.
pub(super) const fn path_setting(group: Group) -> &'static str {
    match group {
        Group::Generate => "UPSTREAM_TASK_PATH_GENERATE",
        Group::Process => "UPSTREAM_TASK_PATH_PROCESS",
    }
}

/// Creates one task, if a person consents, and follows it. Its history is added before it is followed, so that it is not
/// lost.
pub(super) async fn follow(
    session: &Session,
    report: &mut Report,
    histories: &mut Vec<History>,
    capability: &'static Capability,
    mut input: Value,
) {
    let (setting, name) = (path_setting(capability.group()), capability.name());
    if !session.may_create(capability).await {
        report.untried(setting, &format!("no task of {name} was created"));
        return;
    }
    if let Some(file_id) = input["file_id"].as_str() {
        confirm(session, report, file_id).await;
    }
    input["title"] = json!(TITLE);
    let create = match session.create(capability, input.clone()).await {
        Ok(reply) => reply,
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
            let why = "the create with an uploaded file was refused; if the service wants a request that confirms each \
                       file, set its path";
            report.untried("upload.confirm", why);
        }
        return;
    }
    let paths = session.paths(setting, paths(capability.group()));
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
    if path != default_path(capability.group()) {
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

/// Confirms a file, if it is known how.
async fn confirm(session: &Session, report: &mut Report, file_id: &str) {
    let Some(dialect) = session.known.dialect().upload.confirm else {
        return;
    };
    let Some(segment) = path_segment(file_id) else {
        return;
    };
    let (path, body) = (dialect.path(&segment), dialect.body(file_id));
    let reply = session.try_post("confirm the file", &path, body).await;
    if !(200..300).contains(&reply.status) {
        report.note(format!("The file was not confirmed: {}", explained(&reply)));
    }
}

const MAY_EXIST: &str =
    "The task may exist and may have been charged: see your account. It was not repeated.";

/// Whether nothing can have been created.
fn is_rejected(create: &Reply) -> bool {
    match create.code {
        Some(code) => Code(code).outcome() == Outcome::Rejected,
        None => (400..500).contains(&create.status),
    }
}

fn default_path(group: Group) -> String {
    format!("{PREFIX}{}", paths(group)[0])
}

const fn paths(group: Group) -> &'static [&'static str] {
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

/// The path that has the task, its id, and the status there: every member that may be the id is tried.
async fn status(
    session: &Session,
    capability: &Capability,
    paths: &[String],
    create: &Reply,
    input: &Value,
) -> Option<(String, String, Reply)> {
    let ids = ids(create, input);
    for (index, path) in paths.iter().enumerate() {
        for id in ids
            .iter()
            .take(if index == 0 { MAX_IDS } else { MAX_OTHER_IDS })
        {
            let reply = patient_get(session, &filled(path, capability, id)).await;
            let without_task = filled(path, capability, NO_TASK);
            if reply.success().is_some_and(Value::is_object)
                && shows(session, &without_task, id, &reply).await
            {
                return Some((path.clone(), id.clone(), reply));
            }
        }
    }
    None
}

/// Reads a status: again where it fails for a reason that passes.
async fn patient_get(session: &Session, path: &str) -> Reply {
    let mut reply = session.try_get("read the task", path).await;
    for _ in 0..2 {
        if reply.status < 500 && reply.status != 0 || session.is_interrupted() {
            break;
        }
        session.wait(POLL_MS).await;
        reply = session.try_get("read the task", path).await;
    }
    reply
}

/// Returns whether a response is that of a task: it has the id, or the path of a task that does not exist fails.
async fn shows(session: &Session, without_task: &str, id: &str, reply: &Reply) -> bool {
    let has_id = reply
        .body
        .as_ref()
        .is_some_and(|it| leaves(it).iter().any(|it| text(&it.value) == id));
    has_id
        || session
            .try_get("read no task", without_task)
            .await
            .success()
            .is_none()
}

/// What may be the task's id, the most likely first.
fn ids(create: &Reply, input: &Value) -> Vec<String> {
    let sent = strings(input);
    let body = create.body.clone().unwrap_or_default();
    let is_own = |it: &Leaf| {
        it.text()
            .is_some_and(|it| sent.contains(&it) || capability_named(it).is_some())
            || ["/code", "/message", "/Code", "/Message"].contains(&it.place.as_str())
    };
    let is_safe = |it: &Leaf| {
        let text = text(&it.value);
        text.bytes()
            .all(|it| it.is_ascii_alphanumeric() || b"-_.:~".contains(&it))
            && text.bytes().any(|it| it != b'.')
    };
    let mut found: Vec<Leaf> = leaves(&body)
        .into_iter()
        .filter(|it| it.may_be_id() && is_safe(it) && !is_own(it))
        .collect();
    let has_digit = |it: &Leaf| text(&it.value).bytes().any(|it| it.is_ascii_digit());
    found.sort_by_key(|it| {
        (
            !has_digit(it),
            it.is_named(NOT_TASKS),
            !it.is_named(IDS),
            !it.value.is_string(),
        )
    });
    let mut ids: Vec<String> = Vec::new();
    for id in found.iter().map(|it| text(&it.value)) {
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
    let (mut polls, mut lost) = (0, 0);
    while history.end().is_none()
        && polls < MAX_POLLS
        && lost < MAX_LOST_POLLS
        && !session.is_interrupted()
    {
        session.wait(POLL_MS).await;
        polls += 1;
        let reply = session.try_get("read the task", path).await;
        if reply.body.is_none() || reply.is_busy() || reply.is_unauthenticated() {
            lost += 1;
        } else {
            lost = 0;
            history.add(reply);
        }
    }
    let (id, word) = (&history.id, history.word().unwrap_or_default());
    match history.end() {
        None => report.note(format!(
            "The task {id} of {name} was not seen to end; its last state was {word:?}. It may go on, and may be charged: \
             see your account. Another run creates another."
        )),
        Some(End::Succeeded) => {}
        Some(end) => report.note(format!("The task {id} of {name} ended in {word:?}, which is taken as {}.", end.word())),
    }
}

impl End {
    /// The document's word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            End::Succeeded => "SUCCEEDED",
            End::Failed => "FAILED",
            End::Expired => "EXPIRED",
        }
    }
}
