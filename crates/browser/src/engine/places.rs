//! A number of places; who finds none free waits.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// The places.
pub struct Places {
    free: Cell<u32>,
    waiting: RefCell<Vec<Waker>>,
}

/// A place that is taken until this is dropped.
pub struct Place<'a>(&'a Places);

impl Places {
    /// So many, all free.
    pub fn new(count: u32) -> Self {
        Places { free: Cell::new(count), waiting: RefCell::default() }
    }

    /// Takes a place, once one is free.
    pub async fn take(&self) -> Place<'_> {
        poll_fn(|context| match self.free.get() {
            0 => {
                self.waiting.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
            free => {
                self.free.set(free - 1);
                Poll::Ready(Place(self))
            }
        })
        .await
    }
}

impl Drop for Place<'_> {
    /// Wakes all: the first in line may have left.
    fn drop(&mut self) {
        self.0.free.set(self.0.free.get() + 1);
        self.0.waiting.take().into_iter().for_each(Waker::wake);
    }
}
