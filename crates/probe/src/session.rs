//! The requests of the probe, sent in sequence.

use core::cell::Cell;

use serde_json::Value;

use super::coroutine::Channel;
use super::report::Known;
use super::step::{DecodedResponse, Event, Request, Step, request};
use mediagate_core::{Capability, PREFIX};

/// The pause before a request is repeated, in milliseconds.
const PAUSE_MS: u64 = 5_000;
/// The largest number of attempts of a harmless request.
const MAX_TRIES: usize = 3;

/// The reason, in words, why the probe cannot continue.
pub(super) type Stop = String;

/// The connection of the probe's parts to the shell.
pub(super) struct Session {
    channel: Channel,
    /// The upstream's address, without a slash at the end.
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

    /// Returns the paths to try for a setting: the known one, then likely ones, which are given
    /// without the prefix.
    pub(super) fn paths(&self, setting: &str, after_prefix: &[&str]) -> Vec<String> {
        let likely = after_prefix.iter().map(|path| format!("{PREFIX}{path}"));
        self.known
            .path(setting)
            .map(String::from)
            .into_iter()
            .chain(likely)
            .collect()
    }

    /// Returns the URL of an absolute path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    /// Returns true if a URL has the origin of the base URL, the only one that may get the key.
    pub(super) fn is_own(&self, url: &str) -> bool {
        origin(url) == origin(&self.base_url)
    }

    /// Returns true if the base URL is on this machine.
    pub(super) fn is_local(&self) -> bool {
        is_loopback(&self.base_url)
    }

    /// Reads a path that may not exist.
    pub(super) async fn try_get(&self, purpose: &'static str, path: &str) -> DecodedResponse {
        self.attempt(request(purpose, "GET", self.url(path), None))
            .await
    }

    /// Posts a body to a path that may not exist. The request must not cost anything.
    pub(super) async fn try_post(
        &self,
        purpose: &'static str,
        path: &str,
        body: Value,
    ) -> DecodedResponse {
        self.attempt(request(purpose, "POST", self.url(path), Some(body)))
            .await
    }

    /// Sends a request that costs nothing. Repeats it once, after a pause, if there was a rate
    /// limit or no response. Returns an empty response if the second attempt also has none.
    pub(super) async fn attempt(&self, request: Request) -> DecodedResponse {
        match self.send_once(request.clone()).await {
            Ok(response) if !response.is_busy() => response,
            _ => {
                self.wait(PAUSE_MS).await;
                self.send_once(request)
                    .await
                    .unwrap_or_else(|_| DecodedResponse::none())
            }
        }
    }

    /// Posts a body to a path. The request must not cost anything.
    ///
    /// # Errors
    /// If the service does not respond, or if its rate limit lasts.
    pub(super) async fn post(
        &self,
        purpose: &'static str,
        path: &str,
        body: Value,
    ) -> Result<DecodedResponse, Stop> {
        self.send(request(purpose, "POST", self.url(path), Some(body)))
            .await
    }

    /// Sends a request that costs nothing. Repeats it, after a pause, if there was a rate limit or
    /// no response.
    ///
    /// # Errors
    /// If no attempt has a response, or if the rate limit lasts.
    pub(super) async fn send(&self, request: Request) -> Result<DecodedResponse, Stop> {
        let mut last = String::new();
        for tried in 0..MAX_TRIES {
            if tried > 0 {
                self.wait(PAUSE_MS).await;
            }
            last = match self.send_once(request.clone()).await {
                Ok(response) if !response.is_busy() => return Ok(response),
                Ok(response) => format!(
                    "The media service is busy, or limits the rate (HTTP {}), also after \
                     {MAX_TRIES} tries. Wait some minutes, and run it again.",
                    response.status
                ),
                Err(_) if self.is_interrupted.get() => return Err(INTERRUPTED.to_string()),
                Err(why) => format!(
                    "The media service cannot be reached: {why}. Check the base URL and the \
                     network, then run it again."
                ),
            };
        }
        Err(last)
    }

    /// Sends a create, exactly once: a repetition may charge the account twice.
    ///
    /// # Errors
    /// The reason why there is no response.
    pub(super) async fn create(
        &self,
        capability: &Capability,
        body: Value,
    ) -> Result<DecodedResponse, String> {
        let path = format!("{PREFIX}{}", capability.path);
        self.send_once(request(
            "create the task",
            "POST",
            self.url(&path),
            Some(body),
        ))
        .await
    }

    /// Sends a request once.
    ///
    /// # Errors
    /// The reason why there is no response.
    pub(super) async fn send_once(&self, request: Request) -> Result<DecodedResponse, String> {
        match self.take_step(Step::Send(request)).await {
            Event::Response(response) => Ok(DecodedResponse::new(&response)),
            Event::Failed(why) => Err(why),
            Event::Interrupted => Err(INTERRUPTED.to_string()),
            // The shell has passed on an event of another step.
            Event::Continued | Event::Consent(_) => Err("the request was not sent".to_string()),
        }
    }

    pub(super) async fn wait(&self, milliseconds: u64) {
        self.take_step(Step::Wait(milliseconds)).await;
    }

    pub(super) async fn may_create(&self, capability: &'static Capability) -> bool {
        matches!(
            self.take_step(Step::Consent(capability)).await,
            Event::Consent(true)
        )
    }

    /// Passes a step to the shell, and returns its event. After an interruption, the shell gets no
    /// more steps.
    async fn take_step(&self, step: Step) -> Event {
        if self.is_interrupted.get() {
            return Event::Interrupted;
        }
        let event = self.channel.take_step(step).await;
        self.is_interrupted.set(matches!(event, Event::Interrupted));
        event
    }

    /// Returns true if a person has interrupted the probe.
    pub(super) fn is_interrupted(&self) -> bool {
        self.is_interrupted.get()
    }
}

/// The reason for the end after an interruption.
pub(super) const INTERRUPTED: &str = "It was interrupted.";

/// Returns the first of several paths after the prefix, the default.
pub(super) fn default_path(after_prefix: &[&str]) -> String {
    let first = after_prefix.first().copied().unwrap_or_default();
    format!("{PREFIX}{first}")
}

/// Returns the scheme and the authority of a URL.
pub(super) fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |index| index + 3);
    let end = url
        .get(start..)
        .and_then(|rest| rest.find(['/', '?', '#', '\\']))
        .map_or(url.len(), |length| length + start);
    url.get(..end).unwrap_or(url)
}

/// Returns true if a URL is on this machine.
pub(super) fn is_loopback(url: &str) -> bool {
    let host = authority(url);
    let name = host
        .rsplit_once(':')
        // The last part of an IPv6 address in brackets is not a port.
        .filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

/// Returns the host and the port of a URL.
pub(super) fn authority(url: &str) -> &str {
    let origin = origin(url);
    origin
        .split_once("://")
        .map_or(origin, |(_, authority)| authority)
}
