//! The probe against a service in memory: its requests, and its report.

use std::sync::atomic::{AtomicU32, Ordering};

use mediagate_probe::{
    Body, Event, Known, Probe, Report, Request, Response, Step, shown_request, shown_response,
};
use serde_json::{Value, json};

const BASE: &str = "https://service.example/base";
type Replied = Result<(u16, Value), &'static str>;

/// Runs a probe. Returns its report and its requests.
fn probe(consents: bool, serve: impl Fn(&Request) -> Replied) -> (Report, Vec<Request>) {
    probe_with(Known::default(), consents, serve)
}

/// Runs a probe with known settings.
fn probe_with(
    known: Known,
    consents: bool,
    serve: impl Fn(&Request) -> Replied,
) -> (Report, Vec<Request>) {
    let mut probe = Probe::new(BASE, known);
    let mut event = Event::Continued;
    let mut sent = Vec::new();
    loop {
        event = match probe.advance(event) {
            Step::Send(request) => {
                let response = serve(&request);
                sent.push(request);
                match response {
                    Ok((status, body)) => Event::Response(Response {
                        status,
                        text: body.to_string(),
                        allow_origin: Some("*".into()),
                    }),
                    Err(why) => Event::Failed(why.into()),
                }
            }
            Step::Wait(_) => Event::Continued,
            Step::Consent(_) => Event::Consent(consents),
            Step::Done(report) => return (report, sent),
        };
        assert!(sent.len() < 2500, "it goes on forever");
    }
}

/// Runs a probe of [`service`].
fn ordinary(consents: bool) -> (Report, Vec<Request>) {
    probe(consents, |request| service(request, &created))
}

/// Asserts that a note of a report contains these words.
#[track_caller]
fn assert_noted(report: &Report, words: &str) {
    let notes = &report.notes;
    assert!(notes.iter().any(|note| note.contains(words)), "{notes:?}");
}

/// Asserts that the probe stopped with a reason that contains these words.
#[track_caller]
fn assert_stopped(report: &Report, words: &str) {
    let stopped = report.stopped.as_deref().unwrap_or_default();
    assert!(stopped.contains(words), "{stopped:?}");
}

fn path(request: &Request) -> &str {
    request
        .url
        .strip_prefix(BASE)
        .and_then(|path| path.strip_prefix("/api/app/v1/"))
        .unwrap_or(&request.url)
}

fn creates(sent: &[Request]) -> Vec<&str> {
    let paths = sent
        .iter()
        .filter(|request| request.method == "POST")
        .map(path);
    paths
        .filter(|path| path.starts_with("generate/") || path.starts_with("process/"))
        .collect()
}

fn envelope(data: Value) -> Replied {
    Ok((200, json!({ "code": 0, "message": "ok", "data": data })))
}

fn refusal(status: u16, code: i32) -> Replied {
    Ok((
        status,
        json!({ "code": code, "message": "no", "data": null }),
    ))
}

/// Responds like a service with unusual names. `created` is the response to a create.
fn service(request: &Request, created: &dyn Fn() -> Replied) -> Replied {
    static ISSUED: AtomicU32 = AtomicU32::new(0);
    let issued = |id| {
        envelope(json!({
            "ticket": {
                "target": format!("https://bucket.example/put/{id}?X-Signature=s{id}"),
                "ref": format!("f-{id}"),
            },
            "seal": { "x-storage-class": "warm" },
        }))
    };
    match path(request) {
        "upload_urls" => issued(ISSUED.fetch_add(1, Ordering::Relaxed)),
        _ if request.url.starts_with("https://bucket.example/") => {
            match request.headers.get("x-storage-class") {
                _ if request.method == "OPTIONS" => Ok((204, Value::Null)),
                Some(class) if class == "warm" => Ok((200, Value::Null)),
                _ => Ok((403, Value::Null)),
            }
        }
        path if path.starts_with("generate/image/") || path.starts_with("process/image/") => {
            created()
        }
        path if path.ends_with("tasks/j-1") => envelope(json!({
            "dossier": {
                "ticket": "j-1",
                "phase": "served",
                "link": "https://cdn.example/a.png",
            },
        })),
        _ => refusal(404, 12),
    }
}

fn created() -> Replied {
    envelope(json!({ "dossier": { "ticket": "j-1", "phase": "brewing" } }))
}

