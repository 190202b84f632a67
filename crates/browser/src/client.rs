use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use js_sys::Function;
use mediagate_client::{self as client, Progress, Provider, StepInput, TokenSource};
use mediagate_core::Value;
use wasm_bindgen::prelude::*;

use crate::functions::capability;
use crate::limits::{CallLimits, limits};
use crate::platform::Script;
use crate::promise::{
    PromisedData, PromisedEnd, PromisedPipeline, PromisedTask, PromisedText, promise, returned_by,
};
use crate::task::{Pipeline, Task};
use crate::value::Js;

#[wasm_bindgen]
extern "C" {
    /// A token, or a function for one.
    #[wasm_bindgen(typescript_type = "string | (() => string | Promise<string>) | undefined")]
    pub type Token;
    /// A function for the response of a Turnstile widget.
    #[wasm_bindgen(typescript_type = "(() => string | Promise<string>) | undefined")]
    pub type Turnstile;
    /// A listener of the progress of an upload.
    #[wasm_bindgen(typescript_type = "((loaded: number) => void) | undefined")]
    pub type OnProgress;
    #[wasm_bindgen(
        typescript_type = "readonly { readonly name: string; readonly capability: CapabilityName; readonly input: unknown }[]"
    )]
    pub type Steps;
}

// The types of inputs depend on the capability, which wasm-bindgen cannot declare.
#[wasm_bindgen(typescript_custom_section)]
const CLIENT: &str = r#"
import type { Capabilities, CapabilityName } from "../generated/capabilities.js";
import type { Estimate, ModelCatalogue, Offers } from "../types/models.js";

export interface Client {
  /**
   * Creates a task of a capability. Files in the input are uploaded first, and results of tasks are
   * moved into the storage. The gateway makes at most one task for a key, which has 1 to 255
   * visible ASCII characters.
   */
  create<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    key: string,
    limits: CallLimits,
  ): Promise<Task>;
  /** Requests the cost of a create, as the media service sends it. */
  estimate<Name extends CapabilityName>(
    name: Name,
    input: Capabilities[Name],
    limits: CallLimits,
  ): Promise<Estimate>;
  /** Requests the model catalogue, as the media service sends it. */
  models(limits: CallLimits): Promise<ModelCatalogue>;
  /** Requests the capabilities that the gateway offers. */
  capabilities(limits: CallLimits): Promise<Offers>;
  /**
   * Requests a page of the history, as the gateway sends it. The query is empty, or begins with
   * `?`. It may have `limit` and `cursor`.
   */
  tasks(query: string, limits: CallLimits): Promise<HistoryPage>;
}

/** A page of the history, whose records have the gateway's own names. */
export interface HistoryPage {
  readonly tasks: readonly unknown[];
  readonly pipelines: readonly unknown[];
  /** The cursor of the next page; absent on the last page. */
  readonly cursor?: string | undefined;
}
"#;

/// A client of one gateway.
#[wasm_bindgen]
pub struct Client {
    inner: client::Client<Script>,
}

impl Client {
    fn script(&self) -> &Script {
        // The script itself is the platform of the client.
        self.inner.platform()
    }
}

#[wasm_bindgen]
impl Client {
    /// Makes a client of the gateway at a URL without a slash at its end. The token has only
    /// visible ASCII characters. Without a token, the session is anonymous, and `connect` opens it.
    #[wasm_bindgen(constructor)]
    pub fn new(platform: Script, url: String, token: &Token, turnstile: &Turnstile) -> Client {
        let source = if let Some(token) = token.as_string() {
            TokenSource::Fixed(token)
        } else if let Some(function) = token.dyn_ref::<Function>() {
            TokenSource::Provider(provider(function))
        } else {
            TokenSource::Anonymous {
                turnstile: turnstile.dyn_ref::<Function>().map(provider),
            }
        };
        Client {
            inner: client::Client::new(platform, url, source),
        }
    }

    /// Opens the session if it is anonymous.
    pub fn connect(&self, call_limits: &CallLimits) -> PromisedEnd {
        let limits = limits(self.script(), call_limits);
        let call = self.inner.connect(limits);
        promise(self.script(), call, |_, ()| JsValue::UNDEFINED)
    }

    /// Returns the session token, which names the subject. Renews it first if necessary.
    pub fn token(&self, call_limits: &CallLimits) -> PromisedText {
        let limits = limits(self.script(), call_limits);
        let call = self.inner.session_token(limits);
        promise(self.script(), call, |_, token| token.into())
    }

    /// Creates a task of a capability. Files in the input are uploaded first, and results of tasks
    /// are moved into the storage. The gateway makes at most one task for a key, which has 1 to 255
    /// visible ASCII characters.
    #[wasm_bindgen(skip_typescript)]
    pub fn create(
        &self,
        name: &str,
        input: JsValue,
        key: String,
        call_limits: &CallLimits,
    ) -> Result<PromisedTask, JsValue> {
        let limits = limits(self.script(), call_limits);
        let capability = capability(self.script(), name)?;
        let call = self.inner.create(capability, Js(input), key, limits);
        Ok(promise(self.script(), call, |_, task| {
            Task::new(task).into()
        }))
    }

