//! The search for the credit estimate, and for the shapes in which creates take a region and a
//! size. An estimate takes "the same parameters" as a create (§4.1), and costs nothing.

use serde_json::{Value, json};

use super::hints::Vocabulary;
use super::leaves::leaves;
use super::negotiation::{Negotiation, Outcome, Slot, Slots};
use super::report::{Parts, Report};
use super::session::{Session, Stop, default_path};
use super::step::{DecodedResponse, TITLE};
use mediagate_core::{CAPABILITIES, Capability, PREFIX, find as capability};
use mediagate_dialect::Dialect;

/// The likely paths, after the prefix; the first is the default.
const PATHS: [&str; 9] = [
    "credits/estimate",
    "estimate",
    "credits/estimation",
    "credit/estimate",
    "credit_estimate",
    "credits/estimate_cost",
    "estimate_credits",
    "billing/estimate",
    "pricing/estimate",
];
pub(super) const SETTING: &str = "UPSTREAM_ESTIMATE_PATH";
/// A path that no service has. Its response shows how the service responds to a missing path.
const NO_PATH: &str = "mediagate_probe_of_a_missing_path";

const VOCABULARY: Vocabulary = &[
    ("path", &["path", "endpoint", "url"]),
    (
        "capability",
        &[
            "capability",
            "type",
            "task",
            "operation",
            "tool",
            "action",
            "name",
        ],
    ),
    (
        "input",
        &[
            "input",
            "inputs",
            "params",
            "parameters",
            "body",
            "payload",
            "request",
            "data",
            "arguments",
        ],
    ),
];
const REQUIRED: [&str; 3] = ["input", "capability", "path"];
/// The likely names of a member that holds the create's body.
const INPUTS: [&str; 4] = ["input", "params", "parameters", "request"];
/// The likely pairs of members: the placeholder of the first, its name, and the name of the member
/// that holds the create's body.
const BODIES: [(&str, &str, &str); 9] = [
    ("capability", "capability", "input"),
    ("capability", "task_type", "input"),
    ("capability", "type", "params"),
    ("capability", "type", "input"),
    ("capability", "capability", "params"),
    ("capability", "capability", "parameters"),
    ("path", "endpoint", "params"),
    ("path", "path", "body"),
    ("path", "endpoint", "input"),
];

/// Finds the path and the body of an estimate.
///
/// # Errors
/// If the service does not respond.
pub(super) async fn find(
    session: &Session,
    report: &mut Report,
    file_id: Option<&str>,
) -> Result<(), Stop> {
    let missing = session
        .try_post(
            "see what a missing path responds",
            &format!("{PREFIX}{NO_PATH}"),
            json!({}),
        )
        .await;
    for path in session.paths(SETTING, &PATHS) {
        let first = session.try_post("estimate an image", &path, prompt()).await;
        // Some services respond to a missing path with 401, or with an envelope of their own.
        if is_missing(&first) || first.is_unauthenticated() || is_same(&first, &missing) {
            continue;
        }
        // The default needs no setting.
        if path != default_path(&PATHS) {
            report.set(SETTING, &*path);
        }
        match negotiate(session, &path).await? {
            Some(parts) => {
                report.add(parts.clone());
                shapes(session, report, &path, &parts, file_id).await;
                return Ok(());
            }
            None => {
                report.unknown(
                    "estimate.request",
                    "the path of the estimate responds, and took no body that was tried",
                );
                unknown_shapes(report);
                return Ok(());
            }
        }
    }
    report.unknown(
        SETTING,
        "no path that was tried estimates a price; without one, there are no estimates",
    );
    unknown_shapes(report);
    Ok(())
}

/// Returns true if a response means that the path does not exist.
fn is_missing(response: &DecodedResponse) -> bool {
    matches!(response.status, 404 | 405 | 410 | 501)
        || response.body.is_none() && !(200..300).contains(&response.status)
}

fn is_same(one: &DecodedResponse, other: &DecodedResponse) -> bool {
    one.status == other.status
        && one.code == other.code
        && one.success().is_none()
        && one.body == other.body
}

fn prompt() -> Value {
    json!({ "prompt": TITLE })
}

