//! The search for the request of an upload URL.

use serde_json::{Value, json};

use super::explain::described;
use super::hints::Vocabulary;
use super::leaves::{Leaf, leaves};
use super::negotiation::{Negotiation, Outcome, Slot, Slots};
use super::report::{Parts, Report};
use super::session::{Session, Stop};
use super::step::{SAMPLE, SAMPLE_NAME, SAMPLE_TYPE};
use mediagate_core::PREFIX;

const VOCABULARY: Vocabulary = &[
    ("size", &["size", "length", "bytes", "byte"]),
    (
        "content_type",
        &["mime", "type", "format", "content", "kind"],
    ),
    ("extension", &["ext", "extension", "suffix"]),
    ("file_name", &["name", "filename"]),
    ("media", &["media", "category"]),
];

/// The names that services use for the file's name, its media type and its size.
pub const CONVENTIONS: [[&str; 3]; 14] = [
    ["file_name", "content_type", "size"],
    ["filename", "content_type", "size"],
    ["fileName", "contentType", "size"],
    ["fileName", "contentType", "fileSize"],
    ["filename", "contentType", "size"],
    ["name", "type", "size"],
    ["name", "content_type", "size"],
    ["name", "mime_type", "size"],
    ["filename", "mime_type", "size"],
    ["file_name", "mime_type", "file_size"],
    ["file_name", "file_type", "file_size"],
    ["file_name", "content_type", "content_length"],
    ["fileName", "mimeType", "fileSize"],
    ["name", "contentType", "contentLength"],
];
const PLACEHOLDERS: [&str; 3] = ["file_name", "content_type", "size"];
/// The places of objects that may contain these members.
pub const CONTAINERS: [&str; 4] = ["", "/file", "/files/0", "/upload"];

/// The responses to two equal requests for an upload URL.
pub(super) struct Issued {
    /// The parts of the dialect that the request needs.
    pub(super) parts: Parts,
    pub(super) first: Value,
    pub(super) second: Value,
}

/// Tries requests until a response has a URL. Returns `None` if no request succeeds.
///
/// # Errors
/// If the service refuses the key or does not respond, or if the base URL is likely wrong.
pub(super) async fn find(session: &Session, report: &mut Report) -> Result<Option<Issued>, Stop> {
    let negotiation = Negotiation {
        purpose: "request an upload URL",
        path: &path(),
        vocabulary: VOCABULARY,
        required: &PLACEHOLDERS,
        is_inner: &|name| name == "title",
        known: session.known.part("upload.request"),
        candidates: candidates(),
        body: &|template| body(&with(template)),
        accepts: &|response| {
            response
                .success()
                .is_some_and(|data| leaves(data).iter().any(Leaf::is_url))
        },
    };
    match negotiation.run(session).await? {
        Outcome::Accepted(template, response) => {
            let whole = body(&with(&template));
            let parts = with(&template)
                .on(&session.known.dialect)
                .needed(|dialect| dialect.upload.body(&input()) == whole);
            let first = response.body.unwrap_or_default();
            // The file's id is among the values that differ between two responses.
            let second = again(session, &parts)
                .await?
                .unwrap_or_else(|| first.clone());
            Ok(Some(Issued {
                parts,
                first,
                second,
            }))
        }
        Outcome::Refused(response) if response.is_unauthenticated() => Err(
            "The media service refused the key (code 13, unauthenticated): it is missing, wrong or \
             revoked. Create one in the account that is to pay, and run it again."
                .into(),
        ),
        // No envelope: this is likely not the media service.
        Outcome::Refused(response)
            if response.code.is_none() && (response.body.is_none() || response.status == 404) =>
        {
            Err(format!(
                "{} does not respond as the document has it ({}). The base URL is likely wrong: \
                 give it without /api/app/v1.",
                session.url(&path()),
                described(&response)
            ))
        }
        Outcome::Refused(response) => {
            let why = format!(
                "no body that was tried brought an upload URL ({}); set it as your account's \
                 documentation has it",
                described(&response)
            );
            report.unknown("upload.request", &why);
            Ok(None)
        }
    }
}

/// Sends the request again. Returns `None` if the service refuses it.
pub(super) async fn again(session: &Session, parts: &Parts) -> Result<Option<Value>, Stop> {
    let response = session
        .post("request an upload URL", &path(), body(parts))
        .await?;
    Ok(response.success().cloned())
}

fn path() -> String {
    format!("{PREFIX}upload_urls")
}

fn with(template: &Value) -> Parts {
    Parts::one("upload.request", template.clone())
}

fn body(parts: &Parts) -> Value {
    parts.dialect().upload.body(&input())
}

fn input() -> Value {
    json!({ "file_name": SAMPLE_NAME, "content_type": SAMPLE_TYPE, "size": SAMPLE.len() })
}

/// Returns the bodies to try: each convention, then all names at once for a service that ignores
/// unknown members, then each convention in each container.
fn candidates() -> Vec<Slots> {
    let body_of = |container: &str, names: &[&[&str]; 3]| -> Slots {
        let each = names.iter().zip(PLACEHOLDERS);
        each.flat_map(|(synonyms, placeholder)| {
            synonyms
                .iter()
                .map(move |name| Slot::new(&format!("{container}/{name}"), placeholder))
        })
        .collect()
    };
    let one = |container| {
        CONVENTIONS
            .iter()
            .map(move |names| body_of(container, &[&[names[0]], &[names[1]], &[names[2]]]))
    };
    let every = |index: usize| {
        let mut names: Vec<&str> = CONVENTIONS.iter().map(|names| names[index]).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let names = every(0);
    let types = every(1);
    let sizes = every(2);
    let all = CONTAINERS
        .iter()
        .map(|container| body_of(container, &[&names, &types, &sizes]));
    one(CONTAINERS[0])
        .chain(all)
        .chain(CONTAINERS[1..].iter().flat_map(|container| one(container)))
        .collect()
}
