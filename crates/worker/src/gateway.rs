//! The gateway itself: one request in, one answer out.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::time::Duration;

use js_sys::Reflect;
use mediagate_core::Outcome;
use serde_json::json;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};
use worker::Env;

use crate::exchange::Exchange;
use crate::http::Incoming;
use crate::ledger::{self, Desk};
use crate::load::{Breaker, Recent, Shedder};
use crate::operations::{self, Call, Service};
use crate::platform::now_ms;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::routes::{Route, route};
use crate::seal::Sealer;
use crate::secret::Secret;
use crate::session::{Anonymous, Caller, Subject, Verifier};
use crate::settings::{Settings, SettingsError};
use crate::upstream::Upstream;
use crate::{cors, mcp, session, watch};

/// Subjects that one address may stand for: offices and mobile networks put many people behind one.
const BEHIND_ONE_ADDRESS: u32 = 20;

/// The parts that the settings make, once in the life of an isolate.
pub struct Gateway {
    pub(crate) settings: Settings,
    pub(crate) sealer: Sealer,
    pub(crate) verifier: Verifier,
    pub(crate) anonymous_key: Option<Secret>,
    pub(crate) upstream: Upstream,
    pub(crate) breaker: Breaker,
    /// Names subjects in the log.
    log_key: Secret,
    /// By subject, and for anonymous sessions by address.
    pub(crate) shedder: Shedder,
    /// Tasks that were seen to end.
    pub(crate) freed: Recent,
    /// By address, before any token is looked at.
    addresses: Shedder,
}

thread_local! {
    /// One gateway for the life of the isolate: its settings don't change within it.
    static SHARED: OnceCell<Result<Rc<Gateway>, SettingsError>> = const { OnceCell::new() };
}

impl Gateway {
    /// The gateway of this isolate, with the settings of the Worker's environment.
    ///
    /// # Errors
    /// The first setting that is missing or wrong.
    pub fn shared(env: &Env) -> Result<Rc<Self>, SettingsError> {
        SHARED.with(|it| it.get_or_init(|| Gateway::from_env(env).map(Rc::new)).clone())
    }

    /// A gateway with these settings.
    pub fn new(settings: Settings) -> Self {
        let anonymous = Anonymous::keys(&settings.seal_secrets);
        Gateway {
            sealer: Sealer::new(&settings.seal_secrets, settings.tenant.clone()),
            anonymous_key: anonymous.first().cloned(),
            log_key: Secret::new(
                settings
                    .seal_secrets
                    .iter()
                    .take(1)
                    .map(|it| session::hash(&["mediagate log", it.expose()]))
                    .collect::<String>(),
            ),
            verifier: Verifier::new(&settings, anonymous),
            upstream: Upstream::new(&settings),
            breaker: Breaker::new(settings.breaker_failures),
            shedder: Shedder::new(settings.rate_limit_per_minute),
            freed: Recent::default(),
            addresses: Shedder::new(settings.rate_limit_per_minute.saturating_mul(BEHIND_ONE_ADDRESS)),
            settings,
        }
    }

    /// A gateway with the settings of the Worker's environment: variables and secrets.
    ///
    /// # Errors
    /// The first setting that is missing or wrong, the binding of the ledgers among them.
    pub fn from_env(env: &Env) -> Result<Self, SettingsError> {
        let settings = read(env)?;
        for (setting, class) in [(ledger::BINDING, "Ledger"), (watch::BINDING, "Watcher")] {
            if env.durable_object(setting).is_err() {
                let problem =
                    format!("is no binding to the Durable Object class {class}; take the one of wrangler.toml");
                return Err(SettingsError { setting, problem });
            }
        }
        Ok(Gateway::new(settings))
    }

    pub(crate) fn desk<'a>(&'a self, env: &'a Env) -> Desk<'a> {
        let timeout = Duration::from_millis(self.settings.upstream_timeout_ms.into());
        Desk::new(env, &self.settings.tenant, timeout)
    }

