//! Session tokens of the simulated gateways: a token names what it comes from, its subject and its times.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::json;

use super::faults::Faults;
use super::{Gateways, Reply, refusal, success};
use crate::simulated::platform::thrown;
use crate::simulated::requests::Sent;
use crate::simulated::value::SimValue;
use crate::simulated::world::World;

/// How long after its end an anonymous token can be renewed, in milliseconds.
const GRACE_MS: f64 = 60_000.0;

/// What a token says.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Where it comes from: the same for all tokens of a session.
    pub lineage: String,
    /// The index of its gateway.
    pub base: usize,
    /// Its subject.
    pub subject: String,
    /// When it was issued, in milliseconds since 1970.
    pub issued: f64,
    /// When it expires.
    pub expires: f64,
}

impl Token {
    /// As it is sent.
    pub fn text(&self) -> String {
        let Token {
            lineage,
            base,
            subject,
            issued,
            expires,
        } = self;
        format!("{lineage}~{base}~{subject}~{issued}~{expires}")
    }

    /// The token of a string.
    pub fn read(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('~').collect();
        let [lineage, base, subject, issued, expires] = parts.as_slice() else {
            return None;
        };
        let (lineage, subject) = ((*lineage).to_owned(), (*subject).to_owned());
        let (issued, expires) = (issued.parse().ok()?, expires.parse().ok()?);
        Some(Token {
            lineage,
            base: base.parse().ok()?,
            subject,
            issued,
            expires,
        })
    }
}

/// Where a token comes from; empty without a token.
pub fn lineage_of(token: &str) -> String {
    Token::read(token).map(|it| it.lineage).unwrap_or_default()
}

/// What the gateways know of tokens.
#[derive(Default)]
pub struct Tokens {
    /// The time before which the tokens of a lineage were revoked.
    revoked: RefCell<BTreeMap<String, f64>>,
    /// The subjects of the callers' functions.
    subjects: RefCell<BTreeMap<String, String>>,
    /// The responses of widgets that were used.
    used: RefCell<Vec<String>>,
}

impl Tokens {
    /// The subject of a token, where it is valid at a gateway.
    pub fn verify(&self, world: &World, base: &str, token: &str) -> Option<String> {
        let token = Token::read(token)?;
        let is_revoked = self
            .revoked
            .borrow()
            .get(&token.lineage)
            .is_some_and(|it| token.issued < *it);
        let is_valid = token.expires > world.now() && !is_revoked;
        assert_eq!(
            super::BASES[token.base],
            base,
            "a token was sent to another gateway"
        );
        is_valid.then_some(token.subject)
    }

    /// What a function of the caller's returns, `name:base`, after a number of milliseconds.
    pub fn call(
        &self,
        world: &World,
        faults: &Faults,
        function: &str,
        count: u32,
    ) -> (f64, Result<SimValue, SimValue>) {
        let random = &world.random;
        let delay = if random.chance(faults.slow) {
            random.milliseconds(1_000, 20_000)
        } else {
            5.0
        };
        if random.chance(faults.function) {
            let odd = [
                Err(thrown("no token")),
                Ok(SimValue::text("not a token")),
                Ok(SimValue::Number(7.0)),
            ];
            return (delay, random.one_of(&odd).clone());
        }
        let Some((lineage, base)) = function.split_once(':') else {
            return (delay, Ok(SimValue::text(&format!("widget-{count}"))));
        };
        let mut subjects = self.subjects.borrow_mut();
        let first = || format!("{lineage}-subject");
        let subject = subjects.entry(lineage.to_owned()).or_insert_with(first);
        if random.chance(faults.subject) {
            *subject = format!("{lineage}-subject-{count}");
        }
        let expires = world.now() + random.milliseconds(5_000, 200_000);
        let base = base.parse().expect("the index of a gateway");
        let (lineage, subject) = (lineage.to_owned(), subject.clone());
        let token = Token {
            lineage,
            base,
            subject,
            issued: world.now(),
            expires,
        };
        (delay, Ok(SimValue::text(&token.text())))
    }
}

impl Gateways {
    /// Revokes the tokens that a lineage has at this time.
    pub fn revoke(&self, lineage: &str) {
        self.tokens
            .revoked
            .borrow_mut()
            .insert(lineage.to_owned(), self.world.now());
    }

    /// `POST /session`.
    pub(super) fn open_session(&self, base: &str, request: &Sent) -> Reply {
        let world = &self.world;
        assert_eq!(request.header("x-mediagate"), "1");
        if let Some(reply) = self.shed() {
            return reply;
        }
        if self.faults.has_turnstile {
            let response = request.header("x-turnstile-response").to_owned();
            let mut used = self.tokens.used.borrow_mut();
            // A repetition of a request has the same response, which the gateway must have used before it was lost.
            if response.is_empty() || used.contains(&response) {
                return refusal(403, 13, &json!({ "reason": "turnstile" }));
            }
            used.push(response);
        }
        let subject = if request.token.is_empty() {
            format!("anonymous-{}", self.count())
        } else {
            let token = Token::read(&request.token).expect("the token before");
            assert_eq!(
                super::BASES[token.base],
                base,
                "a token was sent to another gateway"
            );
            let is_gone = self.world.random.chance(self.faults.subject);
            if is_gone || token.expires + GRACE_MS < world.now() {
                return refusal(401, 13, &json!({ "reason": "expired_token" }));
            }
            token.subject
        };
        let seconds = world.random.milliseconds(2, 120);
        let base = super::BASES
            .iter()
            .position(|it| *it == base)
            .expect("a gateway");
        let (lineage, expires) = (format!("anonymous{base}"), world.now() + seconds * 1000.0);
        let token = Token {
            lineage,
            base,
            subject,
            issued: world.now(),
            expires,
        };
        success(&json!({ "session": { "token": token.text(), "expires_in": seconds } }))
    }
}
