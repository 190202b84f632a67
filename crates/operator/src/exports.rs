//! The bindings that the npm package of the gateway calls. Each converts its arguments and results.
//! All decisions are in other modules.

#![expect(unreachable_pub, reason = "scripts call what wasm-bindgen exports")]

use mediagate_core::Capability;
use mediagate_probe::{
    Body, CREATED, Event, Known, Report, Request, Response, Step, shown_request, shown_response,
};
use mediagate_worker::settings::bucket_region;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::doctor::{Finding, Format, check_key_length, examine};
use crate::probe::{
    Address, Destination, check_key, known, known_address, settings_file, settings_in, summary,
};
use crate::settings::{names, problems};

/// Returns the doctor's findings about a configuration of wrangler, as JSON: `[{"is_error": true,
/// "line": "error: …"}]`. `name` is the name of the file, whose end decides the format. `key` is
/// the media service's key, if the command has it.
///
/// # Errors
/// If the text is not in this format.
#[wasm_bindgen]
pub fn doctor(text: &str, name: &str, key: Option<String>) -> Result<String, String> {
    let mut findings = examine(text, Format::of(name)).map_err(words)?;
    findings.extend(key.and_then(|key| check_key_length(&key)));
    let listed = findings.iter().map(|finding| {
        let is_error = matches!(finding, Finding::Error(_));
        json!({"is_error": is_error, "line": finding.to_string()})
    });
    Ok(listed.collect::<Value>().to_string())
}

/// Returns the names of all settings.
#[wasm_bindgen(js_name = settingNames)]
pub fn setting_names() -> Vec<String> {
    names().into_iter().collect()
}

/// Returns the region in the signature of requests to the bucket at `url`. `region` is
/// `RESULTS_REGION`.
#[wasm_bindgen(js_name = bucketRegion)]
pub fn region(url: &str, region: Option<String>) -> String {
    bucket_region(url, region.as_deref())
}

/// Returns every setting that is missing or invalid, as JSON: `[{"setting", "problem"}]`. `values`
/// is a JSON object of texts with all settings.
///
/// # Errors
/// If `values` is no such object.
#[wasm_bindgen(js_name = settingsProblems)]
pub fn settings_problems(values: &str) -> Result<String, String> {
    let values = serde_json::from_str(values).map_err(words)?;
    let listed = problems(&values)
        .into_iter()
        .map(|error| json!({"setting": error.setting, "problem": error.problem}));
    Ok(listed.collect::<Value>().to_string())
}

/// Returns the settings of a file as a JSON object of texts. `name` is the name of the file, whose
/// end decides the format.
///
/// # Errors
/// If the text is not in this format, or has no table `[vars]`.
#[wasm_bindgen(js_name = settingsIn)]
pub fn settings_of(text: &str, name: &str) -> Result<String, String> {
    let settings = settings_in(text, Format::of(name)).map_err(words)?;
    Ok(json!(settings).to_string())
}

/// Returns the address in a file of settings that an earlier probe has written.
///
/// # Errors
/// If the text is no TOML.
#[wasm_bindgen(js_name = knownAddress)]
pub fn address_in(text: &str) -> Result<Option<String>, String> {
    known_address(text).map_err(words)
}

/// Returns the capabilities whose tasks the probe creates.
#[wasm_bindgen]
pub fn created() -> Vec<String> {
    CREATED.map(str::to_owned).to_vec()
}

/// Checks the form of an API key.
///
/// # Errors
/// A sentence on the problem, without the key.
#[wasm_bindgen(js_name = checkKey)]
pub fn check(key: &str) -> Result<(), String> {
    check_key(key).map_err(words)
}

/// The probe, whose requests a script sends.
#[wasm_bindgen]
pub struct Probe {
    address: Address,
    probe: mediagate_probe::Probe,
    report: Option<Report>,
}

#[wasm_bindgen]
impl Probe {
    /// Returns a probe of the media service at this address. `known_text` is a file of settings
    /// that are known already.
    ///
    /// # Errors
    /// If the address or the text is not valid.
    #[wasm_bindgen(constructor)]
    pub fn new(address: &str, known_text: Option<String>) -> Result<Probe, String> {
        let address = Address::parse(address).map_err(words)?;
        let known = known_text
            .map_or(Ok(Known::default()), |text| known(&text))
            .map_err(words)?;
        Ok(Probe {
            probe: mediagate_probe::Probe::new(address.as_str(), known),
            address,
            report: None,
        })
    }

    /// Returns true if a URL has the scheme, the host and the port of the address. Only such a URL
    /// may receive the key.
    #[wasm_bindgen(js_name = isOrigin)]
    pub fn is_origin(&self, url: &str) -> bool {
        self.address.is_origin_of(url)
    }

    /// Returns the next step after an event, both as JSON.
    ///
    /// Events: `{"response": {"status", "text", "allow_origin"}}`, `{"failed": "why"}`,
    /// `{"consent": true}`, `{"interrupted": true}`, `{}`. Steps: `{"send": …}`, `{"wait": 500}` in
    /// milliseconds, `{"consent": "image_to_video"}`, `{"done": …}`.
    ///
    /// # Errors
    /// If `event` is no event, or the probe's settings cannot be written.
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

    /// Returns the findings in words. `text` is the content of the file, if the file cannot be
    /// written.
    pub fn summary(&self, file: Option<String>, text: Option<String>) -> Vec<String> {
        let place = match (&file, &text) {
            (Some(file), None) => Destination::File(file),
            (Some(file), Some(text)) => Destination::Unwritten(file, text),
            (None, _) => Destination::Nowhere,
        };
        self.report
            .iter()
            .flat_map(|report| summary(report, place))
            .collect()
    }

    fn done(&mut self, report: Report) -> Result<Value, String> {
        let file = settings_file(&self.address, &report).map_err(words)?;
        let done = json!({
            "file": file,
            "is_needed": Destination::is_needed(&report),
            "is_enough": report.is_enough(),
        });
        self.report = Some(report);
        Ok(json!({ "done": done }))
    }
}

/// Returns a response in words, in a line or more.
///
/// # Errors
/// If `response` is no response.
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
    if let Some(is_given) = event.get("consent").and_then(Value::as_bool) {
        return Ok(Event::Consent(is_given));
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
