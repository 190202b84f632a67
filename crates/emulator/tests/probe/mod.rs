//! Tests of the core's probe against the emulator's dialects.
//!
//! With the settings that the probe finds, every capability works, from its upload to its result.
//! The test sets by hand only the parts that no exchange shows, and the probe must name exactly
//! those.

mod caller;
mod truth;

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use mediagate_core::CAPABILITIES;
use mediagate_dialect::Dialect as Found;
use mediagate_emulator::dialect::{Dialect, NAMED};
use mediagate_emulator::{Config, Results};
use mediagate_probe::{Body, Event, Known, PATH_SETTINGS, Probe, Report, Request, Response, Step};
use reqwest::Method;
use serde_json::{Value, json};

use self::caller::Caller;
use crate::support::spoken::multipart;
use crate::support::{Api, Sent, start};

/// The number of dialects that are drawn, unless `MEDIAGATE_DIALECTS` sets another.
const DIALECTS: u64 = 20;
/// The number of probes that run at once. A probe waits more than it computes.
const AT_ONCE: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn every_named_dialect_is_found_out() {
    stream::iter(NAMED)
        .for_each_concurrent(AT_ONCE, |named| {
            speak(named.name.to_owned(), named.dialect())
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_seeded_dialect_is_found_out() {
    let count = std::env::var("MEDIAGATE_DIALECTS")
        .ok()
        .and_then(|text| text.parse().ok());
    stream::iter(0..count.unwrap_or(DIALECTS))
        .for_each_concurrent(AT_ONCE, |seed| {
            speak(format!("seed {seed}"), Dialect::seeded(seed))
        })
        .await;
}

/// Probes a service twice, the second time with the parts that the first probe named as unknown.
/// Then creates tasks with the settings that both found.
async fn speak(name: String, dialect: Dialect) {
    let config = Config {
        dialect: dialect.clone(),
        results: Results::Placeholder,
        // The probe must read a status before a task ends, also while the machine is busy.
        task_seconds: Duration::from_millis(600),
        ..Config::default()
    };
    let api = start(config).await;
    let mut known = Known {
        dialect: json!({}),
        ..Known::default()
    };
    for _ in 0..2 {
        let expected = truth::unknown(&dialect, &known);
        let report = probe(&api, known).await;
        let unknown: BTreeSet<_> = report.unknown.iter().map(|unknown| unknown.part).collect();
        assert_eq!(report.stopped, None, "{name}");
        assert_eq!(
            unknown,
            expected,
            "{name}: {:?} {}",
            report.notes,
            serde_json::to_string(&dialect).unwrap()
        );
        known = with_truth(report, &dialect);
    }
    create(&name, &dialect, caller(&api, &known)).await;
    api.emulator.stop().await;
}

async fn create(name: &str, dialect: &Dialect, mut caller: Caller<'_>) {
    let mut tasks = Vec::new();
    for capability in CAPABILITIES {
        tasks.push(caller.create(capability, "").await);
    }
    for task in &tasks {
        let end = caller.follow(task).await;
        assert_eq!(
            (&*end.state, end.has_outputs),
            ("SUCCEEDED", true),
            "{name}: {}: {}",
            task.capability.name(),
            end.response
        );
    }
    for state in ["FAILED", "EXPIRED"] {
        let task = caller
            .create(CAPABILITIES[0], &format!("emulate: state={state}"))
            .await;
        let end = caller.follow(&task).await;
        // A flag does not say how a task has ended, and the error beside it does not say that it
        // expired.
        let expected = if dialect.task.done_flag {
            "FAILED"
        } else {
            state
        };
        assert_eq!(end.state, expected, "{name}: {}", end.response);
    }
    if dialect.paths.models.is_some() {
        assert!(caller.models().await >= Some(CAPABILITIES.len()), "{name}");
    }
    if dialect.paths.estimate.is_some() {
        assert!(caller.estimates().await, "{name}");
    }
}

/// The wait between two polls. The probe takes a task whose record is unchanged for 5 polls as
/// ended, so 5 waits must be longer than a task.
const POLL: Duration = Duration::from_millis(150);

/// Runs the probe with consent to every task, and with short waits.
async fn probe(api: &Api, known: Known) -> Report {
    let mut probe = Probe::new(&api.base_url, known);
    let mut event = Event::Continued;
    loop {
        event = match probe.advance(event) {
            Step::Done(report) => return report,
            Step::Send(request) => Event::Response(send(api, request).await),
            Step::Consent(_) => Event::Consent(true),
            Step::Wait(_) => {
                tokio::time::sleep(POLL).await;
                Event::Continued
            }
        };
    }
}

async fn send(api: &Api, request: Request) -> Response {
    let method = Method::from_bytes(request.method.as_bytes()).unwrap();
    let mut sent = api.client.request(method, &request.url);
    for (name, value) in &request.headers {
        sent = sent.header(name, value);
    }
    if request.has_key {
        sent = sent.bearer_auth(&api.key);
    }
    let sent = match &request.body {
        Body::Empty => sent,
        Body::Json(value) => sent.json(value),
        Body::Bytes(bytes) => sent.body(*bytes),
        Body::Form(fields, bytes) => multipart(sent, fields, bytes),
    };
    let response = sent.sent().await;
    let allow_origin = response.headers().get("access-control-allow-origin");
    let allow_origin = allow_origin.map(|origin| origin.to_str().unwrap().to_owned());
    Response {
        status: response.status().as_u16(),
        allow_origin,
        text: response.text().await.unwrap(),
    }
}

/// Adds the parts that a report names as unknown, as a person would do.
fn with_truth(report: Report, dialect: &Dialect) -> Known {
    let mut known = Known {
        paths: report.settings,
        dialect: report.dialect,
    };
    known.paths.retain(|name, _| PATH_SETTINGS.contains(name));
    if known.dialect.is_null() {
        known.dialect = json!({});
    }
    for unknown in &report.unknown {
        if let Some(path) = truth::path(dialect, unknown.part) {
            known.paths.insert(unknown.part, path);
        } else if let Some(value) = truth::part(dialect, unknown.part) {
            put(&mut known.dialect, unknown.part, value);
        }
    }
    known
}

fn put(document: &mut Value, part: &str, value: Value) {
    *part
        .split('.')
        .fold(document, |inner, name| &mut inner[name]) = value;
}

fn caller<'a>(api: &'a Api, known: &Known) -> Caller<'a> {
    let dialect = Found::parse(&known.dialect.to_string()).unwrap();
    let defaults = [
        "generate/tasks/{task_id}",
        "process/tasks/{task_id}",
        "models",
        "credits/estimate",
        "assets/{asset_id}",
    ];
    let paths = PATH_SETTINGS.into_iter().zip(defaults);
    let paths = paths.map(|(name, default)| {
        let known = known.paths.get(name).cloned();
        (name, known.unwrap_or(format!("/api/app/v1/{default}")))
    });
    Caller::new(api, dialect, paths.collect())
}
