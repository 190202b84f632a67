//! The parts of a dialect that the histories of tasks show.

use serde_json::Value;

use super::history::{EXPIRED, End, FAILED, History, SUCCEEDED};
use super::leaves::{leaves, parent, relative};
use super::report::{Known, Parts, Report};
use mediagate_core::outputs::Output;
use mediagate_core::response::Expects;
use mediagate_dialect::{Decoded, Dialect};

/// Adds the parts that the tasks show to the report, and names the unknown ones.
pub(super) fn add(report: &mut Report, histories: &[History], known: &Known) {
    let ended: Vec<&History> = histories
        .iter()
        .filter(|history| history.end().is_some())
        .collect();
    let mut always = states(report, &ended);
    let failed = ended
        .iter()
        .find(|history| history.end() == Some(End::Failed));
    if failed.is_none() {
        report.untried(
            "task.error_message",
            "no task failed; likely names are read",
        );
    }
    if ended.is_empty() {
        report.unknown(
            "task",
            "no task was followed to its end, so that nothing shows where its parts are",
        );
        return;
    }
    if ended.iter().any(|history| {
        history
            .progress()
            .is_some_and(|progress| progress.1 == 100.0)
    }) {
        always.push("task.progress_complete", 100);
    }
    // A record that is the whole body stays in the report even if no seen response needs it: a
    // failure may come in an envelope, which the default dialect would take for the record.
    if ended
        .iter()
        .flat_map(|history| records(history))
        .all(|record| record.is_empty())
    {
        always.push("task.record", "");
    }
    let mut parts = places_of(&ended);
    if let Some((history, place)) = failed.and_then(|history| Some((history, history.reason()?))) {
        parts.push(
            "task.error_message",
            Value::from_iter(places(history, Some(place))),
        );
    }
    let always_on = |added: &Parts| {
        Parts::new(added.0.iter().chain(&always.0).cloned().collect()).on(&known.dialect)
    };
    let whole = read(&always_on(&parts).dialect(), &ended);
    if !is_complete(&whole, &ended) {
        report.unknown(
            "task",
            "the responses about the tasks can't be described; see where they have id, state and \
             outputs",
        );
        return;
    }
    let needed = always_on(&parts).needed(|dialect| read(dialect, &ended) == whole);
    // A word or a scale stays in the report even if the seen responses can be read without it: the
    // next ones may need it.
    let mut found = Parts::new(
        needed
            .0
            .into_iter()
            .filter(|part| !always.0.contains(part))
            .collect(),
    );
    found.0.extend(always.0);
    report.add(found);
}

/// Returns the places of a task's parts, as far as the tasks show them.
fn places_of(ended: &[&History]) -> Parts {
    let mut parts = Parts::default();
    let mut push = |part, each: &dyn Fn(&History) -> Vec<String>| {
        let mut found: Vec<String> = Vec::new();
        for place in ended.iter().flat_map(|history| each(history)) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
        if !found.is_empty() {
            parts.push(part, Value::from_iter(found));
        }
    };
    push("task.record", &records);
    push("task.id", &|history| {
        history
            .ids()
            .iter()
            .map(|id| relative(id, parent(id)))
            .collect()
    });
    push("task.state", &|history| places(history, history.state()));
    push("task.progress", &|history| {
        places(history, history.progress().map(|progress| progress.0))
    });
    push("task.outputs", &|history| {
        history
            .outputs()
            .into_iter()
            .flat_map(|output| places(history, Some(output.place)))
            .collect()
    });
    parts
}

/// Returns the places of the record: around the id, or around the state if a status has no id.
fn records(history: &History) -> Vec<String> {
    let ids = history.ids();
    let mut found: Vec<String> = ids.iter().map(|id| parent(id).to_string()).collect();
    if ids.len() < 2
        && let Some(state) = history.state()
    {
        let has_state = |record: &String| {
            history.last().is_some_and(|status| {
                status
                    .pointer(&[record, &*relative(&state, record)].concat())
                    .is_some()
            })
        };
        if !found.iter().any(has_state) {
            found.push(parent(&state).to_string());
        }
    }
    found
}

/// Returns a place in a status relative to the record there.
fn places(history: &History, place: Option<String>) -> Vec<String> {
    let Some(place) = place else {
        return Vec::new();
    };
    let records = records(history);
    let record = records.last().map_or("", String::as_str);
    Vec::from([relative(&place, record)])
}

