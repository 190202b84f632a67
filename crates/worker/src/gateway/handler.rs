//! The gateway: one request in, one response out.

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use mediagate_core::{Outcome, Reason};
use serde_json::json;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};
use worker::Env;

use super::document::document;
use super::exchange::{Exchange, MAX_LOGGED_LEN, UNAUTHENTICATED_BODY};
use super::session::SessionIssuer;
use super::{cors, playground};
use crate::auth::{AnonymousIssuer, Verifier};
use crate::crypto::{Secret, hash};
use crate::identity::{Caller, Subject};
use crate::load::{Answering, InFlight, Recent, Shedder};
use crate::mcp;
use crate::objects::{
    DURATIONS_BINDING, DurationsCache, LEDGER_BINDING, TRANSFER_BINDING, WATCHER_BINDING,
};
use crate::operations::{self, RequestContext};
use crate::platform::{Incoming, now_ms};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::routes::{Route, route};
use crate::settings::origins::is_listed;
use crate::settings::{MCP_PATH, Settings, SettingsError};
use crate::upstream::Upstream;

/// How long a page's browser may remember what a preflight response allows, in seconds.
const PREFLIGHT_S: u32 = 7200;

/// How long the body of a request is received that is refused once its token is verified.
const AUTHENTICATED_BODY: Duration = Duration::from_secs(5);

/// How long a request counts at most, in milliseconds.
const REQUEST_MS: f64 = 60_000.0;
/// How long a relayed upload counts at most, in milliseconds.
const UPLOAD_MS: f64 = 60.0 * 60_000.0;

/// Requests at once from one network, as a multiple of a subject's.
const NETWORK_REQUESTS: usize = 5;

/// Subjects that one address may send requests for: offices and mobile networks share one.
const SUBJECTS_PER_ADDRESS: u32 = 20;

/// The gateway of an isolate.
pub struct Gateway {
    upstream: Rc<Upstream>,
    verifier: Verifier,
    /// The key of anonymous tokens.
    anonymous_key: Option<Secret>,
    /// Names subjects in the log.
    log_key: Secret,
    /// Per subject, and for anonymous sessions per network.
    shedder: Shedder,
    /// Per network, before a token is verified.
    networks: Shedder,
    /// Requests that are being answered, by subject.
    in_flight: InFlight,
    /// The same by network.
    networks_in_flight: InFlight,
    /// Tasks whose end this isolate has reported to their ledger.
    freed: Recent,
    known_durations: DurationsCache,
}

thread_local! {
    /// One gateway for the life of the isolate: its settings don't change within it.
    static SHARED: OnceCell<Result<Rc<Gateway>, SettingsError>> = const { OnceCell::new() };
}

impl Gateway {
    /// The gateway of this isolate, with the settings of the Worker's environment.
    ///
    /// # Errors
    /// The first setting that is missing or wrong, the bindings of the Durable Objects included.
    pub fn shared(env: &Env) -> Result<Rc<Self>, SettingsError> {
        let make = || Gateway::with_bindings(Upstream::shared(env)?, env).map(Rc::new);
        SHARED.with(|it| it.get_or_init(make).clone())
    }

    /// A gateway with these settings. The Durable Objects read theirs from the Worker's environment.
    pub fn new(settings: Settings) -> Self {
        Gateway::with_upstream(Rc::new(Upstream::new(settings)))
    }

    /// A gateway with the settings of the Worker's environment: variables and secrets.
    ///
    /// # Errors
    /// The first setting that is missing or wrong, the bindings of the Durable Objects included.
    pub fn from_env(env: &Env) -> Result<Self, SettingsError> {
        Gateway::with_bindings(Rc::new(Upstream::new(Settings::from_env(env)?)), env)
    }

    /// A gateway whose environment has the Durable Objects.
    fn with_bindings(upstream: Rc<Upstream>, env: &Env) -> Result<Self, SettingsError> {
        // Without durations, tasks are polled as if nothing were known; but a ceiling needs its object.
        let has_ceiling = upstream.settings.upstream_polls_per_second > 0.0;
        let needed = [
            (LEDGER_BINDING, "Ledger", true),
            (WATCHER_BINDING, "Watcher", true),
        ];
        // Without hosts, nothing is moved.
        let settings = &upstream.settings;
        let has_transfers = settings.results.is_some()
            || !settings.output_hosts.is_empty()
            || !settings.input_hosts.is_empty();
        let optional = [
            (DURATIONS_BINDING, "Durations", has_ceiling),
            (TRANSFER_BINDING, "Transfer", has_transfers),
        ];
        let needed = needed.into_iter().chain(optional);
        for (setting, class, is_needed) in needed {
            if is_needed && env.durable_object(setting).is_err() {
                let problem = format!(
                    "is no binding to the Durable Object class {class}; take the one of wrangler.toml"
                );
                return Err(SettingsError { setting, problem });
            }
        }
        Ok(Gateway::with_upstream(upstream))
    }

