//! A semaphore: a limit on how many pieces of work run at once.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// A number of permits.
pub struct Semaphore {
    free: Cell<u32>,
    waiting: RefCell<Vec<Waker>>,
}

/// A permit. Dropping it returns it to its semaphore.
pub struct Permit<'a>(&'a Semaphore);

impl Semaphore {
    /// A semaphore with `count` permits.
    pub fn new(count: u32) -> Self {
        Semaphore { free: Cell::new(count), waiting: RefCell::default() }
    }

    /// Takes a permit, as soon as one is free.
    pub async fn acquire(&self) -> Permit<'_> {
        poll_fn(|context| match self.free.get() {
            0 => {
                self.waiting.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
            free => {
                self.free.set(free - 1);
                Poll::Ready(Permit(self))
            }
        })
        .await
    }
}

impl Drop for Permit<'_> {
    /// Wakes all waiters: the first of them may have been dropped since.
    fn drop(&mut self) {
        self.0.free.set(self.0.free.get() + 1);
        self.0.waiting.take().into_iter().for_each(Waker::wake);
    }
}
