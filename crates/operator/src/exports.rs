//! What the npm package of the gateway calls. Bindings alone: each converts, and calls what is decided elsewhere.

#![expect(unreachable_pub, reason = "scripts call what wasm-bindgen exports")]

use mediagate_core::Capability;
use mediagate_probe::{
    Body, CREATED, Event, Known, Report, Request, Response, Step, shown_request, shown_response,
};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::doctor::{Finding, Format, check_key_length, examine};
use crate::probe::{
    Address, Destination, check_key, known, known_address, settings_file, settings_in, summary,
};
use crate::settings::{names, problems};

/// The doctor's findings about a configuration of wrangler, as JSON: `[{"is_error": true, "line": "error: …"}]`. `name` is
/// the file's, whose end says which format it has. `key` is the media service's key, if the command has it.
///
/// # Errors
/// The text is not in that format.
#[wasm_bindgen]
pub fn doctor(text: &str, name: &str, key: Option<String>) -> Result<String, String> {
    let mut findings = examine(text, Format::of(name)).map_err(words)?;
    findings.extend(key.and_then(|key| check_key_length(&key)));
    let listed = findings
        .iter()
        .map(|it| json!({"is_error": matches!(it, Finding::Error(_)), "line": it.to_string()}));
    Ok(listed.collect::<Value>().to_string())
}

/// The names of all settings.
#[wasm_bindgen(js_name = settingNames)]
pub fn setting_names() -> Vec<String> {
    names().into_iter().collect()
}

/// What is missing or wrong of all settings, which are a JSON object of texts, as JSON: `[{"setting", "problem"}]`.
///
/// # Errors
/// The text is no such object.
#[wasm_bindgen(js_name = settingsProblems)]
pub fn settings_problems(values: &str) -> Result<String, String> {
    let values = serde_json::from_str(values).map_err(words)?;
    let listed = problems(&values)
        .into_iter()
        .map(|it| json!({"setting": it.setting, "problem": it.problem}));
    Ok(listed.collect::<Value>().to_string())
}

/// Returns the settings of a file as a JSON object of texts. `name` is the file's, whose end says
/// which format it has.
///
/// # Errors
/// The text is not in that format, or has no table `[vars]`.
#[wasm_bindgen(js_name = settingsIn)]
pub fn settings_of(text: &str, name: &str) -> Result<String, String> {
    let settings = settings_in(text, Format::of(name)).map_err(words)?;
    Ok(json!(settings).to_string())
}

/// The address in a file of settings that an earlier probe has written.
///
/// # Errors
/// The text is no TOML.
#[wasm_bindgen(js_name = knownAddress)]
pub fn address_in(text: &str) -> Result<Option<String>, String> {
    known_address(text).map_err(words)
}

/// The capabilities whose tasks the probe creates.
#[wasm_bindgen]
pub fn created() -> Vec<String> {
    CREATED.map(str::to_owned).to_vec()
}

/// Checks the form of an API key.
///
/// # Errors
/// What is wrong with it, without the key.
#[wasm_bindgen(js_name = checkKey)]
pub fn check(key: &str) -> Result<(), String> {
    check_key(key).map_err(words)
}

/// The core's probe, whose shell is a script.
#[wasm_bindgen]
pub struct Probe {
    address: Address,
    probe: mediagate_probe::Probe,
    report: Option<Report>,
}

#[wasm_bindgen]
impl Probe {
    /// A probe of the media service at this address, with what a file of settings says of it.
    ///
    /// # Errors
    /// The address or the text is not valid.
    #[wasm_bindgen(constructor)]
    pub fn new(address: &str, known_text: Option<String>) -> Result<Probe, String> {
        let address = Address::parse(address).map_err(words)?;
        let known = known_text
            .map_or(Ok(Known::default()), |it| known(&it))
            .map_err(words)?;
        Ok(Probe {
            probe: mediagate_probe::Probe::new(address.as_str(), known),
            address,
            report: None,
        })
    }

