//! Runs the procedure of the probe step by step, without I/O.

use core::cell::Cell;
use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::rc::Rc;

use super::report::Report;
use super::step::{Event, Step};

/// The procedure is written as an `async` function, which the compiler turns into a state machine: it stands still
/// wherever it needs an event.
pub(super) struct Coroutine {
    slot: Slot,
    procedure: Pin<Box<dyn Future<Output = Report>>>,
}

type Slot = Rc<Cell<Exchange>>;

/// What waits to be read by the other side.
#[derive(Default)]
enum Exchange {
    #[default]
    Nothing,
    Step(Step),
    Event(Event),
}

/// The procedure's end of the exchange.
pub(super) struct Channel(Slot);

impl Channel {
    /// Hands a step to the shell, and waits for its event.
    pub(super) async fn exchange(&self, step: Step) -> Event {
        self.0.set(Exchange::Step(step));
        poll_fn(|_| match self.0.take() {
            Exchange::Event(event) => Poll::Ready(event),
            other => {
                self.0.set(other);
                Poll::Pending
            }
        })
        .await
    }
}

impl Coroutine {
    pub(super) fn new<F: Future<Output = Report> + 'static>(
        procedure: impl FnOnce(Channel) -> F,
    ) -> Self {
        let slot = Slot::default();
        let procedure = Box::pin(procedure(Channel(slot.clone())));
        Coroutine { slot, procedure }
    }

    /// Passes on an event; returns the next step.
    pub(super) fn advance(&mut self, event: Event) -> Step {
        self.slot.set(Exchange::Event(event));
        let mut context = Context::from_waker(Waker::noop());
        match (self.procedure.as_mut().poll(&mut context), self.slot.take()) {
            (Poll::Ready(report), _) => Step::Done(report),
            (Poll::Pending, Exchange::Step(step)) => step,
            // The procedure waits for nothing but events.
            (Poll::Pending, _) => Step::Wait(0),
        }
    }
}
