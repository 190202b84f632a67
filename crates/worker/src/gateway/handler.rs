//! The gateway, which turns a request into a response.

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use mediagate_access::crypto::{Secret, hash};
use mediagate_access::identity::Caller;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Outcome, Reason};
use mediagate_messages::durations::DurationsMessage;
use mediagate_messages::ledger::LedgerMessage;
use mediagate_messages::transfer::TransferMessage;
use mediagate_messages::watcher::WatcherMessage;
use mediagate_messages::{DurationsCache, Message};
use mediagate_platform::{Memo, now_ms};
use mediagate_routes::{Route, route};
use mediagate_settings::origins::is_listed;
use mediagate_settings::{MCP_PATH, Settings, SettingsError};
use mediagate_upstream_client::Upstream;
use serde_json::json;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};
use worker::Env;

use super::document::{Served, document};
use super::response::{MAX_LOGGED_LEN, UNAUTHENTICATED_BODY, finish, pass};
use super::{cors, playground};
use crate::auth::{AnonymousIssuer, Verifier};
use crate::incoming::Incoming;
use crate::load::{Answering, InFlight, Shedder};
use crate::mcp;
use crate::operations::{self, RequestContext};
use crate::reply::Reply;

/// The time that a browser may remember the response to a preflight.
const PREFLIGHT_S: u32 = 7200;

/// The time for receiving the body of a request that is refused after its token was verified.
const AUTHENTICATED_BODY: Duration = Duration::from_secs(5);

/// The longest time that a request counts. A create may count for longer.
const REQUEST_MS: f64 = 60_000.0;
/// The time that a create may take in addition to the request to the upstream.
const CREATE_GRACE_MS: f64 = 20_000.0;
/// The longest time that a relayed upload counts.
const UPLOAD_MS: f64 = 60.0 * 60_000.0;

/// The requests at once from one network, as a multiple of a subject's.
const NETWORK_REQUESTS: usize = 5;

/// The number of subjects behind one address: offices and mobile networks share an address.
const SUBJECTS_PER_ADDRESS: u32 = 20;

/// The most tasks that an isolate remembers as ended.
const MAX_FREED: usize = 10_000;

/// The gateway of an isolate.
pub struct Gateway {
    pub(super) upstream: Rc<Upstream>,
    pub(super) verifier: Verifier,
    pub(super) anonymous_key: Option<Secret>,
    log_key: Secret,
    /// Limits requests per subject, and anonymous sessions per network.
    pub(super) shedder: Shedder,
    /// Limits requests per network, before a token is verified.
    networks: Shedder,
    in_flight: InFlight,
    networks_in_flight: InFlight,
    /// Tasks whose end this isolate has reported to their ledger.
    freed: Memo<String, ()>,
    known_durations: DurationsCache,
    /// The OpenAPI document, which is made at the first request for it.
    document: OnceCell<Served>,
}

thread_local! {
    /// Lives as long as the isolate, because the settings do not change within it.
    static SHARED: OnceCell<Result<Rc<Gateway>, SettingsError>> = const { OnceCell::new() };
}

impl Gateway {
    /// Returns the gateway of this isolate. The error is the first setting, or the first binding of
    /// a Durable Object, that is missing or wrong.
    pub fn shared(env: &Env) -> Result<Rc<Self>, SettingsError> {
        let make = || Gateway::with_bindings(Upstream::try_shared(env)?, env).map(Rc::new);
        SHARED.with(|shared| shared.get_or_init(make).clone())
    }

    /// Makes a gateway for an upstream that is a server. The Durable Objects read their settings
    /// from the Worker's environment.
    pub fn new(settings: Settings) -> Self {
        Gateway::with_upstream(Rc::new(Upstream::new(settings)))
    }

    /// Makes a gateway with the Worker's variables and secrets. Fails as [`Gateway::shared`] does.
    pub fn from_env(env: &Env) -> Result<Self, SettingsError> {
        Gateway::with_bindings(Rc::new(Upstream::from_env(env)?), env)
    }

