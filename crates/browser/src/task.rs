use alloc::sync::Arc;
use core::cell::RefCell;

use mediagate_client::{self as client, Snapshot};
use wasm_bindgen::prelude::*;

use crate::limits::{CallLimits, limits, retry_policy};
use crate::platform::Script;
use crate::promise::{PromisedData, promise};
use crate::value::Js;

// wasm-bindgen would declare a `Pipeline` that extends `Task`, which TypeScript does not allow:
// scripts cannot construct a `Task`, and the snapshots differ.
#[wasm_bindgen(typescript_custom_section)]
const TASK: &str = r#"
import type { PipelineSnapshot } from "../types/pipeline.js";
import type { TaskSnapshot } from "../types/task.js";

/** A task. */
export class Task {
  private constructor();
  free(): void;
  /** The last snapshot. The object stays the same until the snapshot changes. */
  readonly snapshot: TaskSnapshot;
  /** Waits until the task succeeds. Returns its last snapshot. */
  done(limits: CallLimits): Promise<TaskSnapshot>;
  /** Polls the task once. Returns its snapshot. */
  refresh(limits: CallLimits): Promise<TaskSnapshot>;
  /**
   * Subscribes to the snapshots of the task. The present snapshot is the first, if there is a
   * record. Of `limits`, only the retries apply. The subscription follows the task until it is
   * freed.
   */
  subscribe(limits: CallLimits): Subscription<TaskSnapshot>;
}

/** A pipeline. */
export class Pipeline {
  private constructor();
  free(): void;
  /** The last snapshot. The object stays the same until the snapshot changes. */
  readonly snapshot: PipelineSnapshot;
  /** Waits until the pipeline succeeds. Returns its last snapshot. */
  done(limits: CallLimits): Promise<PipelineSnapshot>;
  /** Reads the pipeline once. Returns its snapshot. */
  refresh(limits: CallLimits): Promise<PipelineSnapshot>;
  /** Subscribes to the snapshots of the pipeline. */
  subscribe(limits: CallLimits): Subscription<PipelineSnapshot>;
  /** Resumes the pipeline. Returns its snapshot. */
  resume(limits: CallLimits): Promise<PipelineSnapshot>;
  /** Cancels the pipeline. Returns its snapshot. */
  cancel(limits: CallLimits): Promise<PipelineSnapshot>;
}

/** The snapshots of a task or a pipeline, in order. */
export class Subscription<Snapshot> {
  private constructor();
  free(): void;
  /** Waits for the next snapshot; `undefined` after the last one. The limits end only this wait. */
  next(limits: CallLimits): Promise<Snapshot | undefined>;
}
"#;

/// A task or a pipeline.
#[wasm_bindgen(skip_typescript)]
pub struct Task {
    inner: client::TaskHandle<Script>,
    /// The last snapshot, and the form of it that a caller sees.
    shown: RefCell<Option<(Arc<Snapshot<Js>>, JsValue)>>,
}

impl Task {
    pub(crate) fn new(inner: client::TaskHandle<Script>) -> Self {
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
    #[wasm_bindgen(getter)]
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
        let call = self.inner.done(limits(self.script(), call_limits));
        promise(self.script(), call, show)
    }

    /// Polls the task once. Returns its snapshot.
    pub fn refresh(&self, call_limits: &CallLimits) -> PromisedData {
        let call = self.inner.refresh(limits(self.script(), call_limits));
        promise(self.script(), call, show)
    }

    /// Subscribes to the snapshots of the task. The present snapshot is the first, if there is a
    /// record. Of `call_limits`, only the retries apply. The subscription follows the task until it
    /// is freed.
    pub fn subscribe(&self, call_limits: &CallLimits) -> Subscription {
        let retry = retry_policy(self.script(), call_limits);
        Subscription {
            script: self.script().clone(),
            inner: self.inner.subscribe(retry),
        }
    }
}

/// A pipeline.
#[wasm_bindgen(extends = Task, skip_typescript)]
pub struct Pipeline {}

impl Pipeline {
    pub(crate) fn new(inner: client::TaskHandle<Script>) -> Self {
        Pipeline {
            parent: Task::new(inner).into(),
        }
    }
}

#[wasm_bindgen]
impl Pipeline {
    /// Resumes the pipeline. Returns its snapshot.
    pub fn resume(&self, call_limits: &CallLimits) -> PromisedData {
        let task = self.parent.borrow();
        let call = task.inner.resume(limits(task.script(), call_limits));
        promise(task.script(), call, show)
    }

    /// Cancels the pipeline. Returns its snapshot.
    pub fn cancel(&self, call_limits: &CallLimits) -> PromisedData {
        let task = self.parent.borrow();
        let call = task.inner.cancel(limits(task.script(), call_limits));
        promise(task.script(), call, show)
    }
}

fn show(script: &Script, snapshot: Arc<Snapshot<Js>>) -> JsValue {
    script.show(&snapshot)
}

/// The snapshots of a task or a pipeline, in order.
#[wasm_bindgen(skip_typescript)]
pub struct Subscription {
    script: Script,
    inner: Arc<client::Subscription<Script>>,
}

#[wasm_bindgen]
impl Subscription {
    /// Waits for the next snapshot; `undefined` after the last one. The limits end only this wait.
    pub fn next(&self, call_limits: &CallLimits) -> PromisedData {
        let call = self.inner.next_within(limits(&self.script, call_limits));
        promise(&self.script, call, |script, snapshot| {
            snapshot.map_or(JsValue::UNDEFINED, |snapshot| show(script, snapshot))
        })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // A wait for the next snapshot may still use the subscription.
        self.inner.close();
    }
}
