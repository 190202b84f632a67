//! Requests for streams of events.

use serde::{Deserialize, Serialize};

use crate::crypto::hash;
use crate::events::{Holder, Quota};
use crate::identity::Subject;
use crate::platform::Incoming;
use crate::settings::Settings;

/// The streams of a network, as a multiple of a subject's streams. A household or an office has
/// several subjects.
const SUBJECTS_PER_NETWORK: usize = 5;

/// A request for the events of a task or a pipeline. The response is a stream of server-sent
/// events, which ends by itself.
#[derive(Serialize, Deserialize)]
pub(crate) struct StreamRequest {
    /// The number of the last event that was received. 0 for none.
    pub(crate) last_event_id: u64,
    /// The time at which the stream ends, in milliseconds since 1970.
    pub(crate) until: i64,
    /// The client that reads the stream, for limits. `None` for a pipeline of the gateway.
    pub(crate) client: Option<StreamClient>,
}

/// The client that reads a stream.
#[derive(Serialize, Deserialize)]
pub(crate) struct StreamClient {
    /// The client's network; `None` if the platform does not report an address.
    network: Option<String>,
}

impl StreamClient {
    /// Returns the client that sent a request.
    pub(crate) fn of(incoming: &Incoming) -> Self {
        StreamClient {
            network: incoming.network(),
        }
    }
}

impl StreamRequest {
    /// Returns the quotas that the stream counts towards. Empty for a stream of a pipeline.
    pub(crate) fn quotas(&self, subject: &Subject, settings: &Settings) -> Vec<Quota> {
        let Some(client) = &self.client else {
            // A pipeline of the gateway reads the stream, and pipelines have their own limits.
            return Vec::new();
        };
        let Subject {
            source,
            issuer,
            name,
        } = subject;
        let of_subject = Quota {
            holder: Holder::Subject(hash(&[source, issuer, name])),
            max_streams: settings.streams_per_subject,
        };
        let of_network = client.network.as_ref().map(|network| Quota {
            holder: Holder::Network(network.clone()),
            max_streams: settings.streams_per_subject * SUBJECTS_PER_NETWORK,
        });
        [of_subject].into_iter().chain(of_network).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let read = Settings::read(|name| match name {
            "UPSTREAM_BASE_URL" => Some("https://api.example.com".to_owned()),
            "UPSTREAM_API_KEY" | "SESSION_SECRET" | "SEAL_SECRET" => {
                Some("0123456789abcdef".repeat(2))
            }
            "STREAMS_PER_SUBJECT" => Some("7".to_owned()),
            _ => None,
        });
        read.expect("the settings are complete")
    }

    fn quotas(client: Option<StreamClient>, name: &str) -> Vec<Quota> {
        let subject = Subject {
            name: name.to_owned(),
            ..Subject::default()
        };
        StreamRequest {
            last_event_id: 0,
            until: 0,
            client,
        }
        .quotas(&subject, &settings())
    }

    #[test]
    fn a_stream_counts_for_its_subject_and_for_the_network_if_that_is_known() {
        let client = |network: Option<&str>| {
            Some(StreamClient {
                network: network.map(str::to_owned),
            })
        };
        let of_alice = quotas(client(Some("192.0.2.1")), "alice");
        let max_streams: Vec<usize> = of_alice.iter().map(|quota| quota.max_streams).collect();
        assert_eq!(max_streams, [7, 35]);
        let of_bob = quotas(client(Some("192.0.2.1")), "bob");
        let is_shared: Vec<bool> = of_alice
            .iter()
            .zip(&of_bob)
            .map(|(alice, bob)| alice.holder == bob.holder)
            .collect();
        assert_eq!(is_shared, [false, true]);
        assert_eq!(quotas(client(None), "alice").len(), 1);
        assert!(quotas(None, "alice").is_empty());
    }
}
