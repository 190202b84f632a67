//! Sends the probe's requests, one after the other.
use core::cell::Cell;

use serde_json::Value;

use super::coroutine::Channel;
use super::report::Known;
use super::step::{Event, Reply, Request, Step, request};
use mediagate_core::{Capability, PREFIX};

/// Milliseconds before a request is repeated that met a rate limit, or no response.
const PAUSE_MS: u64 = 5_000;
/// How often a harmless request is sent at most.
const MAX_TRIES: usize = 3;

/// Why the probe cannot go on, in words.
pub(super) type Stop = String;

/// The shell, as the probe's parts use it.
pub(super) struct Session {
    channel: Channel,
    /// The upstream's address, without a slash at its end.
    base_url: String,
    pub(super) known: Known,
    is_interrupted: Cell<bool>,
}

impl Session {
    pub(super) fn new(channel: Channel, base_url: &str, known: Known) -> Self {
        Session {
            channel,
            base_url: base_url.trim_end_matches('/').to_string(),
            known,
            is_interrupted: Cell::default(),
        }
    }

    /// The paths to try for a setting, the one that is known first; `after_prefix` are likely ones.
    pub(super) fn paths(&self, setting: &str, after_prefix: &[&str]) -> Vec<String> {
        let likely = after_prefix.iter().map(|it| format!("{PREFIX}{it}"));
        self.known
            .path(setting)
            .map(String::from)
            .into_iter()
            .chain(likely)
            .collect()
    }

    /// The URL of an absolute path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    /// Whether a URL is on the origin of the base URL, where the key may go.
    pub(super) fn is_own(&self, url: &str) -> bool {
        origin(url) == origin(&self.base_url)
    }

    /// Whether the base URL is on this machine.
    pub(super) fn is_local(&self) -> bool {
        is_loopback(&self.base_url)
    }

    /// Reads a path that may not exist.
    pub(super) async fn try_get(&self, purpose: &'static str, path: &str) -> Reply {
        self.attempt(request(purpose, "GET", self.url(path), None))
            .await
    }

    /// Posts a body to a path that may not exist, where that costs nothing.
    pub(super) async fn try_post(&self, purpose: &'static str, path: &str, body: Value) -> Reply {
        self.attempt(request(purpose, "POST", self.url(path), Some(body)))
            .await
    }

    /// Sends a request that costs nothing: again after a while where a rate limit requires it, or without a response, as on a
    /// connection that the server was closing. No response to that one either says nothing.
    pub(super) async fn attempt(&self, request: Request) -> Reply {
        match self.send_once(request.clone()).await {
            Ok(reply) if !reply.is_busy() => reply,
            _ => {
                self.wait(PAUSE_MS).await;
                self.send_once(request)
                    .await
                    .unwrap_or_else(|_| Reply::none())
            }
        }
    }

    /// Posts a body to a path, where that costs nothing.
    pub(super) async fn post(
        &self,
        purpose: &'static str,
        path: &str,
        body: Value,
    ) -> Result<Reply, Stop> {
        self.send(request(purpose, "POST", self.url(path), Some(body)))
            .await
    }

    /// Sends a request that costs nothing: again after a while where a rate limit or the network requires it.
    pub(super) async fn send(&self, request: Request) -> Result<Reply, Stop> {
        let mut last = String::new();
        for tried in 0..MAX_TRIES {
            if tried > 0 {
                self.wait(PAUSE_MS).await;
            }
            last = match self.send_once(request.clone()).await {
                Ok(reply) if !reply.is_busy() => return Ok(reply),
                Ok(reply) => format!(
                    "The media service is busy, or limits the rate (HTTP {}), also after {MAX_TRIES} tries. Wait some minutes, \
                     and run it again.",
                    reply.status
                ),
                Err(_) if self.is_interrupted.get() => return Err(INTERRUPTED.to_string()),
                Err(why) => format!(
                    "The media service cannot be reached: {why}. Check the base URL and the network, then run it again."
                ),
            };
        }
        Err(last)
    }

    /// Sends a create: once, whatever comes. `Err` has the reason why there is no response.
    pub(super) async fn create(
        &self,
        capability: &Capability,
        body: Value,
    ) -> Result<Reply, String> {
        let path = format!("{PREFIX}{}", capability.path);
        self.send_once(request(
            "create the task",
            "POST",
            self.url(&path),
            Some(body),
        ))
        .await
    }

    /// Sends a request once. `Err` has the reason why there is no response.
    pub(super) async fn send_once(&self, request: Request) -> Result<Reply, String> {
        match self.exchange(Step::Send(request)).await {
            Event::Response(response) => Ok(Reply::new(&response)),
            Event::Failed(why) => Err(why),
            Event::Interrupted => Err(INTERRUPTED.to_string()),
            Event::Continued | Event::Consent(_) => Err("the request was not sent".to_string()),
        }
    }

    pub(super) async fn wait(&self, milliseconds: u64) {
        self.exchange(Step::Wait(milliseconds)).await;
    }

    pub(super) async fn may_create(&self, capability: &'static Capability) -> bool {
        matches!(
            self.exchange(Step::Consent(capability)).await,
            Event::Consent(true)
        )
    }

    /// Nothing more is done once a person has interrupted the probe.
    async fn exchange(&self, step: Step) -> Event {
        if self.is_interrupted.get() {
            return Event::Interrupted;
        }
        let event = self.channel.exchange(step).await;
        self.is_interrupted.set(matches!(event, Event::Interrupted));
        event
    }

    /// Whether a person has interrupted it.
    pub(super) fn is_interrupted(&self) -> bool {
        self.is_interrupted.get()
    }
}

/// Why it ended, where a person has interrupted it.
pub(super) const INTERRUPTED: &str = "It was interrupted.";

/// Scheme and authority of a URL.
pub(super) fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |it| it + 3);
    let end = url
        .get(start..)
        .and_then(|it| it.find(['/', '?', '#', '\\']))
        .map_or(url.len(), |it| it + start);
    url.get(..end).unwrap_or(url)
}

/// Whether a URL is on this machine.
pub(super) fn is_loopback(url: &str) -> bool {
    let host = authority(url);
    let name = host
        .rsplit_once(':')
        .filter(|it| it.1.bytes().all(|it| it.is_ascii_digit()))
        .map_or(host, |it| it.0);
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

/// Host and port of a URL.
pub(super) fn authority(url: &str) -> &str {
    let origin = origin(url);
    origin.split_once("://").map_or(origin, |it| it.1)
}
