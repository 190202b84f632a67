//! The limits of calls.

use alloc::boxed::Box;
use alloc::sync::Arc;

use js_sys::{Function, Promise};
use mediagate_client::{BoxFuture, Function as SharedFunction};
use mediagate_client::{Limits, Retry, RetryPolicy};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::error::to_js;
use crate::platform::Script;

#[wasm_bindgen(typescript_custom_section)]
const LIMITS: &str = r#"
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
        readonly error: Error;
      }) => void)
    | undefined;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The limits of a call.
    #[wasm_bindgen(typescript_type = "CallLimits")]
    pub type CallLimits;
    #[wasm_bindgen(method, getter)]
    fn signal(this: &CallLimits) -> Option<AbortSignal>;
    #[wasm_bindgen(method, getter)]
    fn timeout(this: &CallLimits) -> Option<u32>;
    #[wasm_bindgen(method, getter, js_name = maxRetries)]
    fn max_retries(this: &CallLimits) -> Option<u32>;
    #[wasm_bindgen(method, getter, js_name = onRetry)]
    fn on_retry(this: &CallLimits) -> Option<Function>;

    #[derive(Clone)]
    type AbortSignal;
    #[wasm_bindgen(method, getter)]
    fn aborted(this: &AbortSignal) -> bool;
    #[wasm_bindgen(method, getter)]
    fn reason(this: &AbortSignal) -> JsValue;
    #[wasm_bindgen(method, js_name = addEventListener)]
    fn add_event_listener(this: &AbortSignal, event: &str, listener: &Function);
    #[wasm_bindgen(method, js_name = removeEventListener)]
    fn remove_event_listener(this: &AbortSignal, event: &str, listener: &Function);
}

/// Reads the limits of a call.
pub(crate) fn limits(script: &Script, limits: &CallLimits) -> Limits<Script> {
    Limits {
        timeout_ms: limits.timeout(),
        abort: limits.signal().map(aborted),
        retry: retry_policy(script, limits),
    }
}

/// Reads the retry policy of a call.
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
    use crate::value::Js;
    use mediagate_client::HostValue;
    Arc::new(move |retry: Retry<Script>| {
        let notice = Js::from_members(alloc::vec::Vec::from([
            ("attempt", Js::from_number(retry.attempt.into())),
            ("milliseconds", Js::from_number(retry.delay_ms.into())),
            ("error", Js(to_js(&script, &retry.error))),
        ]));
        // An error of the function does not fail the call.
        notify.call1(&JsValue::UNDEFINED, &notice.0).ok();
    })
}

/// Ends with the reason of a signal when the signal is aborted.
fn aborted(signal: AbortSignal) -> BoxFuture<'static, JsValue> {
    /// Listens to a signal until it is dropped.
    struct Listener {
        signal: AbortSignal,
        listener: Function,
    }
    impl Drop for Listener {
        fn drop(&mut self) {
            self.signal.remove_event_listener("abort", &self.listener);
        }
    }
    Box::pin(async move {
        // A signal that is already aborted fires no event.
        if !signal.aborted() {
            let mut listener = None;
            let fired = Promise::new(&mut |resolve, _| {
                signal.add_event_listener("abort", &resolve);
                listener = Some(resolve);
            });
            let _listener = listener.map(|listener| Listener {
                signal: signal.clone(),
                listener,
            });
            JsFuture::from(fired).await.ok();
        }
        signal.reason()
    })
}
