//! Runs the probe: sends what it says, and shows each exchange.

use std::time::Duration;

use mediagate_core::Capability;
use mediagate_core::probe::{Event, Known, Probe, Report, Request, Response, Step, shown_request, shown_response};
use mediagate_operator::probe::Address;

use crate::http::{self, Key};

/// The person who runs the probe.
pub trait Person {
    /// Shows some lines.
    fn show(&mut self, lines: &str);

    /// Whether a task of this capability may be created, which costs credits.
    fn consents(&mut self, capability: &Capability) -> bool;

    /// Whether the person wants it to end.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// Waits.
    fn wait(&mut self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// Probes a service. Why it ended early, where it did, is in the report.
pub fn run(address: &Address, key: &Key, known: Known, person: &mut dyn Person) -> Report {
    let agent = http::agent(address);
    let mut probe = Probe::new(address.as_str(), known);
    let mut event = Event::Continued;
    let mut last: Option<(Request, Response)> = None;
    loop {
        let step = probe.advance(event);
        event = match step {
            Step::Done(report) => return report,
            _ if person.is_interrupted() => Event::Interrupted,
            Step::Send(request) => match http::send(&agent, &request, key) {
                Ok(response) => {
                    // A poll that brings the same once more shows nothing.
                    if !last.as_ref().is_some_and(|it| it.0 == request && it.1 == response) {
                        show(person, key, &request, &shown_response(&response));
                    }
                    last = Some((request, response.clone()));
                    Event::Response(response)
                }
                Err(why) => {
                    let why = key.hidden_in(&why);
                    show(person, key, &request, &format!("no response: {why}"));
                    Event::Failed(why)
                }
            },
            Step::Wait(milliseconds) => {
                person.wait(Duration::from_millis(milliseconds));
                Event::Continued
            }
            Step::Consent(capability) => Event::Consent(person.consents(capability)),
        };
    }
}

fn show(person: &mut dyn Person, key: &Key, request: &Request, response: &str) {
    let shown = format!("── {}\n→ {}\n← {response}\n", request.purpose, shown_request(request));
    person.show(&key.hidden_in(&shown));
}
