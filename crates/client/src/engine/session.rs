//! A gateway, and the session token for it. Where a token is missing, rejected or old, one renewal serves all that wait.

use alloc::vec::Vec;

use mediagate_core::Value;

use super::machine::{Engine, Outcome};
use crate::error::{Error, code};
use crate::platform::{Body, Id, Platform};
use crate::response::{Expected, unreadable};
use crate::state::call::{Call, Owner};
use crate::state::gateway::{Gateway, Opening, Renewal, Session, Source, token};
use crate::state::pending::Pending;

impl<P: Platform> Engine<P> {
    /// Connects a client to the gateway at a base URL, which has no slash at its end. An anonymous session is opened at once,
    /// so that a gateway that is missing or misconfigured is an error here. `turnstile` is the caller's function for the
    /// response of a widget, `network` the one in the place of `fetch`.
    ///
    /// The promise rejects with the errors of `POST /session`, and where a token is none.
    pub fn connect(
        &mut self,
        promise: Id,
        base: P::Value,
        source: Source<P::Value>,
        turnstile: Option<P::Value>,
        network: Option<P::Value>,
    ) {
        let token = if let Source::Fixed(token) = source {
            Some(token)
        } else {
            None
        };
        let session = Session::lasting(token);
        let (is_rejected, renewal) = (false, Renewal::Idle);
        let id = self.shared(Gateway {
            base,
            network,
            handles: 0,
            source,
            turnstile,
            session,
            is_rejected,
            renewal,
            has_responded: false,
        });
        self.promises.insert(promise, Pending::Connect(id));
        if matches!(source, Source::Anonymous) && self.needs_token(id) {
            self.wait_for_token(id);
        } else {
            self.connected(promise);
        }
    }

    /// The same gateway with the same session, where the page has it already, or else this one.
    fn shared(&mut self, gateway: Gateway<P::Value>) -> Id {
        let known = self
            .gateways
            .find(&|_, it| it.is_same(&self.platform, &gateway));
        known.unwrap_or_else(|| {
            // Those to which no client could connect.
            self.drop_unused_gateways();
            let id = self.platform.new_id();
            self.gateways.insert(id, gateway);
            id
        })
    }

    /// Forgets the gateways that no client has, nor waits for.
    pub(super) fn drop_unused_gateways(&mut self) {
        let mut unused = Vec::new();
        self.gateways.ids(&mut unused, &|it| it.handles == 0);
        for id in unused {
            if self.waiting_for_token(id).is_empty() {
                self.gateways.take(id);
            }
        }
    }

    /// Whether a gateway's token is missing, rejected or old, and can be renewed.
    pub(super) fn needs_token(&mut self, gateway: Id) -> bool {
        let now = self.platform.now();
        self.gateways
            .get(gateway)
            .is_some_and(|it| it.needs_token(now))
    }

    /// The calls and the promises of clients that wait for a token.
    pub(super) fn waiting_for_token(&self, id: Id) -> Vec<Id> {
        let mut waiting = Vec::new();
        self.calls.ids(&mut waiting, &|it| it.waits_for(id));
        self.promises.ids(
            &mut waiting,
            &|it| matches!(it, Pending::Connect(gateway) if *gateway == id),
        );
        waiting
    }

    /// Renews the token of a gateway, for which something waits, unless that is under way.
    pub(super) fn wait_for_token(&mut self, id: Id) {
        if self
            .gateways
            .get(id)
            .is_some_and(|it| matches!(it.renewal, Renewal::Idle))
        {
            self.renew(id);
        }
    }

    /// Something no longer waits for a token. A renewal for which nothing waits is aborted.
    pub(super) fn stop_waiting(&mut self, id: Id) {
        if !self.waiting_for_token(id).is_empty() {
            return;
        }
        match self.take_renewal(id) {
            Renewal::Idle => {}
            Renewal::Function | Renewal::Turnstile(_) => self.platform.abort(id),
            Renewal::Opening(_, call) => drop(self.end_call(call)),
        }
    }

    fn take_renewal(&mut self, id: Id) -> Renewal<P::Value> {
        let renewal = self
            .gateways
            .get(id)
            .map(|it| core::mem::replace(&mut it.renewal, Renewal::Idle));
        renewal.unwrap_or(Renewal::Idle)
    }

    fn renew(&mut self, id: Id) {
        let Some(gateway) = self.gateways.get(id) else {
            return;
        };
        if let Source::Function(function) = gateway.source {
            gateway.renewal = Renewal::Function;
            return self.platform.invoke(id, function);
        }
        let stored = Session::stored(&self.platform, gateway.base);
        let known = gateway.session.token;
        if stored.is_fresh(self.platform.now()) && !self.platform.is_identical(stored.token, known)
        {
            return self.renewed(id, stored);
        }
        // The same subject as before: another one would not own its tasks.
        let previous = known.or(stored.token);
        self.open(
            id,
            Opening {
                is_first: previous.is_none(),
                previous,
            },
        );
    }

    /// Opens an anonymous session, with the response of a widget where the caller has a function for it.
    fn open(&mut self, id: Id, opening: Opening<P::Value>) {
        let Some(gateway) = self.gateways.get(id) else {
            return;
        };
        match gateway.turnstile {
            Some(function) => {
                gateway.renewal = Renewal::Turnstile(opening);
                self.platform.invoke(id, function);
            }
            None => self.post_session(id, opening, None),
        }
    }