async fn negotiate(session: &Session, path: &str) -> Result<Option<Parts>, Stop> {
    let own: Slots = Vec::from([Slot::new("", "input")]);
    let input = |name: &str| -> Slots { Vec::from([Slot::new(&format!("/{name}"), "input")]) };
    let pair = |(placeholder, name, input_name): &(&'static str, &str, &str)| -> Slots {
        Vec::from([
            Slot::new(&format!("/{name}"), placeholder),
            Slot::new(&format!("/{input_name}"), "input"),
        ])
    };
    let turbo = capability("text_to_image_turbo");
    let negotiation = Negotiation {
        purpose: "estimate an image",
        path,
        vocabulary: VOCABULARY,
        required: &REQUIRED,
        is_inner: &|name| {
            CAPABILITIES
                .iter()
                .any(|capability| capability.field(name).is_some())
        },
        known: session.known.part("estimate.request"),
        candidates: core::iter::once(own)
            .chain(INPUTS.into_iter().map(input))
            .chain(BODIES.iter().map(pair))
            .collect(),
        body: &|template| {
            turbo
                .map(|capability| body(&with(template), capability, prompt()))
                .unwrap_or_default()
        },
        accepts: &|response| {
            response
                .success()
                .is_some_and(|data| leaves(data).iter().any(|leaf| leaf.value.is_number()))
        },
    };
    let Outcome::Accepted(template, _) = negotiation.run(session).await? else {
        return Ok(None);
    };
    let parts = with(&template).on(&session.known.dialect);
    let sample = |dialect: &Dialect| dialect.estimate.body("a", "b", &prompt());
    let whole = sample(&parts.dialect());
    Ok(Some(parts.needed(|dialect| sample(dialect) == whole)))
}

fn with(template: &Value) -> Parts {
    Parts::one("estimate.request", template.clone())
}

fn body(parts: &Parts, capability: &Capability, input: Value) -> Value {
    let path = format!("{PREFIX}{}", capability.path);
    parts
        .dialect()
        .estimate
        .body(capability.name(), &path, &input)
}

const NO_REGION: &str = "no estimate shows it. It is sent as {\"region\": {\"x\": 0}}; \
                         if your documentation has \"region.x\", set \"dotted\"";
const NO_SIZE: &str = "no estimate shows it. It is sent as [width, height]; \
                       if your documentation has an object, set \"object\"";

fn unknown_shapes(report: &mut Report) {
    report.untried("create.region", NO_REGION);
    report.untried("create.video_size", NO_SIZE);
}

/// The estimates that show a shape.
struct Trial {
    part: &'static str,
    capability: &'static str,
    /// The create's body, in the gateway's own shape.
    input: Value,
    /// The member whose shape is unknown.
    field: &'static str,
    /// The two shapes, the default first.
    shapes: [&'static str; 2],
    /// The remedy if no estimate shows it.
    remedy: &'static str,
}

fn trials(file_id: &str) -> [Trial; 2] {
    [
        Trial {
            part: "create.region",
            capability: "background_removal",
            input: json!({
                "file_id": file_id,
                "region": { "x": 1, "y": 1, "width": 32, "height": 32 },
            }),
            field: "region",
            shapes: ["nested", "dotted"],
            remedy: NO_REGION,
        },
        Trial {
            part: "create.video_size",
            capability: "video_logo_removal",
            input: json!({ "input_video_file_id": file_id, "video_size": [64, 64] }),
            field: "video_size",
            shapes: ["list", "object"],
            remedy: NO_SIZE,
        },
    ]
}

async fn shapes(
    session: &Session,
    report: &mut Report,
    path: &str,
    parts: &Parts,
    file_id: Option<&str>,
) {
    let Some(file_id) = file_id else {
        return unknown_shapes(report);
    };
    for trial in trials(file_id) {
        match shape(session, path, parts, &trial).await {
            Some(shape) if shape == trial.shapes[0] => {}
            Some(shape) => report.add(Parts::one(trial.part, shape)),
            None => report.untried(trial.part, trial.remedy),
        }
    }
}

/// Returns the shape that the estimate accepts, if it rejects an invalid value.
async fn shape(
    session: &Session,
    path: &str,
    parts: &Parts,
    trial: &Trial,
) -> Option<&'static str> {
    let capability = capability(trial.capability)?;
    let accepts = async |input: Value| {
        let body = body(parts, capability, input);
        session
            .try_post("see which shape an estimate takes", path, body)
            .await
            .success()
            .is_some()
    };
    // An estimate that ignores the field accepts every value, so its response shows nothing.
    let mut wrong = trial.input.clone();
    wrong[trial.field] = "none".into();
    if accepts(wrong).await {
        return None;
    }
    for shape in trial.shapes {
        let mut input = trial.input.clone();
        if let Some(members) = input.as_object_mut() {
            Parts::one(trial.part, shape)
                .dialect()
                .create
                .shape(capability, members);
        }
        if accepts(input).await {
            return Some(shape);
        }
    }
    None
}