    fn with_upstream(upstream: Rc<Upstream>) -> Self {
        let settings = &upstream.settings;
        let anonymous = AnonymousIssuer::keys(&settings.seal_secrets);
        let log_key = settings
            .seal_secrets
            .first()
            .map(|it| hash(&["mediagate log", it.expose()]));
        let per_minute = settings.rate_limit_per_minute;
        Gateway {
            anonymous_key: anonymous.first().cloned(),
            verifier: Verifier::new(settings, anonymous),
            log_key: Secret::new(log_key.unwrap_or_default()),
            shedder: Shedder::new(per_minute),
            networks: Shedder::new(per_minute.saturating_mul(SUBJECTS_PER_ADDRESS)),
            in_flight: InFlight::new(settings.requests_at_once),
            networks_in_flight: InFlight::new(settings.requests_at_once * NETWORK_REQUESTS),
            freed: Recent::default(),
            known_durations: DurationsCache::default(),
            upstream,
        }
    }

    /// Responds to a request. `env` has the Worker's bindings: the Durable Objects, and `ASSETS`, the playground's files.
    ///
    /// # Errors
    /// Only those of the platform itself.
    pub async fn handle(&self, request: Request, env: &Env) -> Result<Response, JsValue> {
        self.respond(request, env, None).await
    }

    /// Responds to a request of a caller that the embedding Worker has authenticated itself: no token is read. Origins,
    /// scope, ownership, budgets and limits apply as for any other caller.
    ///
    /// # Errors
    /// Only those of the platform itself.
    pub async fn handle_as(
        &self,
        caller: Caller,
        request: Request,
        env: &Env,
    ) -> Result<Response, JsValue> {
        self.respond(request, env, Some(caller)).await
    }

    async fn respond(
        &self,
        request: Request,
        env: &Env,
        authenticated: Option<Caller>,
    ) -> Result<Response, JsValue> {
        let settings = &self.upstream.settings;
        let exchange = Exchange::new(request);
        let origin = exchange.incoming.origin.as_deref();
        let is_allowed = origin.is_none_or(|it| is_listed(&settings.allowed_origins, it));
        if exchange.incoming.method == "OPTIONS" {
            let seconds = if is_allowed { PREFLIGHT_S } else { 0 };
            exchange.incoming.discard(UNAUTHENTICATED_BODY).await;
            return exchange.pass(cors::preflight(&exchange.incoming, seconds)?, "preflight");
        }
        if let Some(origin) = origin.filter(|_| !is_allowed) {
            exchange.incoming.discard(UNAUTHENTICATED_BODY).await;
            return exchange.finish(Err(origin_not_allowed(origin)), "-", None);
        }
        let route = route(&exchange.incoming.method, &exchange.incoming.path);
        let name = route.as_ref().map_or("-", Route::name);
        if let Ok(Route::Asset) = route {
            return match playground::file(settings, &exchange.incoming.raw, env).await? {
                Some(file) => exchange.pass(file, name),
                None => exchange.finish(Err(Refusal::from(Reason::UnknownPath)), name, None),
            };
        }
        // Until the body of a refused request is dropped, too.
        let of_network =
            self.begin_for_network(&exchange, route.as_ref().map_or(REQUEST_MS, lasts_ms));
        let (reply, fingerprint) = match (route, &of_network) {
            (Ok(route), Ok(_)) => self.reply(&exchange, route, env, authenticated).await,
            (Ok(route), Err(_)) if is_create(&route) => (
                Err(Refusal::too_many_at_once().of_create(Outcome::NotSent)),
                None,
            ),
            (Ok(_), Err(_)) => (Err(Refusal::too_many_at_once()), None),
            (Err(refusal), _) => (Err(refusal), None),
        };
        // A session's request has no body that anything reads.
        if reply.is_err() || name == Route::Session.name() {
            let limit = if fingerprint.is_some() {
                AUTHENTICATED_BODY
            } else {
                UNAUTHENTICATED_BODY
            };
            exchange.incoming.discard(limit).await;
        }
        let reply = match exchange.incoming.path.as_str() {
            MCP_PATH => reply.map_err(|it| mcp::challenge(&settings.mcp, it)),
            _ => reply,
        };
        exchange.finish(reply, name, fingerprint)
    }