    fn post_session(
        &mut self,
        id: Id,
        opening: Opening<P::Value>,
        widget_response: Option<P::Value>,
    ) {
        let Some(gateway) = self.gateways.get(id) else {
            return;
        };
        let url = self.platform.append(gateway.base, "/session");
        let mut call = Call::new(
            id,
            gateway,
            Owner::Session(id),
            url,
            Body::Empty,
            Expected::Data,
        );
        call.request.method = "POST";
        let headers = self
            .platform
            .with_member(None, "x-mediagate", Some(self.platform.text("1")));
        call.request.headers = Some(self.platform.with_member(
            Some(headers),
            "x-turnstile-response",
            widget_response,
        ));
        call.request.authorization = opening.previous;
        call.in_session = false;
        let call = self.start(call);
        if let Some(gateway) = self.gateways.get(id) {
            gateway.renewal = Renewal::Opening(opening, call);
        }
    }

    /// What a function of [`Platform::invoke`] returned, or what it threw.
    pub fn returned(&mut self, id: Id, result: Result<P::Value, P::Value>) {
        let renewal = self.take_renewal(id);
        let (returned, cause) = match result {
            Ok(value) => (token(Some(value)), None),
            Err(cause) => (None, Some(cause)),
        };
        match renewal {
            Renewal::Turnstile(opening) if returned.is_some() => {
                self.post_session(id, opening, returned)
            }
            Renewal::Function if returned.is_some() => self.renewed(id, Session::lasting(returned)),
            _ => {
                let message = match renewal {
                    _ if cause.is_some() => {
                        "the function for a token failed; its error is the cause"
                    }
                    Renewal::Turnstile(_) => "turnstile returned no response of its widget",
                    _ => NOT_A_TOKEN,
                };
                let error = Error::new(&self.platform, code::INVALID_ARGUMENT, message);
                self.not_renewed(id, error.with(&self.platform, "cause", cause));
            }
        }
    }

    /// `POST /session` ended.
    pub(super) fn session_opened(&mut self, id: Id, outcome: Outcome<P>) {
        let Renewal::Opening(opening, _) = self.take_renewal(id) else {
            return;
        };
        let session = match outcome {
            // A token that is too old, or signed with a key that was removed, must not lock the page out.
            Err(error) if error.status == 401 && opening.previous.is_some() => {
                return self.open(
                    id,
                    Opening {
                        previous: None,
                        is_first: false,
                    },
                );
            }
            Err(error) => Err(error),
            Ok(data) => read_session(&self.platform, data),
        };
        match session {
            Ok(session) => self.session_read(id, opening, session),
            Err(error) => self.not_renewed(id, error),
        }
    }

    fn session_read(&mut self, id: Id, opening: Opening<P::Value>, session: Session<P::Value>) {
        let Some(gateway) = self.gateways.get(id) else {
            return;
        };
        // Another tab may have opened a session meanwhile. All tabs use the one that was stored first.
        let stored = Session::stored(&self.platform, gateway.base);
        if opening.is_first && stored.is_fresh(self.platform.now()) {
            return self.renewed(id, stored);
        }
        session.store(&self.platform, gateway.base);
        self.renewed(id, session);
    }

    fn renewed(&mut self, id: Id, session: Session<P::Value>) {
        let Some(gateway) = self.gateways.get(id) else {
            return;
        };
        gateway.session = session;
        gateway.is_rejected = false;
        for waiter in self.waiting_for_token(id) {
            if self.calls.has(waiter) {
                self.send(waiter);
            } else {
                self.connected(waiter);
            }
        }
    }

    /// There is a token for the promise of a client.
    fn connected(&mut self, promise: Id) {
        let Some(Pending::Connect(gateway)) = self.promises.take(promise) else {
            return;
        };
        if let Some(it) = self.gateways.get(gateway) {
            it.handles += 1;
        }
        self.platform.resolve_handle(promise, gateway);
    }

    fn not_renewed(&mut self, id: Id, error: Error<P::Value>) {
        for waiter in self.waiting_for_token(id) {
            if self.calls.has(waiter) {
                self.finish_call(waiter, Err(error), None);
            } else if self.promises.has(waiter) {
                self.reject(waiter, error);
            }
        }
        // What ended may have let something else start, which began a renewal, and ended too.
        self.stop_waiting(id);
    }
}

/// The session in the response to `POST /session`.
fn read_session<P: Platform>(
    platform: &P,
    data: Option<P::Value>,
) -> Result<Session<P::Value>, Error<P::Value>> {
    let session = data.and_then(|it| it.get("session"));
    let lifetime = session.and_then(|it| it.get("expires_in")?.number());
    let lifetime = lifetime.ok_or_else(|| unreadable(platform, 200, "no_session"))? * 1000.0;
    let token = token(session.and_then(|it| it.get("token")));
    if token.is_none() {
        return Err(Error::new(platform, code::INVALID_ARGUMENT, NOT_A_TOKEN));
    }
    // Renewed a fifth of its lifetime before its end, a minute at most: enough time for a slow renewal, also of a token
    // with a short lifetime.
    let renew_at = platform.now() + lifetime - (lifetime / 5.0).min(60_000.0);
    Ok(Session { token, renew_at })
}

const NOT_A_TOKEN: &str = "the session token is not visible ASCII; give a JWT";
