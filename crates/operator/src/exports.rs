//! The bindings that the npm package of the gateway calls. Each converts its arguments and results.
//! All decisions are in other modules.

#![expect(unreachable_pub, reason = "scripts call what wasm-bindgen exports")]

use mediagate_settings::bucket_region;
use mediagate_upstream::shown_type;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::check::{self, Step};
use crate::doctor::{Finding, Format, examine, worker_names};
use crate::settings::{names, problems};
use crate::settings_file::settings_in;

/// Returns the doctor's findings about a configuration of wrangler as JSON: `[{"is_error": true,
/// "line": "error: …"}]`. The end of the file's `name` decides the format. `key` is the media
/// service's key, if the command has it. Fails if the text is not in this format.
#[wasm_bindgen]
pub fn doctor(text: &str, name: &str, key: Option<String>) -> Result<String, String> {
    let findings = examine(text, Format::of(name), key.as_deref()).map_err(words)?;
    let listed = findings.iter().map(|finding| {
        let is_error = matches!(finding, Finding::Error(_));
        json!({"is_error": is_error, "line": finding.to_string()})
    });
    Ok(listed.collect::<Value>().to_string())
}

/// Returns the names of the Worker and of its module as JSON: `{"worker", "module"}`, each a text
/// or null, from the top level of a wrangler configuration. `name` is the file's name. Fails if the
/// text is not in this format.
#[wasm_bindgen(js_name = workerNames)]
pub fn worker_names_in(text: &str, name: &str) -> Result<String, String> {
    let names = worker_names(text, Format::of(name)).map_err(words)?;
    Ok(json!({"worker": names.worker, "module": names.module}).to_string())
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

/// Returns every setting that is missing or invalid as JSON: `[{"setting", "problem"}]`. `values`
/// is a JSON object of texts with all settings. Fails if it is none.
#[wasm_bindgen(js_name = settingsProblems)]
pub fn settings_problems(values: &str) -> Result<String, String> {
    let values = serde_json::from_str(values).map_err(words)?;
    let listed = problems(&values)
        .into_iter()
        .map(|error| json!({"setting": error.setting, "problem": error.problem}));
    Ok(listed.collect::<Value>().to_string())
}

/// Returns the settings of a file as a JSON object of texts. The end of the file's `name` decides
/// the format. Fails if the text is not in this format, or has no table `[vars]`.
#[wasm_bindgen(js_name = settingsIn)]
pub fn settings_of(text: &str, name: &str) -> Result<String, String> {
    let settings = settings_in(text, Format::of(name)).map_err(words)?;
    Ok(json!(settings).to_string())
}

/// Returns a small PNG.
#[wasm_bindgen(js_name = samplePicture)]
pub fn sample_picture() -> Vec<u8> {
    check::SAMPLE.to_vec()
}

/// A check of the media service, whose requests a script sends.
#[wasm_bindgen]
pub struct Check(check::Check);

#[wasm_bindgen]
impl Check {
    /// Starts a check of one create. `values` is a JSON object of texts with the gateway's settings
    /// and the key, `input` a JSON object with members of the create's body. Fails if a setting of
    /// the upstream, the capability, the input or the file is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(
        values: &str,
        capability: &str,
        input: &str,
        file_name: &str,
        file: &[u8],
    ) -> Result<Check, String> {
        let values = serde_json::from_str(values).map_err(words)?;
        let input = serde_json::from_str(input)
            .map_err(|error| format!("the input is no JSON: {error}"))?;
        let file = check::File {
            name: file_name.to_owned(),
            content_type: shown_type(file)
                .ok_or(
                    "the file is no picture, video, sound or PDF document; give one with --file",
                )?
                .to_owned(),
            size: file.len(),
        };
        check::Check::new(&values, capability, &input, file)
            .map(Check)
            .map_err(words)
    }

    /// Returns true if a URL has the scheme, the host and the port of the service. Only such a URL
    /// may receive the key.
    #[wasm_bindgen(js_name = isOrigin)]
    pub fn is_origin(&self, url: &str) -> bool {
        self.0.is_origin(url)
    }

    /// Returns the request of a step as JSON, or nothing if the step does not apply. Fails if the
    /// request can't be made.
    pub fn request(&self, step: Step) -> Result<Option<String>, String> {
        let request = self.0.request(step).map_err(words)?;
        Ok(request.map(|request| request.to_json().to_string()))
    }

    /// Reads the response of a step. Returns what it shows, line by line.
    pub fn response(&mut self, step: Step, status: u16, text: &str) -> Vec<String> {
        self.0.response(step, status, text)
    }

    /// Returns true if there is no task to follow any more.
    #[wasm_bindgen(js_name = hasEnded)]
    pub fn has_ended(&self) -> bool {
        self.0.has_ended()
    }

    /// Returns true if the gateway works with the service.
    #[wasm_bindgen(js_name = isEnough)]
    pub fn is_enough(&self) -> bool {
        self.0.is_enough()
    }

    /// Returns the verdict, line by line.
    pub fn summary(&self) -> Vec<String> {
        self.0.summary()
    }

    /// Returns the candidates as a file of settings.
    pub fn settings(&self) -> String {
        self.0.settings()
    }
}

fn words(error: impl std::fmt::Display) -> String {
    format!("{error:#}")
}
