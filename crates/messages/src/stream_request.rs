//! Requests for streams of events.

use serde::{Deserialize, Serialize};

/// A request for the events of a task or a pipeline. The response is a stream of server-sent
/// events, which ends by itself.
#[derive(Clone, Serialize, Deserialize)]
pub struct StreamRequest {
    /// The number of the last event that was received. 0 for none.
    pub last_event_id: u64,
    /// The time at which the stream ends, in milliseconds since 1970.
    pub until: i64,
    /// The client that reads the stream, for limits. `None` for a pipeline of the gateway.
    pub client: Option<StreamClient>,
}

/// A client that reads a stream.
#[derive(Clone, Serialize, Deserialize)]
pub struct StreamClient {
    /// The client's network; `None` if the platform does not report an address.
    pub network: Option<String>,
}