    pub(crate) fn service<'a>(&'a self, subject: &'a Subject, upstream_ms: &'a Cell<f64>) -> Service<'a> {
        Service { gateway: self, subject, upstream_ms, group: None }
    }

    /// Answers a request; only the platform itself can fail. `env` lends the Worker's bindings: the ledgers, and `ASSETS`,
    /// the playground's files.
    ///
    /// # Errors
    /// The platform's own.
    pub async fn handle(&self, request: Request, env: &Env) -> Result<Response, JsValue> {
        self.respond(request, env, None).await
    }

    /// Answers a request of a caller whom the Worker that embeds this gateway has let in itself: no token is looked at.
    /// Origins, scope, ownership, budgets and limits hold as for any other caller.
    ///
    /// # Errors
    /// The platform's own.
    pub async fn handle_as(&self, caller: Caller, request: Request, env: &Env) -> Result<Response, JsValue> {
        self.respond(request, env, Some(caller)).await
    }

    async fn respond(&self, request: Request, env: &Env, known: Option<Caller>) -> Result<Response, JsValue> {
        let exchange = Exchange::new(request);
        let origin = exchange.incoming.page.as_deref();
        let listed = |origin: &str| self.settings.allowed_origins.iter().any(|it| it == origin);
        if !origin.is_none_or(listed) {
            let message = "this origin may not call the gateway; its operator lists origins in ALLOWED_ORIGINS";
            exchange.incoming.drain(self.settings.max_body_bytes).await;
            return exchange.finish(Err(Refusal::forbidden("origin_not_allowed", message)), "-", None, None);
        }
        if exchange.incoming.method == "OPTIONS" {
            return exchange.pass(cors::preflight(origin)?, "preflight");
        }
        let route = route(&exchange.incoming.method, &exchange.incoming.path);
        let name = route.as_ref().map_or("-", Route::name);
        if let Ok(Route::Asset) = route {
            let found = operations::asset(&self.settings, &exchange.incoming.raw, env).await?;
            return match found {
                Some(response) => exchange.pass(response, name),
                None => exchange.finish(Err(Refusal::no_such_path()), name, origin, None),
            };
        }
        let (reply, subject) = match route {
            Ok(route) => self.answer(&exchange, route, env, known).await,
            Err(refusal) => (Err(refusal), None),
        };
        if reply.is_err() {
            exchange.incoming.drain(self.settings.max_body_bytes).await;
        }
        let reply = match exchange.incoming.path.as_str() {
            mcp::PATH => reply.map_err(|it| mcp::challenge(&self.settings.mcp, it)),
            _ => reply,
        };
        exchange.finish(reply, name, origin, subject)
    }

    /// The answer, and the name of its caller in the log.
    async fn answer(
        &self,
        exchange: &Exchange,
        route: Route<'_>,
        env: &Env,
        known: Option<Caller>,
    ) -> (Result<Reply, Refusal>, Option<String>) {
        match route {
            Route::Health => return (Ok(Reply::plain(json!({"status": "ok"}).to_string())), None),
            Route::Document => return (Ok(operations::document(&exchange.incoming)), None),
            Route::Session => return (operations::session(self, &exchange.incoming).await, None),
            Route::ProtectedResource(_) => return (mcp::protected_resource(&self.settings.mcp), None),
            _ => {}
        }
        // A create that comes no further than this has charged nothing, and says so.
        let creates = matches!(route, Route::Create(_));
        let unsent = |it: Refusal| if creates { it.of_create(Outcome::NotSent) } else { it };
        let caller = match self.admit(exchange, &route, known).await {
            Ok(caller) => caller,
            Err(refusal) => return (Err(unsent(refusal)), None),
        };
        let subject = session::fingerprint(&self.log_key, &caller.subject);
        let reply = match self.shedder.take(&subject, exchange.started) {
            Ok(()) => self.serve(exchange, route, &caller, env).await,
            Err(wait) => Err(unsent(Refusal::too_many(wait))),
        };
        (reply, Some(subject))
    }

    /// Who is calling, unless too much comes from where they are.
    async fn admit(&self, exchange: &Exchange, route: &Route<'_>, known: Option<Caller>) -> Result<Caller, Refusal> {
        let address = exchange.incoming.address();
        if !address.is_empty() {
            self.addresses.take(&address, exchange.started).map_err(Refusal::too_many)?;
        }
        match known {
            Some(caller) => Ok(caller),
            None => self.caller(&exchange.incoming, route.is_for_agents()).await,
        }
    }

    async fn serve(&self, exchange: &Exchange, route: Route<'_>, caller: &Caller, env: &Env) -> Result<Reply, Refusal> {
        let mut service = self.service(&caller.subject, &exchange.upstream_ms);
        service.group = route.group();
        let call = Call { service, incoming: &exchange.incoming, caller, env };
        match route {
            Route::Create(capability) => operations::create(&call, capability).await,
            Route::Status(group, id) => operations::status(&call, group, id).await,
            Route::UploadUrl => operations::upload_url(&call).await,
            Route::Upload(ticket) => operations::relay(&call, ticket).await,
            Route::Events(id) => operations::events(&call, id).await,
            Route::Models => operations::models(&call).await,
            Route::Estimate => operations::estimate(&call).await,
            Route::Mcp => mcp::serve(&call).await,
            Route::Health | Route::Document | Route::Session | Route::ProtectedResource(_) | Route::Asset => {
                Err(Refusal::no_such_path())
            }
        }
    }

    async fn caller(&self, incoming: &Incoming, agents: bool) -> Result<Caller, Refusal> {
        let token = incoming.bearer().ok_or_else(|| {
            Refusal::unauthenticated("no_token", "send a session token as `Authorization: Bearer <token>`")
        })?;
        let now = now_ms() / 1000.0;
        if agents { self.verifier.agent(&token, now).await } else { self.verifier.caller(&token, now).await }
    }
}

/// The settings among the bindings. A binding that is there and is no text was meant for one: it is not passed over.
fn read(env: &Env) -> Result<Settings, SettingsError> {
    let odd = Cell::new(None);
    let settings = Settings::read(|name| {
        let value = Reflect::get(env, &name.into()).unwrap_or_default();
        if !value.is_undefined() && !value.is_string() {
            odd.set(Some(name));
        }
        value.as_string()
    });
    match odd.get() {
        Some(setting) => Err(SettingsError { setting, problem: "is no text; put its value in quotes".to_owned() }),
        None => settings,
    }
}