    /// The reply, and the fingerprint of the caller's subject for the log.
    async fn reply(
        &self,
        exchange: &Exchange,
        route: Route<'_>,
        env: &Env,
        authenticated: Option<Caller>,
    ) -> (Result<Reply, Refusal>, Option<String>) {
        match route {
            Route::Health => {
                return (
                    Ok(Reply::bare_json(json!({"status": "ok"}).to_string())),
                    None,
                );
            }
            Route::Document => return (Ok(document(&exchange.incoming)), None),
            Route::Session => return (self.session_issuer().open(&exchange.incoming).await, None),
            Route::ProtectedResource(_) => {
                return (mcp::protected_resource(&self.upstream.settings.mcp), None);
            }
            Route::Output(output) => return (self.output(exchange, env, output).await, None),
            Route::Result(result) => return (self.result(exchange, env, result).await, None),
            _ => {}
        }
        // A create, or a pipeline, that is refused here was not sent, and the refusal says so.
        let is_create = is_create(&route);
        let not_sent = |refusal: Refusal| {
            if is_create {
                refusal.of_create(Outcome::NotSent)
            } else {
                refusal
            }
        };
        let caller = match self.admit(exchange, &route, authenticated).await {
            Ok(caller) => caller,
            Err(refusal) => return (Err(not_sent(refusal)), None),
        };
        let fingerprint = caller.subject.fingerprint(&self.log_key);
        let reply = match self.begin_for_subject(&fingerprint, exchange.started, lasts_ms(&route)) {
            Ok(_answering) => self.run(exchange, route, &caller, &fingerprint, env).await,
            Err(refusal) => Err(not_sent(refusal)),
        };
        (reply, Some(fingerprint))
    }

    /// Counts a request that is being answered for its network, if the platform reports an address.
    fn begin_for_network(
        &self,
        exchange: &Exchange,
        lasts_ms: f64,
    ) -> Result<Option<Answering>, Refusal> {
        let network = exchange.incoming.network();
        if network.is_empty() {
            return Ok(None);
        }
        let answering = self
            .networks_in_flight
            .begin(&network, exchange.started, lasts_ms);
        answering.map(Some).ok_or_else(Refusal::too_many_at_once)
    }

    /// Counts a request that is being answered for its subject, and against the subject's rate.
    fn begin_for_subject(
        &self,
        fingerprint: &str,
        now: f64,
        lasts_ms: f64,
    ) -> Result<Answering, Refusal> {
        self.shedder
            .take(fingerprint, now)
            .map_err(Refusal::too_many)?;
        self.in_flight
            .begin(fingerprint, now, lasts_ms)
            .ok_or_else(Refusal::too_many_at_once)
    }

    /// The caller, unless too many requests arrive from their address.
    async fn admit(
        &self,
        exchange: &Exchange,
        route: &Route<'_>,
        authenticated: Option<Caller>,
    ) -> Result<Caller, Refusal> {
        self.take_of_network(exchange)?;
        match authenticated {
            Some(caller) => Ok(caller),
            None => {
                self.authenticate(&exchange.incoming, route.accepts_agent_tokens())
                    .await
            }
        }
    }

    /// Serves an output that the upstream sent as text. The sealed URL authorises the request, so there is no token.
    async fn output(&self, exchange: &Exchange, env: &Env, output: &str) -> Result<Reply, Refusal> {
        let _answering = self.begin_for_url(exchange, output)?;
        // The reference has the owner, so that the client needs no subject.
        let subject = Subject::default();
        let client = self.upstream.client(&subject, "", &exchange.upstream_ms);
        operations::output(env, client, output).await
    }

    /// Leads to a result that is kept. The sealed address authorises the request.
    async fn result(&self, exchange: &Exchange, env: &Env, result: &str) -> Result<Reply, Refusal> {
        let settings = &self.upstream.settings;
        let own = settings.public_origin(&exchange.incoming.base_url);
        if settings
            .results
            .as_ref()
            .is_some_and(|results| results.is_origin_of(&own))
        {
            let problem = "the bucket has the gateway's own origin; give it a host of its own";
            return Err(Refusal::misconfigured(
                "RESULTS_BUCKET_URL",
                problem.to_owned(),
            ));
        }
        let _answering = self.begin_for_url(exchange, result)?;
        let subject = Subject::default();
        let client = self.upstream.client(&subject, &own, &exchange.upstream_ms);
        let is_inline = exchange.incoming.parameter("inline").is_some();
        operations::result(env, client, result, is_inline).await
    }

