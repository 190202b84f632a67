//! Turns responses in the default form into responses in a dialect.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use json_patch::jsonptr::Pointer;
use mediagate_core::Code;
use serde_json::{Value, json};

use super::{
    document::Dialect,
    place::{beside, place},
    task::TaskDialect,
    upload_response::IssuedUpload,
};
use crate::http::{enveloped, message_of, status_of};

/// A task record in a response.
pub(crate) struct TaskResponse {
    /// The record in the default form.
    pub(crate) record: Value,
    /// True in the response to a create, false in the response to a status request.
    pub(crate) is_created: bool,
    /// The record of the asset that the create uses.
    pub(crate) asset: Option<Value>,
    /// A text that is added to the envelope's message.
    pub(crate) echo: Option<String>,
}

impl Dialect {
    /// Returns a success without data.
    pub(crate) fn empty_response(&self) -> Response {
        self.success(|_| {})
    }

    /// Returns the response to a request for an upload URL.
    pub(crate) fn upload_response(&self, upload: IssuedUpload<'_>) -> Response {
        self.success(|body| self.upload.response.fill(body, upload))
    }

    /// Returns the model catalogue. The public assets and `emulated: true` are beside the list of
    /// models, unless the list is the whole response.
    pub(crate) fn models_response(&self, records: Vec<Value>, assets: Vec<Value>) -> Response {
        let list = &self.models.list;
        self.success(|body| {
            let models = self.models.catalogue(records, self.task.camel_case);
            place(body, list, models);
            if !list.is_root() {
                place(body, &beside(list, "assets"), assets.into());
                place(body, &beside(list, "emulated"), json!(true));
            }
        })
    }

    /// Returns the response to a request for an estimate.
    pub(crate) fn estimate_response(
        &self,
        credits: u64,
        capability: &str,
        model_id: &str,
    ) -> Response {
        let credits_at = &self.estimate.credits;
        self.success(|body| {
            place(body, credits_at, json!(credits));
            place(body, &beside(credits_at, "capability"), json!(capability));
            let name = self.task.name("model_id");
            place(body, &beside(credits_at, &name), json!(model_id));
        })
    }

    /// Returns a response to text_to_image that has images and no task. If `is_bare`, it has no
    /// envelope in any dialect.
    pub(crate) fn images_response(&self, outputs: &Value, is_bare: bool) -> Response {
        let images = self.task.items(outputs);
        if is_bare {
            return bare(|body| body["images"] = images);
        }
        self.success(|body| place(body, &self.data().with_trailing_token("images"), images))
    }

    /// Returns the response to a create or to a status request.
    pub(crate) fn task_response(&self, response: TaskResponse) -> Response {
        let TaskResponse {
            record,
            is_created,
            asset,
            echo,
        } = response;
        let record = match &self.paths.asset {
            Some(_) => TaskDialect::with_assets(record),
            None => record,
        };
        let fill = |body: &mut Value| {
            let at = if is_created {
                &self.task.created
            } else {
                &self.task.read
            };
            let has_id = is_created || self.task.status_record_has_id;
            place(body, at, self.task.record(&record, &self.states, has_id));
            if let Some(asset) = asset {
                place(body, &self.data().with_trailing_token("asset"), asset);
            }
        };
        let failure = self
            .task
            .failure_code
            .filter(|_| !is_created && record["status"] == "FAILED");
        match failure.map(Code) {
            Some(code) => filled(status_of(code), code, echo, fill),
            None if self.envelope => filled(StatusCode::OK, Code::OK, echo, fill),
            None => bare(fill),
        }
    }

    /// Returns the record of a result that is an asset.
    pub(crate) fn asset_response(&self, id: &str, url: String) -> Response {
        self.success(|body| {
            let asset = json!({ "id": id, "url": url });
            place(body, &self.data().with_trailing_token("asset"), asset);
        })
    }

    /// Returns the place of data whose place the dialect does not set.
    fn data(&self) -> &'static Pointer {
        Pointer::from_static(match (self.envelope, self.capital_envelope) {
            (false, _) => "",
            (true, false) => "/data",
            (true, true) => "/Data",
        })
    }

    fn success(&self, fill: impl FnOnce(&mut Value)) -> Response {
        if self.envelope {
            filled(StatusCode::OK, Code::OK, None, fill)
        } else {
            bare(fill)
        }
    }
}

/// Returns an envelope to which `fill` adds data.
fn filled(
    status: StatusCode,
    code: Code,
    echo: Option<String>,
    fill: impl FnOnce(&mut Value),
) -> Response {
    let message = match echo {
        Some(echo) => format!("{} {echo}", message_of(code)),
        None => message_of(code).into(),
    };
    let mut body = json!({ "code": code.0, "message": message, "data": null });
    fill(&mut body);
    enveloped(status, code, body)
}

/// Returns an object to which `fill` adds data, without an envelope.
fn bare(fill: impl FnOnce(&mut Value)) -> Response {
    let mut body = json!({});
    fill(&mut body);
    Json(body).into_response()
}
