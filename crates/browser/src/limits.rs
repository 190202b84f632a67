use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use js_sys::Function;
use mediagate_client::{
    BoxFuture, CreateState, FileProgress, FilesProgress, Function as SharedFunction, HostValue,
    Limits, Listeners, OnState, Retry, RetryPolicy,
};
use mediagate_core::Value as _;
use wasm_bindgen::prelude::*;

use crate::error::to_js;
use crate::platform::{AbortOnDrop, Operation, Script};
use crate::promise::returned_by;
use crate::value::Js;

#[wasm_bindgen(typescript_custom_section)]
const LIMITS: &str = r#"
import type { CreateState, FileProgress } from "../types/calls.js";

/** The limits of a call of a client. */
export interface CallLimits {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** The longest time for the whole call in milliseconds. */
  readonly timeout?: number | undefined;
  /** The maximum number of retries of a request, if a retry may succeed; 4 by default. */
  readonly maxRetries?: number | undefined;
  /** Called before each wait for the next attempt. */
  readonly onRetry?:
    | ((retry: {
        readonly attempt: number;
        readonly milliseconds: number;
        /** The start of the first attempt, in milliseconds since 1970. */
        readonly since: number;
        readonly error: Error;
      }) => void)
    | undefined;
  /** Receives the progress of all files in the input of a create. */
  readonly onProgress?: ((files: readonly FileProgress[]) => void) | undefined;
  /**
   * Receives each state of a create when it begins. The promise for `sending` is awaited before the
   * create is sent, and its rejection ends the call with code `aborted`.
   */
  readonly onState?: ((state: CreateState) => Promise<unknown>) | undefined;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The limits of a call.
    #[wasm_bindgen(typescript_type = "CallLimits")]
    pub type CallLimits;
    #[wasm_bindgen(method, getter)]
    fn signal(this: &CallLimits) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn timeout(this: &CallLimits) -> Option<u32>;
    #[wasm_bindgen(method, getter, js_name = maxRetries)]
    fn max_retries(this: &CallLimits) -> Option<u32>;
    #[wasm_bindgen(method, getter, js_name = onRetry)]
    fn on_retry(this: &CallLimits) -> Option<Function>;
    #[wasm_bindgen(method, getter, js_name = onProgress)]
    fn on_progress(this: &CallLimits) -> Option<Function>;
    #[wasm_bindgen(method, getter, js_name = onState)]
    fn on_state(this: &CallLimits) -> Option<Function>;
}

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    fn aborted(signal: &JsValue) -> Operation;
}

pub(crate) fn limits(script: &Script, limits: &CallLimits) -> Limits<Script> {
    Limits {
        timeout_ms: limits.timeout(),
        abort: abortion(limits.signal()),
        retry: retry_policy(script, limits),
        listeners: Listeners {
            on_progress: limits.on_progress().map(progress_of_files),
            on_state: limits.on_state().map(states),
        },
    }
}

pub(crate) fn retry_policy(script: &Script, limits: &CallLimits) -> RetryPolicy<Script> {
    let mut policy = RetryPolicy::default();
    if let Some(retries) = limits.max_retries() {
        policy.max_retries = retries;
    }
    policy.on_retry = limits
        .on_retry()
        .map(|notify| notifying(script.clone(), notify));
    policy
}

fn notifying(script: Script, notify: Function) -> Arc<SharedFunction<Retry<Script>, ()>> {
    Arc::new(move |retry: Retry<Script>| {
        let notice = Js::from_members(Vec::from([
            ("attempt", Js::from_number(retry.attempt.into())),
            ("milliseconds", Js::from_number(retry.delay_ms.into())),
            ("since", Js::from_number(retry.since_ms)),
            ("error", Js(to_js(&script, &retry.error))),
        ]));
        // An error of the function does not fail the call.
        notify.call1(&JsValue::UNDEFINED, &notice.0).ok();
    })
}

fn progress_of_files(notify: Function) -> FilesProgress<Js> {
    Arc::new(move |files| {
        let files = files.into_iter().map(|FileProgress { file, sent, size }| {
            Js::from_members(Vec::from([
                ("file", file),
                ("loaded", Js::from_number(sent as f64)),
                ("total", Js::from_number(size as f64)),
            ]))
        });
        let files = Js::from_items(files.collect());
        // An error of the function does not fail the call.
        notify.call1(&JsValue::UNDEFINED, &files.0).ok();
    })
}

fn states(notify: Function) -> OnState<Script> {
    Arc::new(move |state: CreateState| returned_by(&notify, &JsValue::from_str(state.name())))
}

/// Ends with the reason of a signal when the signal is aborted.
fn abortion(signal: JsValue) -> Option<BoxFuture<'static, JsValue>> {
    if signal.is_undefined() || signal.is_null() {
        return None;
    }
    let aborted = AbortOnDrop::new(aborted(&signal));
    Some(Box::pin(async move {
        // The reason is not the result, since a reason that is a promise would be awaited.
        aborted.result().await.ok();
        let reason = Js(signal).get("reason");
        reason.map_or(JsValue::UNDEFINED, |reason| reason.0)
    }))
}