    /// Counts a request whose URL authorises it: without a token there is no subject, so the load
    /// is limited per network and per URL.
    fn begin_for_url(&self, exchange: &Exchange, sealed: &str) -> Result<Answering, Refusal> {
        self.take_of_network(exchange)?;
        let name = hash(&["output", sealed]);
        self.begin_for_subject(&name, exchange.started, REQUEST_MS)
    }

    /// Counts a request against the rate of its network, if the platform reports an address.
    fn take_of_network(&self, exchange: &Exchange) -> Result<(), Refusal> {
        let network = exchange.incoming.network();
        if network.is_empty() {
            return Ok(());
        }
        self.networks
            .take(&network, exchange.started)
            .map_err(Refusal::too_many)
    }

    /// The caller that the request's token names.
    async fn authenticate(
        &self,
        incoming: &Incoming,
        is_for_agents: bool,
    ) -> Result<Caller, Refusal> {
        let token = incoming
            .bearer()
            .ok_or_else(|| Refusal::from(Reason::NoToken))?;
        let now = now_ms() / 1000.0;
        match is_for_agents {
            true => self.verifier.agent(&token, now).await,
            false => self.verifier.caller(&token, now).await,
        }
    }

    async fn run(
        &self,
        exchange: &Exchange,
        route: Route<'_>,
        caller: &Caller,
        fingerprint: &str,
        env: &Env,
    ) -> Result<Reply, Refusal> {
        let Exchange {
            incoming,
            upstream_ms,
            ..
        } = exchange;
        let context = RequestContext {
            upstream: &self.upstream,
            incoming,
            public_url: self.upstream.settings.public_origin(&incoming.base_url),
            caller,
            env,
            upstream_ms,
            shedder: &self.shedder,
            fingerprint,
            freed: &self.freed,
            known_durations: &self.known_durations,
        };
        match route {
            Route::Create(capability) => operations::create(&context, capability).await,
            Route::Status(group, id) => operations::status(&context, group, id).await,
            Route::UploadUrl => operations::upload_url(&context).await,
            Route::Upload(ticket) => operations::relay(&context, ticket).await,
            Route::Events(id) => operations::events(&context, id).await,
            Route::Files => operations::move_file(&context).await,
            Route::Tasks => operations::tasks(&context).await,
            Route::Forget(id) => operations::forget(&context, id).await,
            Route::Pipelines => operations::start_pipeline(&context).await,
            Route::Pipeline(id) => operations::pipeline(&context, id).await,
            Route::PipelineEvents(id) => operations::pipeline_events(&context, id).await,
            Route::ResumePipeline(id) => operations::resume_pipeline(&context, id).await,
            Route::CancelPipeline(id) => operations::cancel_pipeline(&context, id).await,
            Route::ForgetPipeline(id) => operations::forget_pipeline(&context, id).await,
            Route::Models => operations::models(&context).await,
            Route::Estimate => operations::estimate(&context).await,
            Route::Mcp => mcp::serve(&context).await,
            Route::Health
            | Route::Document
            | Route::Session
            | Route::ProtectedResource(_)
            | Route::Output(_)
            | Route::Result(_)
            | Route::Asset => Err(Refusal::from(Reason::UnknownPath)),
        }
    }

    fn session_issuer(&self) -> SessionIssuer<'_> {
        let (settings, key) = (&self.upstream.settings, self.anonymous_key.as_ref());
        SessionIssuer {
            settings,
            verifier: &self.verifier,
            key,
            shedder: &self.shedder,
        }
    }
}

/// Whether a route creates something that may be charged, so that its refusals say what was sent.
fn is_create(route: &Route<'_>) -> bool {
    matches!(route, Route::Create(_) | Route::Pipelines)
}

/// How long a request counts as one that is being answered, in milliseconds, if its end is not seen.
fn lasts_ms(route: &Route<'_>) -> f64 {
    match route {
        Route::Upload(_) => UPLOAD_MS,
        _ => REQUEST_MS,
    }
}

/// Refuses a page, and names its origin as the browser sent it. The list of origins may have it in
/// another spelling.
fn origin_not_allowed(origin: &str) -> Refusal {
    let origin: String = origin.chars().take(MAX_LOGGED_LEN).collect();
    let remedy = match origin.as_str() {
        "null" => "open the page over http, not as a file or in a sandboxed frame",
        _ => "its operator lists origins in ALLOWED_ORIGINS",
    };
    let message = format!("the origin {origin} may not call this gateway; {remedy}");
    Refusal::new(Reason::OriginNotAllowed, message)
}
