//! Draws task records and the words for their states.

use super::drawer::{Drawer, Names};
use crate::dialect::{
    place::at,
    states::StateWords,
    task::{Scale, TaskDialect},
};

/// The names that the emulator adds to records. No drawn name may collide with them.
const ADDED: [&str; 15] = [
    "capability",
    "model_id",
    "title",
    "credits",
    "created_at",
    "asset",
    "asset_id",
    "debug",
    "code",
    "message",
    "data",
    "self",
    "status_url",
    "response_url",
    "cancel_url",
];

const IN_ENVELOPE: [&str; 7] = [
    "/data/task",
    "/data/task",
    "/data",
    "/data/job",
    "/data/tasks/0",
    "/task",
    "/result",
];
const INVENTED: [&str; 5] = [
    "/data/receipt",
    "/outcome/dossier",
    "/data/errand",
    "/ledger/entry",
    "/data/queue/0",
];
const BARE: &[&str] = &["", "", "/job", "/task", "/dossier"];

const ID: Names = Names(
    &["id", "task_id", "job_id", "uuid", "request_id"],
    &["handle", "ticket_no", "docket", "errand_mark"],
);
const STATE: Names = Names(
    &["status", "state", "task_status", "phase"],
    &["phase_label", "lifecycle", "stage_of_it", "mood"],
);
const PROGRESS: Names = Names(
    &["progress", "percent", "percentage", "completion"],
    &["accomplished", "distance_run", "gauge/fullness"],
);
const MESSAGE: Names = Names(
    &[
        "error/message",
        "error_message",
        "failure_reason",
        "fail_reason",
        "error_detail",
    ],
    &["mishap/tale", "grievance", "what_went_wrong"],
);
const CODE: Names = Names(
    &["error_code", "fail_code", "err_no"],
    &["mishap_mark", "blunder_number"],
);
const OUTPUT: Names = Names(
    &[
        "output_url",
        "result_url",
        "result/url",
        "url",
        "video_url",
        "output/uri",
    ],
    &["yield/artifact_link", "harvest/crate_link", "fruit"],
);
const OUTPUTS: Names = Names(
    &["outputs", "results", "files", "assets"],
    &["baskets", "takings", "spoils"],
);
const URL_NAMES: [&str; 6] = [
    "url",
    "uri",
    "href",
    "download_url",
    "artifact_link",
    "whereabouts",
];

/// Usual and invented words for queued, running, succeeded, failed and expired. No word is in two
/// lists.
const STATES: [[&[&str]; 2]; 5] = [
    [
        &["queued", "pending", "waiting", "created", "submitted"],
        &["shelved", "dormant", "in_the_hall"],
    ],
    [
        &["running", "processing", "in_progress", "active"],
        &["brewing", "simmering", "under-way"],
    ],
    [
        &["succeeded", "completed", "success", "done", "finished"],
        &["served", "ripe", "landed"],
    ],
    [
        &["failed", "error", "failure", "errored"],
        &["spoilt", "burnt", "sunk"],
    ],
    [
        &["expired", "timeout", "timed_out", "gone"],
        &["stale", "evaporated", "mouldy"],
    ],
];

pub(super) fn draw_task(draw: &mut Drawer, envelope: bool) -> TaskDialect {
    let is_invented = draw.once_in(2);
    let container = |draw: &mut Drawer| match (envelope, is_invented) {
        (true, true) => draw.one(&INVENTED),
        (true, false) => draw.one(&IN_ENVELOPE),
        (false, _) => draw.one(BARE),
    };
    let created = container(draw);
    let read = if draw.once_in(4) {
        container(draw)
    } else {
        created
    };
    let camel_case = draw.once_in(4);
    draw.scope(&ADDED);
    let id = draw.place("", ID, camel_case);
    let state = draw.place("", STATE, camel_case);
    let progress = draw.maybe(5, "", PROGRESS, camel_case);
    let error_message = draw.place("", MESSAGE, camel_case);
    let error_code = draw.maybe(2, "", CODE, camel_case);
    let outputs = draw.maybe(3, "", OUTPUTS, camel_case);
    let url_name = draw.one(&URL_NAMES).to_owned();
    let own_output = draw.place("", OUTPUT, camel_case);
    let output = match &outputs {
        // The first output of the list is then the only place of its URL.
        Some(outputs) if draw.once_in(3) => outputs
            .with_trailing_token("0")
            .with_trailing_token(&url_name),
        _ => own_output,
    };
    TaskDialect {
        created: at(created),
        read: at(read),
        id,
        state,
        progress,
        error_message,
        error_code,
        output,
        outputs,
        url_name,
        scale: draw.one(&[Scale::Fraction, Scale::Percent, Scale::Text]),
        numeric_id: false,
        camel_case,
        status_record_has_id: !draw.once_in(5),
        failure_code: draw.once_in(4).then(|| draw.one(&[1404, 1405, 99])),
        links: false,
        done_flag: false,
    }
}

pub(super) fn draw_states(draw: &mut Drawer) -> StateWords {
    let is_upper = draw.once_in(3);
    let from = if draw.once_in(3) { 1 } else { 0 };
    let words = STATES.map(|lists| {
        let list = if draw.once_in(6) { 1 - from } else { from };
        let word = draw.one(lists[list]);
        if is_upper {
            word.to_ascii_uppercase()
        } else {
            word.to_owned()
        }
    });
    StateWords::new(words)
}