    fn with_bindings(upstream: Rc<Upstream>, env: &Env) -> Result<Self, SettingsError> {
        let settings = &upstream.settings;
        // Durations are only a help: without them, tasks are polled by the default schedule. But
        // the object also holds polls to a rate.
        let has_ceiling = settings.upstream_polls_per_second > 0.0;
        // Without hosts and without a bucket, nothing is moved.
        let has_transfers = settings.results.is_some()
            || settings.moves_outputs()
            || !settings.input_hosts.is_empty();
        for (setting, class, is_needed) in [
            (LedgerMessage::BINDING, "Ledger", true),
            (WatcherMessage::BINDING, "Watcher", true),
            (DurationsMessage::BINDING, "Durations", has_ceiling),
            (TransferMessage::BINDING, "Transfer", has_transfers),
        ] {
            if is_needed && env.durable_object(setting).is_err() {
                let problem = format!(
                    "is not a binding to the Durable Object class {class}; take the one of \
                     wrangler.toml"
                );
                return Err(SettingsError { setting, problem });
            }
        }
        Ok(Gateway::with_upstream(upstream))
    }

    fn with_upstream(upstream: Rc<Upstream>) -> Self {
        let settings = &upstream.settings;
        let anonymous = AnonymousIssuer::keys(&settings.seal_secrets);
        let log_key = hash(&["mediagate log", settings.log_secret.expose()]);
        let per_minute = settings.rate_limit_per_minute;
        Gateway {
            anonymous_key: anonymous.first().cloned(),
            verifier: Verifier::new(settings, anonymous),
            log_key: Secret::new(log_key),
            shedder: Shedder::new(per_minute),
            networks: Shedder::new(per_minute.saturating_mul(SUBJECTS_PER_ADDRESS)),
            in_flight: InFlight::new(settings.requests_at_once),
            networks_in_flight: InFlight::new(settings.requests_at_once * NETWORK_REQUESTS),
            freed: Memo::new(MAX_FREED),
            known_durations: DurationsCache::default(),
            document: OnceCell::new(),
            upstream,
        }
    }

    fn document(&self) -> &Served {
        self.document
            .get_or_init(|| Served::new(&self.upstream.settings.offers))
    }

    /// Responds to a request. `env` has the Worker's bindings: the Durable Objects, and `ASSETS`
    /// with the playground's files. Only the platform itself can fail.
    pub async fn handle(&self, request: Request, env: &Env) -> Result<Response, JsValue> {
        self.respond(request, env, None).await
    }

