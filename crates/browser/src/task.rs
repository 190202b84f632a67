//! A task or a pipeline, and its snapshots.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::cell::RefCell;

use mediagate::client::{self, Error, Snapshot};
use wasm_bindgen::prelude::*;

use crate::limits::{CallLimits, limits, retry_policy};
use crate::platform::Script;
use crate::promise::{PromisedData, promise};
use crate::value::Js;

/// A task or a pipeline.
#[wasm_bindgen]
pub struct Task {
    inner: client::Task<Script>,
    /// The last snapshot, with what a caller sees of it.
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
    /// The last snapshot, as the platform shows it: the same object until it changes.
    #[wasm_bindgen(getter, unchecked_return_type = "unknown")]
    pub fn snapshot(&self) -> JsValue {
        let snapshot = self.inner.snapshot();
        let mut shown = self.shown.borrow_mut();
        if let Some((last, value)) = &*shown
            && Arc::ptr_eq(last, &snapshot)
        {
            return value.clone();
        }
        let value = self.script().show(&snapshot);
        *shown = Some((snapshot, value.clone()));
        value
    }

    /// Waits until it succeeds, and returns its snapshot then.
    pub fn done(&self, call_limits: &CallLimits) -> PromisedData {
        let (task, limits) = (self.inner.clone(), limits(self.script(), call_limits));
        let call = Box::pin(async move {
            let done = task.done(limits).await;
            shown(&task, done)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Polls it once, and returns its snapshot.
    pub fn refresh(&self, call_limits: &CallLimits) -> PromisedData {
        let (task, limits) = (self.inner.clone(), limits(self.script(), call_limits));
        let call = Box::pin(async move {
            let refreshed = task.refresh(limits).await;
            shown(&task, refreshed)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Resumes a pipeline, and returns its snapshot.
    pub fn resume(&self, call_limits: &CallLimits) -> PromisedData {
        let (task, limits) = (self.inner.clone(), limits(self.script(), call_limits));
        let call = Box::pin(async move {
            let resumed = task.resume(limits).await;
            shown(&task, resumed)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Cancels a pipeline, and returns its snapshot.
    pub fn cancel(&self, call_limits: &CallLimits) -> PromisedData {
        let (task, limits) = (self.inner.clone(), limits(self.script(), call_limits));
        let call = Box::pin(async move {
            let cancelled = task.cancel(limits).await;
            shown(&task, cancelled)
        });
        promise(self.script(), call).unchecked_into()
    }

    /// Subscribes to its snapshots, of which the present one is the first, if there is a record. Of the limits, the retries
    /// count. It is followed until the subscription is freed.
    pub fn subscribe(&self, call_limits: &CallLimits) -> Subscription {
        let retry = retry_policy(self.script(), call_limits);
        Subscription {
            script: self.script().clone(),
            task: self.inner.clone(),
            inner: Arc::new(self.inner.subscribe(retry)),
        }
    }
}

fn shown(
    task: &client::Task<Script>,
    snapshot: Result<Arc<Snapshot<Js>>, Error<Script>>,
) -> Result<JsValue, Error<Script>> {
    Ok(task.client().platform().show(&snapshot?))
}

/// The snapshots of a task or a pipeline, one after the other.
#[wasm_bindgen]
pub struct Subscription {
    script: Script,
    task: client::Task<Script>,
    inner: Arc<client::Subscription<Script>>,
}

#[wasm_bindgen]
impl Subscription {
    /// Waits for the next snapshot; `undefined` after the last one. The limits end this wait alone.
    pub fn next(&self, call_limits: &CallLimits) -> PromisedData {
        let limits = limits(&self.script, call_limits);
        let (task, subscription) = (self.task.clone(), self.inner.clone());
        let call = Box::pin(async move {
            match subscription.next_within(limits).await? {
                Some(snapshot) => shown(&task, Ok(snapshot)),
                None => Ok(JsValue::UNDEFINED),
            }
        });
        promise(&self.script, call).unchecked_into()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // A wait for the next snapshot may still have it.
        self.inner.close();
    }
}