#[test]
fn what_a_service_calls_its_own_way_is_found_by_what_it_is() {
    let (report, sent) = ordinary(true);
    let dialect = &report.dialect;
    assert_eq!(dialect["upload"]["url"], "/data/ticket/target");
    assert_eq!(dialect["upload"]["file_id"], "/data/ticket/ref");
    assert_eq!(dialect["upload"]["headers"], json!(["/data/seal"]));
    assert_eq!(dialect["task"]["record"], json!(["/data/dossier"]));
    assert_eq!(dialect["task"]["id"], json!(["/ticket"]));
    assert_eq!(dialect["states"]["SUCCEEDED"], json!(["served"]));
    assert_eq!(report.settings["UPLOAD_HOSTS"], "bucket.example");
    assert_eq!(report.settings["UPSTREAM_MODELS_PATH"], "");
    for part in [
        "states.FAILED",
        "states.EXPIRED",
        "task.error_message",
        "UPSTREAM_MODELS_PATH",
        "UPSTREAM_ESTIMATE_PATH",
    ] {
        assert!(report.lacks(part), "{part}");
    }
    assert!(
        !report.lacks("task")
            && !report.lacks("UPSTREAM_TASK_PATH_PROCESS")
            && report.stopped.is_none()
    );
    assert_eq!(creates(&sent).len(), 2, "one of each group");
    let foreign = sent.iter().filter(|request| !request.url.starts_with(BASE));
    assert!(
        foreign.into_iter().all(|request| !request.has_key),
        "only the origin of the base URL gets the key"
    );
}

/// Returns the words that a probe finds for a service whose tasks end in `word`.
fn words_beside(word: &str) -> Report {
    let ended = json!({
        "dossier": { "ticket": "j-1", "phase": word, "link": "https://cdn.example/a.png" },
    });
    let (report, _) = probe(true, |request| {
        if path(request).ends_with("tasks/j-1") {
            envelope(ended.clone())
        } else {
            service(request, &created)
        }
    });
    report
}

#[test]
fn a_usual_word_for_success_brings_the_usual_words_for_failure() {
    let report = words_beside("completed");
    let states = &report.dialect["states"];
    assert_eq!(states["SUCCEEDED"], json!(["completed"]));
    for (state, word) in [("FAILED", "error"), ("EXPIRED", "timeout")] {
        let words = states[state].as_array().expect("a list");
        assert!(words.contains(&json!(word)), "{states}");
    }
    assert!(report.lacks("states.FAILED") && report.lacks("states.EXPIRED"));
    assert!(report.is_enough());
}

#[test]
fn an_unusual_word_for_success_says_that_failed_tasks_are_followed_for_a_day() {
    let report = words_beside("served");
    assert_eq!(report.dialect["states"], json!({ "SUCCEEDED": ["served"] }));
    let failed = report
        .unknown
        .iter()
        .find(|unknown| unknown.part == "states.FAILED")
        .expect("an unknown part");
    assert!(failed.why.contains("followed for a day"), "{}", failed.why);
}

#[test]
fn the_words_of_the_document_need_no_others() {
    let report = words_beside("SUCCEEDED");
    assert_eq!(report.dialect["states"], Value::Null);
    assert!(report.is_enough());
}

#[test]
fn a_status_path_may_name_the_medium() {
    let (report, _) = probe(true, |request| match path(request) {
        "generate/image/tasks/j-1" | "process/image/tasks/j-1" => service(request, &created),
        other if other.ends_with("tasks/j-1") => refusal(404, 12),
        _ => service(request, &created),
    });
    for (setting, group) in [
        ("UPSTREAM_TASK_PATH_GENERATE", "generate"),
        ("UPSTREAM_TASK_PATH_PROCESS", "process"),
    ] {
        let path = format!("/api/app/v1/{group}/{{medium}}/tasks/{{task_id}}");
        assert_eq!(report.settings[setting], path);
    }
}

#[test]
fn a_probe_without_its_needed_parts_is_not_enough() {
    let (report, _) = ordinary(false);
    assert!(report.lacks("task") && !report.is_enough());
    let (report, _) = probe(true, |_| refusal(401, 13));
    assert!(report.stopped.is_some() && !report.is_enough());
}

