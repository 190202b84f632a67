//! A runner of the probe's procedure that stops at each step, without I/O.

use core::cell::Cell;
use core::future::{Future, poll_fn};
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::rc::Rc;

use super::report::Report;
use super::step::{Event, Step};

/// A procedure that runs until it needs an event. The procedure is an `async` function, which the
/// compiler turns into a state machine.
pub(super) struct Coroutine {
    slot: Slot,
    procedure: Pin<Box<dyn Future<Output = Report>>>,
}

type Slot = Rc<Cell<Message>>;

/// The message that one side has left for the other.
#[derive(Default)]
enum Message {
    #[default]
    Nothing,
    Step(Step),
    Event(Event),
}

/// The procedure's side of the channel.
pub(super) struct Channel(Slot);

impl Channel {
    /// Passes a step to the shell, and waits for the shell's event.
    pub(super) async fn take_step(&self, step: Step) -> Event {
        self.0.set(Message::Step(step));
        poll_fn(|_| match self.0.take() {
            Message::Event(event) => Poll::Ready(event),
            // The step is still there, because `take` empties the cell.
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

    /// Passes an event to the procedure. Returns its next step.
    pub(super) fn advance(&mut self, event: Event) -> Step {
        self.slot.set(Message::Event(event));
        let mut context = Context::from_waker(Waker::noop());
        match (self.procedure.as_mut().poll(&mut context), self.slot.take()) {
            (Poll::Ready(report), _) => Step::Done(report),
            (Poll::Pending, Message::Step(step)) => step,
            // Unreachable: the procedure waits only for events, and asks for each with a step.
            (Poll::Pending, _) => Step::Wait(0),
        }
    }
}
