use serde::{Deserialize, Serialize};

/// The response is a stream of server-sent events, which ends by itself.
#[derive(Clone, Serialize, Deserialize)]
pub struct StreamRequest {
    /// 0 if no event was received.
    pub last_event_id: u64,
    /// The stream's end, in milliseconds since 1970.
    pub until: i64,
    /// The client that reads the stream, for limits. `None` for a pipeline of the gateway.
    pub client: Option<StreamClient>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct StreamClient {
    /// `None` if the platform does not report an address.
    pub network: Option<String>,
}
