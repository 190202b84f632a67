//! One piece of work that several callers wait for.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use wasm_bindgen::JsValue;

use super::error::Error;
use super::limits::Work;

/// A handle on shared work. It runs as long as somebody waits; when the last handle is dropped, so is the work. The
/// futures crate has the like, for several times the bytes.
pub struct Shared(Rc<State>);

/// A handle that keeps nothing alive.
#[derive(Default)]
pub struct Watch(Weak<State>);

struct State {
    stage: RefCell<Stage>,
    waiting: RefCell<Vec<Waker>>,
}

enum Stage {
    Running(Work),
    Done(Result<JsValue, Error>),
}

impl Shared {
    /// Shares this work; it begins when the first handle is awaited.
    pub fn new(work: Work) -> Self {
        Shared(Rc::new(State { stage: RefCell::new(Stage::Running(work)), waiting: RefCell::default() }))
    }

    /// A handle that keeps nothing alive.
    pub fn watch(&self) -> Watch {
        Watch(Rc::downgrade(&self.0))
    }
}

impl Watch {
    /// A handle to wait with, while somebody else waits too and the work is not done.
    pub fn join(&self) -> Option<Shared> {
        let state = self.0.upgrade()?;
        let running = matches!(*state.stage.borrow(), Stage::Running(_));
        running.then_some(Shared(state))
    }
}

impl Future for Shared {
    type Output = Result<JsValue, Error>;

    /// Gives the same answer however often it is asked.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut stage = self.0.stage.borrow_mut();
        if let Stage::Running(work) = &mut *stage {
            match work.as_mut().poll(context) {
                Poll::Ready(answer) => {
                    *stage = Stage::Done(answer);
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
            Stage::Done(answer) => Poll::Ready(answer.clone()),
            Stage::Running(_) => Poll::Pending,
        }
    }
}

impl Drop for Shared {
    /// The work calls back only whoever polled it last: when that one leaves, the others must poll it.
    fn drop(&mut self) {
        wake(&self.0);
    }
}

fn wake(state: &State) {
    state.waiting.take().into_iter().for_each(Waker::wake);
}