    /// Responds to a request of a caller whom the embedding Worker has authenticated itself. No
    /// token is read. Origins, scope, ownership, budgets and limits apply as for any other caller.
    /// Only the platform itself can fail.
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
        let incoming = Incoming::new(request);
        let origin = incoming.origin.as_deref();
        let is_allowed = origin.is_none_or(|origin| is_listed(&settings.allowed_origins, origin));
        if incoming.method == "OPTIONS" {
            let seconds = if is_allowed { PREFLIGHT_S } else { 0 };
            incoming.discard(UNAUTHENTICATED_BODY).await;
            return pass(&incoming, cors::preflight(&incoming, seconds)?, "preflight");
        }
        if let Some(origin) = origin.filter(|_| !is_allowed) {
            incoming.discard(UNAUTHENTICATED_BODY).await;
            return finish(&incoming, Err(origin_not_allowed(origin)), "-", None);
        }
        let found = route(&incoming.method, &incoming.path);
        let name = found.as_ref().map_or("-", |(route, _)| route.name());
        let ignores_body = found.as_ref().is_ok_and(|(route, _)| route.ignores_body());
        if let Ok((Route::Asset, _)) = found {
            return match playground::file(settings, &incoming.raw, env).await? {
                Some(file) => pass(&incoming, file, name),
                None => finish(&incoming, Err(Reason::UnknownPath.into()), name, None),
            };
        }
        // A refused request counts until its body is dropped.
        let lasts_ms = found
            .as_ref()
            .map_or(REQUEST_MS, |(route, _)| lasts_ms(*route, settings));
        let of_network = self.begin_for_network(&incoming, lasts_ms);
        let (reply, pseudonym) = match (found, &of_network) {
            (Ok((route, parameter)), Ok(_)) => {
                self.dispatch(&incoming, route, parameter, env, authenticated)
                    .await
            }
            (Ok((route, _)), Err(_)) => {
                (Err(with_not_sent(route, Refusal::too_many_at_once())), None)
            }
            (Err(refusal), _) => (Err(refusal), None),
        };
        if reply.is_err() || ignores_body {
            let limit = if pseudonym.is_some() {
                AUTHENTICATED_BODY
            } else {
                UNAUTHENTICATED_BODY
            };
            incoming.discard(limit).await;
        }
        let reply = match incoming.path.as_str() {
            MCP_PATH => reply.map_err(|refusal| mcp::challenge(&settings.mcp, refusal)),
            _ => reply,
        };
        finish(&incoming, reply, name, pseudonym)
    }

    /// Returns the reply, and the pseudonym of the caller's subject for the log.
    async fn dispatch(
        &self,
        incoming: &Incoming,
        route: Route,
        parameter: &str,
        env: &Env,
        authenticated: Option<Caller>,
    ) -> (Result<Reply, Refusal>, Option<String>) {
        let open = match route {
            Route::Health | Route::Ready => {
                Some(Ok(Reply::bare_json(json!({"status": "ok"}).to_string())))
            }
            Route::Document => Some(Ok(document(self.document(), incoming))),
            Route::Session => Some(self.open_session(incoming).await),
            Route::TokenSource(path) => {
                Some(Ok(mcp::token_source(&self.upstream.settings.mcp, path)))
            }
            Route::Output => Some(self.output(incoming, env, parameter).await),
            Route::Result => Some(self.result(incoming, env, parameter).await),
            _ => None,
        };
        if let Some(reply) = open {
            return (reply, None);
        }
        let caller = match self.authenticate(incoming, route, authenticated).await {
            Ok(caller) => caller,
            Err(refusal) => return (Err(with_not_sent(route, refusal)), None),
        };
        let pseudonym = caller.subject.pseudonym(&self.log_key);
        let reply = match self.count_and_begin(
            &pseudonym,
            incoming.arrived_at,
            lasts_ms(route, &self.upstream.settings),
        ) {
            Ok(_answering) => {
                self.run(incoming, route, parameter, &caller, &pseudonym, env)
                    .await
            }
            Err(refusal) => Err(with_not_sent(route, refusal)),
        };
        (reply, Some(pseudonym))
    }

    /// Counts a request that is being handled for its network, if the platform reports an address.
    fn begin_for_network(
        &self,
        incoming: &Incoming,
        lasts_ms: f64,
    ) -> Result<Option<Answering>, Refusal> {
        let Some(network) = incoming.network() else {
            return Ok(None);
        };
        let answering = self
            .networks_in_flight
            .begin(&network, incoming.arrived_at, lasts_ms);
        answering.map(Some).ok_or_else(Refusal::too_many_at_once)
    }

    fn count_and_begin(&self, name: &str, now: f64, lasts_ms: f64) -> Result<Answering, Refusal> {
        self.shedder.take(name, now).map_err(Refusal::too_many)?;
        self.in_flight
            .begin(name, now, lasts_ms)
            .ok_or_else(Refusal::too_many_at_once)
    }

    /// Counts the rate of the caller's network, then verifies the token.
    async fn authenticate(
        &self,
        incoming: &Incoming,
        route: Route,
        authenticated: Option<Caller>,
    ) -> Result<Caller, Refusal> {
        self.take_of_network(incoming)?;
        if let Some(caller) = authenticated {
            return Ok(caller);
        }
        let token = incoming.bearer();
        let token = token.ok_or_else(|| Refusal::from(Reason::NoToken))?;
        let now = now_ms() / 1000.0;
        if route.accepts_agent_tokens() {
            self.verifier.agent(&token, now).await
        } else {
            self.verifier.caller(&token, now).await
        }
    }

    /// Serves an output that the upstream sent as text. The sealed URL authorises the request, so
    /// there is no token.
    async fn output(&self, incoming: &Incoming, env: &Env, output: &str) -> Result<Reply, Refusal> {
        let _answering = self.begin_for_url(incoming, output)?;
        operations::output(env, &self.upstream, output, incoming).await
    }

    /// Redirects to a result that is kept. The sealed address authorises the request.
    async fn result(&self, incoming: &Incoming, env: &Env, result: &str) -> Result<Reply, Refusal> {
        let settings = &self.upstream.settings;
        let own = settings.public_origin(&incoming.base_url);
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
        let _answering = self.begin_for_url(incoming, result)?;
        operations::result(env, &self.upstream, result, incoming).await
    }

    /// Counts a request whose URL authorises it. Without a token there is no subject, so the load
    /// is limited per network and per URL.
    fn begin_for_url(&self, incoming: &Incoming, sealed: &str) -> Result<Answering, Refusal> {
        self.take_of_network(incoming)?;
        let name = hash(&["output", sealed]);
        self.count_and_begin(&name, incoming.arrived_at, REQUEST_MS)
    }

    /// Counts a request against the rate of its network, if the platform reports an address.
    fn take_of_network(&self, incoming: &Incoming) -> Result<(), Refusal> {
        let Some(network) = incoming.network() else {
            return Ok(());
        };
        self.networks
            .take(&network, incoming.arrived_at)
            .map_err(Refusal::too_many)
    }

    async fn run(
        &self,
        incoming: &Incoming,
        route: Route,
        parameter: &str,
        caller: &Caller,
        pseudonym: &str,
        env: &Env,
    ) -> Result<Reply, Refusal> {
        let context = RequestContext {
            upstream: &self.upstream,
            incoming,
            public_url: self.upstream.settings.public_origin(&incoming.base_url),
            caller,
            env,
            shedder: &self.shedder,
            pseudonym,
            freed: &self.freed,
            known_durations: &self.known_durations,
        };
        let data = match route {
            Route::Create(capability) => return operations::create(&context, capability).await,
            Route::Events => return operations::events(&context, parameter).await,
            Route::PipelineEvents => return operations::pipeline_events(&context, parameter).await,
            Route::Mcp => return mcp::serve(&context).await,
            Route::Status(group) => operations::status(&context, group, parameter).await,
            Route::UploadUrl => operations::upload_url(&context).await,
            Route::Upload => operations::relay(&context, parameter).await,
            Route::Files => operations::move_file(&context).await,
            Route::Tasks => operations::tasks(&context).await,
            Route::Forget => operations::forget(&context, parameter).await,
            Route::Pipelines => operations::start_pipeline(&context).await,
            Route::Pipeline => operations::read_pipeline(&context, parameter).await,
            Route::ResumePipeline => operations::resume_pipeline(&context, parameter).await,
            Route::CancelPipeline => operations::cancel_pipeline(&context, parameter).await,
            Route::ForgetPipeline => operations::forget_pipeline(&context, parameter).await,
            Route::Models => operations::models(&context).await,
            Route::Capabilities => Ok(operations::capabilities(&context).await),
            Route::Estimate => operations::estimate(&context).await,
            Route::Health
            | Route::Ready
            | Route::Document
            | Route::Session
            | Route::TokenSource(_)
            | Route::Output
            | Route::Result
            | Route::Asset => Err(Refusal::from(Reason::UnknownPath)),
        };
        data.map(Reply::ok)
    }
}

/// Returns the refusal of a request for which nothing was sent. For a create or a pipeline, the
/// refusal contains that outcome.
fn with_not_sent(route: Route, refusal: Refusal) -> Refusal {
    match route {
        Route::Create(_) | Route::Pipelines => refusal.of_create(Outcome::NotSent),
        _ => refusal,
    }
}

/// Returns the milliseconds that a request counts if its end is not seen.
fn lasts_ms(route: Route, settings: &Settings) -> f64 {
    match route {
        Route::Upload => UPLOAD_MS,
        Route::Create(_) | Route::Mcp => {
            REQUEST_MS.max(f64::from(settings.upstream_timeout_ms) + CREATE_GRACE_MS)
        }
        _ => REQUEST_MS,
    }
}

/// Refuses a page, and names its origin as the browser sent it. The operator may have listed it in
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