    /// Whether a URL has the scheme, the host and the port that the key is for.
    #[wasm_bindgen(js_name = isOrigin)]
    pub fn is_origin(&self, url: &str) -> bool {
        self.address.is_origin_of(url)
    }

    /// The next step after an event, both as JSON. Events: `{"response": {"status", "text", "allow_origin"}}`,
    /// `{"failed": "why"}`, `{"consent": true}`, `{"interrupted": true}`, `{}`. Steps: `{"send": …}`, `{"wait": 500}` in
    /// milliseconds, `{"consent": "image_to_video"}`, `{"done": …}`.
    ///
    /// # Errors
    /// The event is none.
    pub fn advance(&mut self, event: &str) -> Result<String, String> {
        let step = self.probe.advance(read_event(event)?);
        Ok(match step {
            Step::Send(request) => json!({ "send": sent(&request) }),
            Step::Wait(milliseconds) => json!({ "wait": milliseconds }),
            Step::Consent(capability) => json!({ "consent": Capability::name(capability) }),
            Step::Done(report) => self.done(report)?,
        }
        .to_string())
    }

    /// What was found, in words; `text` is what could not be written to the file.
    pub fn summary(&self, file: Option<String>, text: Option<String>) -> Vec<String> {
        let place = match (&file, &text) {
            (Some(file), None) => Destination::File(file),
            (Some(file), Some(text)) => Destination::Unwritten(file, text),
            (None, _) => Destination::Nowhere,
        };
        self.report
            .iter()
            .flat_map(|it| summary(it, place))
            .collect()
    }

    fn done(&mut self, report: Report) -> Result<Value, String> {
        let file = settings_file(&self.address, &report).map_err(words)?;
        let done = json!({"file": file, "is_needed": Destination::is_needed(&report), "is_enough": report.is_enough()});
        self.report = Some(report);
        Ok(json!({ "done": done }))
    }
}

/// What a response to a request is shown as, a line or more.
///
/// # Errors
/// The response is none.
#[wasm_bindgen(js_name = shownResponse)]
pub fn shown(response: &str) -> Result<String, String> {
    let response: Value = serde_json::from_str(response).map_err(words)?;
    Ok(shown_response(
        &response_of(&response).ok_or("no response")?,
    ))
}

fn sent(request: &Request) -> Value {
    let body = match &request.body {
        Body::Empty => Value::Null,
        Body::Json(value) => json!({ "json": value }),
        Body::Bytes(bytes) => json!({ "bytes": bytes }),
        Body::Form(fields, bytes) => json!({ "form": fields, "bytes": bytes }),
    };
    json!({
        "purpose": request.purpose,
        "method": request.method,
        "url": request.url,
        "has_key": request.has_key,
        "headers": request.headers,
        "body": body,
        "shown": shown_request(request),
    })
}

fn read_event(text: &str) -> Result<Event, String> {
    let event: Value = serde_json::from_str(text).map_err(words)?;
    if let Some(response) = event.get("response") {
        return response_of(response)
            .map(Event::Response)
            .ok_or_else(|| "no response".into());
    }
    if let Some(why) = event.get("failed").and_then(Value::as_str) {
        return Ok(Event::Failed(why.to_owned()));
    }
    if let Some(consents) = event.get("consent").and_then(Value::as_bool) {
        return Ok(Event::Consent(consents));
    }
    Ok(if event.get("interrupted").is_some() {
        Event::Interrupted
    } else {
        Event::Continued
    })
}

fn response_of(value: &Value) -> Option<Response> {
    Some(Response {
        status: u16::try_from(value.get("status")?.as_u64()?).ok()?,
        text: value.get("text")?.as_str()?.to_owned(),
        allow_origin: value
            .get("allow_origin")
            .and_then(Value::as_str)
            .map(str::to_owned),
    })
}

fn words(error: impl std::fmt::Display) -> String {
    format!("{error:#}")
}
