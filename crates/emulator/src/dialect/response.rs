use axum::{
    Json,
    response::{IntoResponse, Response},
};
use mediagate_core::{Code, FAILED};
use serde_json::{Map, Value, json};

use super::{document::Dialect, template::Template};
use crate::http::{enveloped, message_of, status_of};

pub(crate) struct TaskResponse {
    pub(crate) record: Value,
    /// True in the response to a create, false in the response to a status request.
    pub(crate) is_created: bool,
    pub(crate) asset: Option<Value>,
    /// A text that is added to the envelope's message.
    pub(crate) echo: Option<String>,
}

impl Dialect {
    pub(crate) fn empty_response(&self) -> Response {
        self.respond(Code::OK, None, None, json!({}))
    }

    pub(crate) fn success(&self, template: &Template, values: Value) -> Response {
        self.respond(Code::OK, None, Some(template), values)
    }

    /// Returns the model catalogue, from the models' records in the default form and the public
    /// assets.
    pub(crate) fn models_response(&self, records: Vec<Value>, assets: Vec<Value>) -> Response {
        let models = records.into_iter().map(|mut record| {
            let id = record["model_id"].as_str().unwrap_or_default().to_owned();
            let options = record["generation_options"].as_object_mut();
            for values in options.into_iter().flat_map(Map::values_mut) {
                *values = self.option.fill(&json!({ "values": values })).into();
            }
            (id, Value::from(self.model.fill(&record)))
        });
        let models: Value = if self.keyed_models {
            models.collect()
        } else {
            models.map(|(_, model)| model).collect()
        };
        let values = json!({ "models": models, "assets": assets });
        self.success(&self.catalogue, values)
    }

    /// Returns a response that has images and no task. If `is_bare`, it has no envelope in any
    /// dialect.
    pub(crate) fn images_response(&self, outputs: &Value, is_bare: bool) -> Response {
        let values = json!({ "images": self.outputs(outputs) });
        if is_bare {
            return Json(self.images.fill(&values)).into_response();
        }
        self.success(&self.images, values)
    }

    pub(crate) fn task_response(&self, response: TaskResponse) -> Response {
        let mut values = response.record;
        let state = values["status"].as_str().unwrap_or_default().to_owned();
        let has_failed = state == FAILED;
        values["done"] = mediagate_core::is_terminal(&state).into();
        values["status"] = self.states.get(&state).cloned().unwrap_or(state).into();
        if let Some(error) = values.get_mut("error") {
            let code = match has_failed {
                true => Code::PROVIDER_ERROR,
                false => Code::PROVIDER_TIMEOUT,
            };
            error["code"] = code.0.into();
        }
        if self.asset_path.is_some() {
            results_to_assets(&mut values);
        }
        if let Some(outputs) = values.get_mut("outputs") {
            *outputs = self.outputs(outputs);
        }
        if let Some(asset) = response.asset {
            values["asset"] = asset;
        }
        values["record"] = self.record.fill(&values).into();
        let code = match self.failure_code {
            Some(code) if has_failed && !response.is_created => Code(code),
            _ => Code::OK,
        };
        self.respond(code, response.echo, Some(&self.task), values)
    }

    fn outputs(&self, outputs: &Value) -> Value {
        let outputs = outputs.as_array().into_iter().flatten();
        outputs
            .filter_map(|output| self.output.fill(output))
            .collect()
    }

    fn respond(
        &self,
        code: Code,
        echo: Option<String>,
        template: Option<&Template>,
        mut values: Value,
    ) -> Response {
        let data = template.and_then(|template| template.fill(&values));
        if self.bare && code == Code::OK {
            return Json(data.unwrap_or_else(|| json!({}))).into_response();
        }
        let mut message = message_of(code).to_owned();
        if let Some(echo) = echo {
            message += &format!(" {echo}");
        }
        values["code"] = code.0.into();
        values["message"] = message.into();
        values["data"] = data.into();
        enveloped(status_of(code), code, self.envelope.fill(&values).into())
    }
}

/// Replaces the URLs in the record of a task by ids of assets: the names of the files.
fn results_to_assets(record: &mut Value) {
    let replace = |record: &mut Value, name: &str| {
        let members = record.as_object_mut();
        if let Some(Value::String(url)) = members.and_then(|members| members.remove(name)) {
            record["asset_id"] = url.rsplit_once('/').map(|(_, id)| id).into();
        }
    };
    replace(record, "output_url");
    let outputs = record.get_mut("outputs").and_then(Value::as_array_mut);
    for output in outputs.into_iter().flatten() {
        replace(output, "url");
    }
}
