//! Work that several callers wait for.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use wasm_bindgen::JsValue;

use super::error::Error;
use super::limits::Work;

/// A handle on shared work, which every handle waits for. When the last one is dropped, so is the work. The futures crate
/// has a type like it that takes several times the bytes.
pub struct Shared(Rc<State>);

/// A handle that does not keep the work alive.
#[derive(Default)]
pub struct WeakShared(Weak<State>);

struct State {
    stage: RefCell<Stage>,
    waiting: RefCell<Vec<Waker>>,
}

enum Stage {
    Running(Work),
    Done(Result<JsValue, Error>),
}

impl Shared {
    /// Shares some work. It starts when a handle is first polled.
    pub fn new(work: Work) -> Self {
        Shared(Rc::new(State { stage: RefCell::new(Stage::Running(work)), waiting: RefCell::default() }))
    }

    /// A handle that does not keep the work alive.
    pub fn downgrade(&self) -> WeakShared {
        WeakShared(Rc::downgrade(&self.0))
    }
}

impl WeakShared {
    /// A handle to wait with; `None` where the work is done or was dropped.
    pub fn join(&self) -> Option<Shared> {
        let state = self.0.upgrade()?;
        let running = matches!(*state.stage.borrow(), Stage::Running(_));
        running.then_some(Shared(state))
    }
}

impl Future for Shared {
    type Output = Result<JsValue, Error>;

    /// Returns the same result however often it is polled.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut stage = self.0.stage.borrow_mut();
        if let Stage::Running(work) = &mut *stage {
            match work.as_mut().poll(context) {
                Poll::Ready(result) => {
                    *stage = Stage::Done(result);
                    wake(&self.0);
                }
                Poll::Pending => {
                    let mut waiting = self.0.waiting.borrow_mut();
                    if !waiting.iter().any(|it| it.will_wake(context.waker())) {
                        waiting.push(context.waker().clone());
                    }
                }
            }
        }
        match &*stage {
            Stage::Done(result) => Poll::Ready(result.clone()),
            Stage::Running(_) => Poll::Pending,
        }
    }
}

impl Drop for Shared {
    /// The work wakes only the task that polled it last. When that one leaves, the others must poll the work.
    fn drop(&mut self) {
        wake(&self.0);
    }
}

fn wake(state: &State) {
    state.waiting.take().into_iter().for_each(Waker::wake);
}
