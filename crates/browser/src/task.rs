//! A task or a pipeline, and its snapshots.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::cell::RefCell;

use mediagate_client::{self as client, Error, Snapshot};
use wasm_bindgen::prelude::*;

use crate::limits::{CallLimits, limits, retry_policy};
use crate::platform::Script;
use crate::promise::{PromisedData, promise};
use crate::value::Js;

/// A task or a pipeline.
#[wasm_bindgen]
pub struct Task {
    inner: client::Task<Script>,
    /// The last snapshot, and the form of it that a caller sees.
    shown: RefCell<Option<(Arc<Snapshot<Js>>, JsValue)>>,
}

impl Task {
    pub(crate) fn new(inner: client::Task<Script>) -> Self {
        Task {
            inner,
            shown: RefCell::new(None),
        }
    }

    fn script(&self) -> &Script {
        self.inner.client().platform()
    }
}

#[wasm_bindgen]
impl Task {
    /// Returns the last snapshot, in the form that a caller sees. Returns the same object until the
    /// snapshot changes.
    #[wasm_bindgen(getter, unchecked_return_type = "unknown")]
    pub fn snapshot(&self) -> JsValue {
        let snapshot = self.inner.snapshot();
        let mut shown = self.shown.borrow_mut();
        // Frameworks such as React compare snapshots by identity.
        if let Some((last, value)) = &*shown
            && Arc::ptr_eq(last, &snapshot)
        {
            return value.clone();
        }
        let value = self.script().show(&snapshot);
        *shown = Some((snapshot, value.clone()));
        value
    }

    /// Waits until the task succeeds. Returns its last snapshot.
    pub fn done(&self, call_limits: &CallLimits) -> PromisedData {
        let task = self.inner.clone();
        let limits = limits(self.script(), call_limits);
        let call = Box::pin(async move {
            let done = task.done(limits).await;
            show(&task, done)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Polls the task once. Returns its snapshot.
    pub fn refresh(&self, call_limits: &CallLimits) -> PromisedData {
        let task = self.inner.clone();
        let limits = limits(self.script(), call_limits);
        let call = Box::pin(async move {
            let refreshed = task.refresh(limits).await;
            show(&task, refreshed)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Resumes a pipeline. Returns its snapshot.
    pub fn resume(&self, call_limits: &CallLimits) -> PromisedData {
        let task = self.inner.clone();
        let limits = limits(self.script(), call_limits);
        let call = Box::pin(async move {
            let resumed = task.resume(limits).await;
            show(&task, resumed)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Cancels a pipeline. Returns its snapshot.
    pub fn cancel(&self, call_limits: &CallLimits) -> PromisedData {
        let task = self.inner.clone();
        let limits = limits(self.script(), call_limits);
        let call = Box::pin(async move {
            let cancelled = task.cancel(limits).await;
            show(&task, cancelled)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Subscribes to the snapshots of the task. The present snapshot is the first, if there is a
    /// record. Of `call_limits`, only the retries apply. The subscription follows the task until it
    /// is freed.
    pub fn subscribe(&self, call_limits: &CallLimits) -> Subscription {
        let retry = retry_policy(self.script(), call_limits);
        Subscription {
            script: self.script().clone(),
            task: self.inner.clone(),
            inner: Arc::new(self.inner.subscribe(retry)),
        }
    }
}

/// Returns a snapshot in the form that a caller sees.
fn show(
    task: &client::Task<Script>,
    snapshot: Result<Arc<Snapshot<Js>>, Error<Script>>,
) -> Result<JsValue, Error<Script>> {
    Ok(task.client().platform().show(&snapshot?))
}

/// The snapshots of a task or a pipeline, in order.
#[wasm_bindgen]
pub struct Subscription {
    script: Script,
    task: client::Task<Script>,
    inner: Arc<client::Subscription<Script>>,
}

#[wasm_bindgen]
impl Subscription {
    /// Waits for the next snapshot; `undefined` after the last one. The limits end only this wait.
    pub fn next(&self, call_limits: &CallLimits) -> PromisedData {
        let limits = limits(&self.script, call_limits);
        let task = self.task.clone();
        let subscription = self.inner.clone();
        let call = Box::pin(async move {
            match subscription.next_within(limits).await? {
                Some(snapshot) => show(&task, Ok(snapshot)),
                None => Ok(JsValue::UNDEFINED),
            }
        });
        promise(&self.script, call).unchecked_into()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // A wait for the next snapshot may still use the subscription.
        self.inner.close();
    }
}