#[test]
fn without_consent_nothing_is_created() {
    let (report, sent) = ordinary(false);
    assert_eq!(creates(&sent), Vec::<&str>::new());
    assert!(
        report.lacks("task")
            && report.lacks("states.SUCCEEDED")
            && report.lacks("UPSTREAM_TASK_PATH_PROCESS")
    );
}

#[test]
fn what_is_known_stays_and_is_named_only_if_it_was_tried_in_vain() {
    let known = Known {
        paths: [
            ("UPSTREAM_MODELS_PATH", "/v9/models".into()),
            ("UPSTREAM_TASK_PATH_PROCESS", "/v9/{task_id}".into()),
        ]
        .into(),
        dialect: json!({
            "upload": {
                "request": { "called": "{file_name}" },
                "send": { "without_length": true },
            },
            "states": { "FAILED": ["spoilt"] },
        }),
    };
    let (report, _) = probe_with(known.clone(), false, |request| service(request, &created));
    assert_eq!(
        report.settings["UPSTREAM_MODELS_PATH"], "/v9/models",
        "it may have failed for a while only"
    );
    assert_eq!(report.settings["UPSTREAM_ESTIMATE_PATH"], "");
    assert!(report.lacks("UPSTREAM_MODELS_PATH"), "it was tried");
    assert!(
        !report.lacks("UPSTREAM_TASK_PATH_PROCESS") && !report.lacks("states.FAILED"),
        "they were not tried"
    );
    assert_eq!(report.dialect["states"], known.dialect["states"]);
    assert_eq!(
        report.dialect["upload"]["send"],
        known.dialect["upload"]["send"]
    );

    let deaf = |request: &Request| {
        if path(request) == "upload_urls" {
            refusal(400, 12)
        } else {
            service(request, &created)
        }
    };
    let (report, _) = probe_with(known.clone(), false, deaf);
    assert!(report.lacks("upload.request"), "upstream refused it");
    assert_eq!(report.dialect["upload"], known.dialect["upload"]);
}

#[test]
fn a_create_is_sent_once_whatever_comes() {
    let lost = || Err("the connection was reset");
    let busy = || refusal(429, 16);
    let broken = || Ok((502, json!("<html>")));
    for created in [&lost as &dyn Fn() -> Replied, &busy, &broken] {
        let (report, sent) = probe(true, |request| service(request, created));
        let mut creates = creates(&sent);
        creates.dedup();
        assert_eq!(
            creates,
            [
                "generate/image/text_to_image_turbo",
                "process/image/background_removal"
            ]
        );
        assert!(
            report.lacks("task") && report.notes.len() >= 2,
            "{:?}",
            report.notes
        );
    }
    let (report, _) = probe(true, |request| service(request, &lost));
    assert_noted(&report, "may have been charged");
}

#[test]
fn codes_are_explained_in_words() {
    for (code, words) in [
        (1401, "too few credits"),
        (1409, "higher plan"),
        (13, "the key is"),
        (12, "invalid"),
    ] {
        let refused = || refusal(400, code);
        let (report, _) = probe(true, |request| service(request, &refused));
        assert_noted(&report, words);
    }
}

#[test]
fn a_wrong_key_ends_the_probe_at_once() {
    let (report, sent) = probe(true, |_| refusal(401, 13));
    assert_stopped(&report, "refused the key");
    assert!(sent.len() <= 3 && creates(&sent).is_empty());
}

#[test]
fn a_service_that_does_not_respond_is_not_tried_for_ever() {
    let (report, sent) = probe(true, |_| Err("no route to host"));
    assert_stopped(&report, "no route to host");
    assert!(sent.len() < 10);
}

#[test]
fn one_lost_request_that_costs_nothing_changes_no_result() {
    let serve = |request: &Request| {
        if path(request) == "credits/estimate" {
            envelope(json!({ "price": 3 }))
        } else {
            service(request, &created)
        }
    };
    let (whole, _) = probe(false, serve);
    assert!(!whole.lacks("UPSTREAM_ESTIMATE_PATH"));
    let lost = std::cell::Cell::new(0);
    let (report, _) = probe(false, |request| {
        let is_first = path(request) == "credits/estimate" && lost.replace(lost.get() + 1) == 0;
        if is_first {
            Err("the connection was closed")
        } else {
            serve(request)
        }
    });
    assert!(lost.get() > 1);
    assert_eq!(
        (report.settings, report.dialect),
        (whole.settings, whole.dialect)
    );
}