/// Returns the words for the final states, and reports the states without a seen word.
fn states(report: &mut Report, ended: &[&History]) -> Parts {
    let mut parts = Parts::default();
    let word_of = |end| {
        ended
            .iter()
            .filter(|history| history.end() == Some(end))
            .find_map(|history| history.word())
    };
    let is_documented = |end: End, word: &str| word.eq_ignore_ascii_case(end.word());
    for (end, part) in ENDS {
        if let Some(word) = word_of(end).filter(|word| !is_documented(end, word)) {
            parts.push(part, Value::from_iter([word]));
        }
    }
    let has_other_words = parts.0.iter().any(|(part, _)| *part == "states.SUCCEEDED");
    for (end, part) in ENDS.into_iter().filter(|(end, _)| word_of(*end).is_none()) {
        let usual = usual_words(end, ended);
        let why = if !has_other_words {
            format!("no task ended so; add its word if it is not {}", end.word())
        } else if uses_usual_words(ended) {
            format!(
                "no task ended so; the usual words are set ({}). Correct them if yours is not \
                 among them: a task with an unknown word is followed for a day",
                usual.join(", ")
            )
        } else {
            format!(
                "no task ended so, and its word is likely not {}. Add it: a task with an unknown \
                 word is followed for a day",
                end.word()
            )
        };
        report.untried(part, &why);
        // `lacks` is false for a known part, whose words must stay.
        if report.lacks(part) && has_other_words && uses_usual_words(ended) {
            parts.push(part, Value::from_iter(usual));
        }
    }
    parts
}

/// Returns true if the word for success is a usual one. The words for failure are likely usual,
/// too.
fn uses_usual_words(ended: &[&History]) -> bool {
    ended
        .iter()
        .filter(|history| history.end() == Some(End::Succeeded))
        .filter_map(|history| history.word())
        .any(|word| SUCCEEDED.contains(&word.to_ascii_lowercase().as_str()))
}

/// Returns the usual words for an end, without the words that this service uses for another state.
fn usual_words(end: End, ended: &[&History]) -> Vec<&'static str> {
    let words = match end {
        End::Succeeded => &SUCCEEDED[..],
        End::Failed => &FAILED,
        End::Expired => &EXPIRED,
    };
    let seen: Vec<String> = ended
        .iter()
        .filter_map(|history| Some(history.words(&history.state()?)))
        .flatten()
        .collect();
    let is_seen = |word: &str| seen.iter().any(|other| other.eq_ignore_ascii_case(word));
    let is_documented = |word: &str| word.eq_ignore_ascii_case(end.word());
    words
        .iter()
        .copied()
        .filter(|word| !is_documented(word) && !is_seen(word))
        .collect()
}

const ENDS: [(End, &str); 3] = [
    (End::Succeeded, "states.SUCCEEDED"),
    (End::Failed, "states.FAILED"),
    (End::Expired, "states.EXPIRED"),
];

/// The parts of a task that a dialect reads from a response.
#[derive(PartialEq)]
struct Read {
    id: Option<String>,
    state: Option<String>,
    is_terminal: bool,
    progress: Option<f64>,
    outputs: Vec<Output>,
}

fn read(dialect: &Dialect, histories: &[&History]) -> Vec<Option<Read>> {
    let one = |status: u16, body: &Option<Value>, expects| match dialect.decode(
        status,
        body.as_ref(),
        expects,
    ) {
        Decoded::Task(task) => Some(Read {
            id: task.id,
            state: task.state,
            is_terminal: task.is_terminal,
            progress: task.progress,
            outputs: task.outputs,
        }),
        _ => None,
    };
    let each = |history: &&History| {
        let polls = history
            .polls
            .iter()
            .map(|poll| one(poll.status, &poll.body, Expects::Status));
        core::iter::once(one(
            history.create.status,
            &history.create.body,
            Expects::Task,
        ))
        .chain(polls)
        .collect::<Vec<_>>()
    };
    histories.iter().flat_map(each).collect()
}

/// Returns true if the first response of each task has its id, and the last one has an end with
/// outputs. A response without any URL needs no outputs.
fn is_complete(read: &[Option<Read>], histories: &[&History]) -> bool {
    let mut rest = read;
    histories.iter().all(|history| {
        let (own, others) = rest.split_at(rest.len().min(history.polls.len() + 1));
        rest = others;
        let has_id = own.first().and_then(|first| first.as_ref()?.id.as_ref()) == Some(&history.id);
        let last = own.last().and_then(Option::as_ref);
        let has_urls = || {
            history
                .last()
                .into_iter()
                .flat_map(leaves)
                .any(|leaf| leaf.is_url())
        };
        let is_read =
            last.is_some_and(|end| end.is_terminal && (!end.outputs.is_empty() || !has_urls()));
        has_id && is_read
    })
}
