//! What goes wrong in a simulation, and how often.

use crate::simulated::random::Random;

/// Probabilities, and what holds for the whole of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// A request never arrives.
    pub lost_request: f64,
    /// A request arrives, and its response does not.
    pub lost_response: f64,
    /// A request, or a response, takes seconds.
    pub slow: f64,
    /// The gateway refuses a request because of its load.
    pub shed: f64,
    /// A proxy responds in place of the gateway.
    pub proxy: f64,
    /// A create is rejected, or its outcome is unknown.
    pub rejected: f64,
    /// An upload URL is stale, or an upload is refused.
    pub stale: f64,
    /// A transfer is refused, or its response is unreadable.
    pub moving: f64,
    /// A stream is silent, broken, garbled or out of order.
    pub stream: f64,
    /// A function of the caller's throws, or returns no token.
    pub function: f64,
    /// A renewal of a token leads to another subject.
    pub subject: f64,
    /// Whether there are streams.
    pub has_streams: bool,
    /// Whether a proxy buffers streams until their end.
    pub is_buffering: bool,
    /// Whether anonymous sessions need the response of a Turnstile widget.
    pub has_turnstile: bool,
}

impl Faults {
    /// Random faults: in some simulations none, in others many.
    pub fn random(random: &Random) -> Self {
        let share = || {
            if random.chance(0.4) {
                0.0
            } else {
                *random.one_of(&[0.02, 0.1, 0.3])
            }
        };
        Faults {
            lost_request: share(),
            lost_response: share(),
            slow: share(),
            shed: share(),
            proxy: share() / 2.0,
            rejected: share(),
            stale: share(),
            moving: share(),
            stream: share(),
            function: share() / 2.0,
            subject: share(),
            has_streams: random.chance(0.85),
            is_buffering: random.chance(0.1),
            has_turnstile: random.chance(0.3),
        }
    }
}