#[test]
fn hostile_responses_do_no_harm() {
    let deep = (0..200).fold(
        json!("https://a.example/x"),
        |value, _| json!({ "data": [value] }),
    );
    let wide: Value = (0..5000)
        .map(|index| json!({ "url": format!("https://a.example/{index}"), "id": index }))
        .collect();
    let odd = json!({
        "code": 0,
        "data": {
            "~1/~": "https://user:pass@a.example/\u{202e}",
            "": "\u{1b}[2J",
            "id": "../../x?y#z",
        },
    });
    for body in [
        deep,
        wide,
        odd,
        json!([]),
        json!(""),
        json!({ "code": "0" }),
        Value::Null,
    ] {
        let (_, sent) = probe(true, |_| Ok((200, body.clone())));
        assert!(
            sent.iter()
                .all(|request| request.url.starts_with(BASE) || !request.has_key)
        );
        assert!(
            sent.iter()
                .filter(|request| request.method == "GET")
                .all(|request| !request.url.contains(".."))
        );
    }
}

#[test]
fn what_gives_access_is_not_shown() {
    let (_, sent) = ordinary(true);
    let upload = sent
        .iter()
        .find(|request| request.url.starts_with("https://bucket.example/"))
        .expect("an upload");
    let shown = shown_request(upload);
    assert!(
        shown.contains("https://bucket.example/…") && !shown.contains("Signature"),
        "{shown}"
    );
    assert!(matches!(upload.body, Body::Bytes(_)));
    let body = json!({ "data": {
        "upload_url": "https://b.example/k?sig=SECRET",
        "headers": { "x-amz-acl": "SECRET", "content-type": "image/png" },
        "fields": [{ "name": "policy", "value": "SECRET" }], "token": "SECRET", "file_id": "shown",
        "note": "\u{1b}[31m\u{202e}red", "long": "S".repeat(65),
    } });
    let shown = shown_response(&Response {
        status: 200,
        text: body.to_string(),
        allow_origin: None,
    });
    assert!(
        !shown.contains("SECRET") && !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
        "{shown}"
    );
    assert!(
        shown.contains("shown") && shown.contains("image/png") && !shown.contains("SSSSSSSSS"),
        "{shown}"
    );
    let page = Response {
        status: 502,
        text: "<h1>\u{7}x</h1>".repeat(1000),
        allow_origin: None,
    };
    assert!(!shown_response(&page).contains('\u{7}') && shown_response(&page).len() < 9000);
}

/// Probes a service that responds with these statuses of a task, and then repeats the last one.
fn found(created: Value, statuses: &[Value]) -> Report {
    let polls = std::cell::Cell::new(0);
    let (report, _) = probe(true, |request| match path(request) {
        "generate/tasks/j-1" => {
            polls.set(polls.get() + 1);
            Ok((
                200,
                statuses[(polls.get() - 1).min(statuses.len() - 1)].clone(),
            ))
        }
        path if path.starts_with("process/image/") => refusal(400, 12),
        _ => service(request, &|| Ok((200, created.clone()))),
    });
    report
}

#[test]
fn a_task_ends_only_if_something_shows_it() {
    let data = |data: Value| json!({ "code": 0, "message": "ok", "data": data });
    let record = |state: &str| data(json!({ "id": "j-1", "status": state }));
    let linked = |state: &str, name: &str| {
        data(json!({ "id": "j-1", "status": state, name: "https://api.example/x.png" }))
    };
    let running: [(Value, Vec<Value>); 5] = [
        // A word that does not change, with a link that was present from the start.
        (record("RUNNING"), vec![linked("RUNNING", "self")]),
        (
            record("PENDING"),
            vec![record("PENDING"), linked("GENERATING", "preview_url")],
        ),
        // A word that describes the response.
        (
            json!({ "status": "success", "data": { "id": "j-1", "step": "queued" } }),
            vec![json!({ "status": "success", "data": { "id": "j-1", "step": "cooking" } })],
        ),
        (record("ready"), vec![record("ready")]),
        // A temporary error.
        (
            record("PROCESSING"),
            vec![
                record("PROCESSING"),
                json!({
                    "code": 99,
                    "message": "server error",
                    "data": { "id": "j-1", "status": "PROCESSING" },
                }),
                record("PROCESSING"),
            ],
        ),
    ];
    for (created, statuses) in running {
        let report = found(created, &statuses);
        assert!(
            report.lacks("states.SUCCEEDED") && report.lacks("states.FAILED"),
            "{statuses:?}: {report:?}"
        );
        assert!(report.lacks("task"), "{report:?}");
        assert_noted(&report, "not seen to end");
        assert_eq!(report.tasks, ["j-1 (text_to_image_turbo)"]);
    }
    let ended = found(
        record("queued"),
        &[record("cooking"), linked("cooked", "image_link")],
    );
    assert_eq!(
        ended.dialect["states"]["SUCCEEDED"],
        json!(["cooked"]),
        "{ended:?}"
    );
    let failed = json!({
        "code": 1404,
        "message": "provider error",
        "data": { "id": "j-1", "status": "SPOILT" },
    });
    let failed = found(record("queued"), &[record("cooking"), failed]);
    assert_eq!(
        failed.dialect["states"]["FAILED"],
        json!(["SPOILT"]),
        "{failed:?}"
    );
}

