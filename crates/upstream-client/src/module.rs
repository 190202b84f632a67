//! An upstream module: what its responses have beside the service's document, and its files.
//!
//! A module is a Worker of the operator's behind the service binding `UPSTREAM`. Its task records may
//! name an output by a path of its own, and the provider that does the work.

use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::ModuleFile;
use mediagate_platform::http::{request_init, send_within};
use serde_json::Value;
use web_sys::{Request, Response};

use super::{Upstream, UpstreamClient};

impl UpstreamClient<'_> {
    /// Replaces outputs that are paths by URLs of the gateway.
    pub(super) fn address_files(&self, body: &mut Value) {
        if !self.upstream.settings.service.is_module() {
            return;
        }
        let outputs = body.pointer_mut("/data/task/outputs");
        for output in outputs.and_then(Value::as_array_mut).into_iter().flatten() {
            let file = output["url"].as_str().and_then(ModuleFile::at);
            if let Some(file) = file {
                output["url"] = self.file_url(&file).into();
            }
        }
    }

    fn file_url(&self, file: &ModuleFile) -> String {
        // No caller sees the data if there is no public URL, and the reader takes only whole URLs.
        let base_url = self.upstream.settings.service.base_url();
        let public_url = Some(self.public_url).filter(|url| !url.is_empty());
        file.url(&self.upstream.sealer, public_url.unwrap_or(base_url))
    }
}

impl Upstream {
    /// Returns the provider's name in the response's task, or in the data of an error. Removes it,
    /// unless `SHOW_PROVIDER` is on.
    pub(super) fn take_provider(&self, body: &mut Value) -> Option<String> {
        const NAME: &str = "provider";
        if !self.settings.service.is_module() {
            return None;
        }
        let mut provider = None;
        for place in ["/data/task", "/data"] {
            let Some(Value::Object(members)) = body.pointer_mut(place) else {
                continue;
            };
            let found = if self.settings.show_provider {
                members.get(NAME).cloned()
            } else {
                members.remove(NAME)
            };
            if let (None, Some(Value::String(text))) = (&provider, found) {
                provider = Some(text);
            }
        }
        provider
    }

    /// Requests a file of the module by `GET` or `HEAD`. `range` is the header `Range`. 404 if the
    /// module does not have the file, or if the upstream is no module; 416 for a range that begins
    /// at or after its end; 502 for any other response; 504 if the response does not begin in time.
    pub async fn open_file(
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
        let response = send_within(limit, &request, Some(module)).await;
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
