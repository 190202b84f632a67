//! Opens streams, and tells what they count towards.

use futures_util::StreamExt;
use mediagate_access::identity::Subject;
use mediagate_messages::{StreamClient, StreamRequest};
use mediagate_settings::Settings;
use web_sys::Response;

use super::seats::{Holder, Quota};
use super::subscriber::LatestEvent;
use super::subscribers::Subscribers;

/// The streams of a network, as a multiple of a subject's streams. A household or an office has
/// several subjects.
const SUBJECTS_PER_NETWORK: usize = 5;

/// Adds the subscriber of a request, and returns the response with its stream. If `has_ended` is
/// true, all streams end after the newest event.
pub(crate) fn open(
    request: &StreamRequest,
    subscribers: &Subscribers,
    latest: Option<LatestEvent>,
    has_ended: bool,
    quotas: Vec<Quota>,
) -> worker::Result<Response> {
    // The end is sent even to a subscriber that has received it. After a stream without an event,
    // it would reconnect again and again.
    let last_event_id = Some(request.last_event_id).filter(|_| !has_ended);
    let stream = subscribers.add(last_event_id, request.until, latest, quotas);
    if has_ended {
        subscribers.end(None);
    }
    Ok(worker::Response::from_stream(stream.map(Ok::<_, worker::Error>))?.into())
}

/// Returns the quotas of a stream of events of `subject`. Empty for a stream of a pipeline.
pub(crate) fn quotas_of(
    request: &StreamRequest,
    subject: &Subject,
    settings: &Settings,
) -> Vec<Quota> {
    let Some(client) = &request.client else {
        // A pipeline of the gateway reads the stream, and pipelines have their own limits.
        return Vec::new();
    };
    let of_subject = Holder::Subject(subject.hash_with(&[]));
    let of_network = client.network.clone().map(Holder::Network);
    quotas(of_subject, of_network, settings)
}

/// Returns the quotas of a stream with an output of `owner`. The client needs no token, so its own
/// subject is unknown.
pub(crate) fn output_quotas(
    client: &StreamClient,
    owner: &Subject,
    settings: &Settings,
) -> Vec<Quota> {
    let of_owner = Holder::OutputOwner(owner.hash_with(&[]));
    let of_network = client.network.clone().map(Holder::OutputNetwork);
    quotas(of_owner, of_network, settings)
}

fn quotas(of_subject: Holder, of_network: Option<Holder>, settings: &Settings) -> Vec<Quota> {
    let of_subject = Quota {
        holder: of_subject,
        max_streams: settings.streams_per_subject,
    };
    let of_network = of_network.map(|holder| Quota {
        holder,
        max_streams: settings.streams_per_subject * SUBJECTS_PER_NETWORK,
    });
    [of_subject].into_iter().chain(of_network).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotas(client: Option<StreamClient>, name: &str) -> Vec<Quota> {
        let subject = Subject {
            name: name.to_owned(),
            ..Subject::default()
        };
        let stream = StreamRequest {
            last_event_id: 0,
            until: 0,
            client,
        };
        let settings = Settings::for_tests(&[("STREAMS_PER_SUBJECT", "7")]);
        quotas_of(&stream, &subject, &settings)
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

    #[test]
    fn an_output_counts_for_its_owner_and_the_network_and_not_as_a_stream_of_events() {
        let settings = Settings::for_tests(&[("STREAMS_PER_SUBJECT", "7")]);
        let owner = Subject {
            name: "alice".to_owned(),
            ..Subject::default()
        };
        let client = |network: Option<&str>| StreamClient {
            network: network.map(str::to_owned),
        };
        let known = Some("192.0.2.1");
        let of_output = output_quotas(&client(known), &owner, &settings);
        let max_streams: Vec<usize> = of_output.iter().map(|quota| quota.max_streams).collect();
        assert_eq!(max_streams, [7, 35]);
        let of_events = quotas(Some(client(known)), "alice");
        for (output, events) in of_output.iter().zip(&of_events) {
            assert_ne!(output.holder, events.holder);
        }
        assert_eq!(output_quotas(&client(None), &owner, &settings).len(), 1);
    }
}