#[test]
fn a_create_that_may_have_been_charged_is_never_called_refused() {
    for created in [
        json!("<html>"),
        json!("j-1"),
        json!({ "code": 1405, "message": "provider timeout", "data": null }),
    ] {
        let (report, sent) = probe(true, |request| {
            service(request, &|| Ok((504, created.clone())))
        });
        assert!(
            report
                .notes
                .iter()
                .all(|note| !note.contains("was not created")),
            "{:?}",
            report.notes
        );
        assert_noted(&report, "charged: see your account");
        assert_eq!(creates(&sent).len(), 2);
    }
    let timeout = json!({
        "code": 1405,
        "message": "provider timeout",
        "data": { "dossier": { "ticket": "j-1", "phase": "brewing" } },
    });
    let (report, _) = probe(true, |request| {
        service(request, &|| Ok((504, timeout.clone())))
    });
    assert_eq!(
        report.tasks.len(),
        2,
        "it is followed where it exists: {report:?}"
    );
}

#[test]
fn the_key_goes_nowhere_else_and_uploads_go_to_no_endpoint() {
    let endpoint = format!("{BASE}/api/app/v1/generate/image/text_to_image_turbo");
    for url in [
        &*endpoint,
        "http://localhost:1/x",
        "https://a:b@bucket.example/x",
        "http://bucket.example/x",
        "ftp://x/y",
    ] {
        let issued = std::cell::Cell::new(0);
        let (report, sent) = probe(false, |request| match path(request) {
            "upload_urls" => {
                issued.set(issued.get() + 1);
                envelope(json!({
                    "upload_url": url,
                    "file_id": format!("file-{}", issued.get()),
                    "method": "POST",
                }))
            }
            _ => refusal(404, 12),
        });
        assert!(sent.iter().all(|request| request.url != url), "{url}");
        assert!(
            report.lacks("upload.send") || report.lacks("upload.request"),
            "{url}: {report:?}"
        );
    }
}

#[test]
fn a_wrong_base_url_ends_it_before_anything_is_created() {
    let (report, sent) = probe(true, |_| Ok((404, json!("not found"))));
    assert_stopped(&report, "base URL");
    assert!(creates(&sent).is_empty() && report.settings.is_empty());
}

#[test]
fn an_interrupted_probe_does_nothing_more_and_reports_what_it_found() {
    let (mut probe, mut event, mut creates) =
        (Probe::new(BASE, Known::default()), Event::Continued, 0);
    let report = loop {
        event = match probe.advance(event) {
            Step::Send(request) if creates > 0 && request.method == "GET" => Event::Interrupted,
            Step::Send(request) => {
                assert!(creates == 0, "nothing more is sent");
                creates += usize::from(path(&request).starts_with("generate/image/"));
                let (status, body) = service(&request, &created).expect("a response");
                Event::Response(Response {
                    status,
                    text: body.to_string(),
                    allow_origin: None,
                })
            }
            Step::Wait(_) => Event::Continued,
            Step::Consent(_) => Event::Consent(true),
            Step::Done(report) => break report,
        };
    };
    assert_stopped(&report, "It was interrupted.");
    assert_eq!(report.dialect["upload"]["url"], "/data/ticket/target");
    assert_noted(&report, "may have been charged");
}