    /// Requests the cost of a create, as the media service sends it.
    #[wasm_bindgen(skip_typescript)]
    pub fn estimate(
        &self,
        name: &str,
        input: JsValue,
        call_limits: &CallLimits,
    ) -> Result<PromisedData, JsValue> {
        let limits = limits(self.script(), call_limits);
        let capability = capability(self.script(), name)?;
        let call = self.inner.estimate(capability, Js(input), limits);
        Ok(promise(self.script(), call, data))
    }

    /// Starts a pipeline of steps. In an input, `{step, output}` is an output of another step.
    #[wasm_bindgen(js_name = startPipeline)]
    pub fn start_pipeline(
        &self,
        title: Option<String>,
        steps: Steps,
        key: String,
        call_limits: &CallLimits,
    ) -> Result<PromisedPipeline, JsValue> {
        let limits = limits(self.script(), call_limits);
        let steps = read_steps(self.script(), steps.into())?;
        let call = self.inner.start_pipeline(title, steps, key, limits);
        Ok(promise(self.script(), call, |_, pipeline| {
            Pipeline::new(pipeline).into()
        }))
    }

    /// Uploads a file, and returns its id. The listener receives the number of bytes that were
    /// sent.
    pub fn upload(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Blob")] file: JsValue,
        on_progress: &OnProgress,
        call_limits: &CallLimits,
    ) -> PromisedText {
        let limits = limits(self.script(), call_limits);
        let progress = on_progress.dyn_ref::<Function>().map(progress);
        let call = self.inner.upload(Js(file), progress, limits);
        promise(self.script(), call, |_, id| id.into())
    }

    /// Requests the model catalogue, as the media service sends it.
    #[wasm_bindgen(skip_typescript)]
    pub fn models(&self, call_limits: &CallLimits) -> PromisedData {
        let call = self.inner.models(limits(self.script(), call_limits));
        promise(self.script(), call, data)
    }

    /// Requests the capabilities that the gateway offers, `{capabilities}`.
    #[wasm_bindgen(skip_typescript)]
    pub fn capabilities(&self, call_limits: &CallLimits) -> PromisedData {
        let call = self.inner.capabilities(limits(self.script(), call_limits));
        promise(self.script(), call, data)
    }

    /// Requests a page of the history: `{tasks, pipelines, cursor}`. The query is empty, or begins
    /// with `?`. It may have `limit` and `cursor`.
    #[wasm_bindgen(skip_typescript)]
    pub fn tasks(&self, query: &str, call_limits: &CallLimits) -> PromisedData {
        let call = self.inner.tasks(query, limits(self.script(), call_limits));
        promise(self.script(), call, data)
    }

    /// Removes a task from the history.
    #[wasm_bindgen(js_name = forgetTask)]
    pub fn forget_task(&self, id: &str, call_limits: &CallLimits) -> PromisedEnd {
        let limits = limits(self.script(), call_limits);
        let call = self.inner.forget_task(id, limits);
        promise(self.script(), call, |_, _| JsValue::UNDEFINED)
    }

    /// Removes a pipeline.
    #[wasm_bindgen(js_name = forgetPipeline)]
    pub fn forget_pipeline(&self, id: &str, call_limits: &CallLimits) -> PromisedEnd {
        let limits = limits(self.script(), call_limits);
        let call = self.inner.forget_pipeline(id, limits);
        promise(self.script(), call, |_, _| JsValue::UNDEFINED)
    }

    /// Returns a task by its id, without a request.
    pub fn task(
        &self,
        id: String,
        #[wasm_bindgen(unchecked_param_type = "CapabilityName")] name: &str,
    ) -> Result<Task, JsValue> {
        let capability = capability(self.script(), name)?;
        Ok(Task::new(self.inner.task(id, capability)))
    }

    /// Returns a task that has already succeeded, from a result that came instead of a task.
    #[wasm_bindgen(js_name = finishedTask)]
    pub fn finished_task(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CapabilityName")] name: &str,
        #[wasm_bindgen(unchecked_param_type = "unknown")] result: JsValue,
    ) -> Result<Task, JsValue> {
        let capability = capability(self.script(), name)?;
        Ok(Task::new(self.inner.finished_task(capability, Js(result))))
    }

    /// Returns a pipeline by its id, without a request.
    pub fn pipeline(&self, id: String) -> Pipeline {
        Pipeline::new(self.inner.pipeline(id))
    }
}

fn data(_: &Script, data: Js) -> JsValue {
    data.0
}

fn provider(function: &Function) -> Provider<Script> {
    let function = function.clone();
    Arc::new(move |()| returned_by(&function, &JsValue::UNDEFINED))
}

fn progress(listener: &Function) -> Progress {
    let listener = listener.clone();
    Arc::new(move |loaded| {
        // An error of the listener does not fail the upload.
        listener
            .call1(&JsValue::UNDEFINED, &JsValue::from_f64(loaded as f64))
            .ok();
    })
}

fn read_steps(script: &Script, steps: JsValue) -> Result<Vec<StepInput<Js>>, JsValue> {
    let text = |step: &Js, name: &str| {
        let member = step.get(name).and_then(|member| member.text());
        member.unwrap_or_default()
    };
    Js(steps)
        .items()
        .map(|step| {
            Ok(StepInput {
                name: text(&step, "name"),
                capability: capability(script, &text(&step, "capability"))?,
                input: step.get("input").unwrap_or(Js(JsValue::UNDEFINED)),
            })
        })
        .collect()
}
