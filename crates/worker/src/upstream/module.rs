//! An upstream module: what its responses have beside the service's document, and its files.
//!
//! A module is a Worker of the operator's behind the service binding `UPSTREAM`. Its task records may
//! name an output by a path of its own, and the provider that does the work.

use std::time::Duration;

use mediagate_core::Reason;
use serde_json::{Map, Value, json};
use web_sys::{Request, Response};

use super::{Upstream, UpstreamClient};
use crate::ids::ModuleFile;
use crate::platform::http::{request_init, within};
use crate::platform::{date, log, now_ms};
use crate::refusal::Refusal;

impl UpstreamClient<'_> {
    /// Prepares the response of a module for the reader: outputs that are paths become URLs of the
    /// gateway, and the provider's name goes into the log. It stays in the record only if
    /// `SHOW_PROVIDER` is on.
    pub(super) fn prepare_module_response(&self, operation: &str, body: &mut Value) {
        if self.upstream.module.is_none() {
            return;
        }
        let Some(data) = body.get_mut("data").and_then(Value::as_object_mut) else {
            return; // an error without data
        };
        let of_error = self.take_provider(data);
        let task = data.get_mut("task").and_then(Value::as_object_mut);
        let of_task = task.and_then(|task| {
            let outputs = task.get_mut("outputs").and_then(Value::as_array_mut);
            for output in outputs.into_iter().flatten() {
                let file = output["url"].as_str().and_then(ModuleFile::at);
                if let Some(file) = file {
                    output["url"] = self.file_url(&file).into();
                }
            }
            self.take_provider(task)
        });
        let provider = of_task.or(of_error);
        if let Some(provider) = provider.filter(|_| operation == "create") {
            let line = json!({
                "operation": operation,
                "provider": provider,
                "time": date(now_ms()),
            });
            log(&line.to_string());
        }
    }

    /// Returns the provider's name in a record or in the data of an error. Removes it, unless callers
    /// may see it.
    fn take_provider(&self, members: &mut Map<String, Value>) -> Option<String> {
        const NAME: &str = "provider";
        let provider = if self.upstream.settings.show_provider {
            members.get(NAME).cloned()
        } else {
            members.remove(NAME)
        };
        provider?.as_str().map(str::to_owned)
    }

    fn file_url(&self, file: &ModuleFile) -> String {
        // No caller sees the data if there is no public URL, and the reader takes only whole URLs.
        let base_url = self.upstream.settings.service.base_url();
        let public_url = Some(self.public_url).filter(|url| !url.is_empty());
        file.url(&self.upstream.sealer, public_url.unwrap_or(base_url))
    }
}

impl Upstream {
    /// Requests a file of the module, by `GET` or `HEAD`. `range` is the header `Range`.
    ///
    /// # Errors
    /// 404 if the module does not have the file, or if the upstream is no module; 416 for a range
    /// that begins at or after its end; 502 for any other response; 504 if the response does not
    /// begin in time.
    pub(crate) async fn open_file(
        &self,
        method: &str,
        file: &ModuleFile,
        range: Option<&str>,
    ) -> Result<Response, Refusal> {
        let module = self.module.as_ref().ok_or(Reason::UnknownOutput)?;
        let url = [self.settings.service.base_url(), &file.path].concat();
        let headers: Vec<_> = range.map(|range| ("range", range)).into_iter().collect();
        let request = request_init(method, &headers)
            .and_then(|init| Request::new_with_str_and_init(&url, &init))
            .map_err(|_| Reason::UnknownOutput)?;
        let limit = Duration::from_millis(self.settings.read_timeout_ms.into());
        let response = within(limit, module.send(&request)).await;
        let response = response.ok_or(Reason::Deadline)?;
        let response = response.ok_or(Reason::OutputUnavailable)?;
        let refusal = match response.status() {
            200 | 206 => return Ok(response),
            404 | 410 => Refusal::from(Reason::UnknownOutput),
            416 => Refusal::from(Reason::RangeNotSatisfiable),
            _ => Refusal::from(Reason::OutputUnavailable),
        };
        let _ = response.body().map(|body| body.cancel());
        Err(refusal)
    }
}
