//! The gateway inside your own Worker, with your own authentication instead of session tokens.
//!
//! This app is behind an access proxy. The proxy sends the user's name in a header, and also a
//! secret that it shares with the Worker. Replace it with your own authentication. The crate
//! contains the Durable Objects: bind them as in `wrangler.toml`.

use mediagate_worker::identity::{Assets, Budget, Caller, Scope, Subject, ValueLimits};
use mediagate_worker::{Gateway, panics, refuse_all};
use web_sys::{Request, Response, ResponseInit};
use worker::{Context, Env, Url, event};

#[event(start)]
fn start() {
    panics::log_locations_only();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    let url = Url::parse(&request.url())?;
    if !url.path().starts_with("/api/app/v1/") {
        return respond(200, "the app's own pages");
    }
    let Some(user) = signed_in(&request, &env) else {
        return respond(401, "sign in first");
    };
    match Gateway::shared(&env) {
        Ok(gateway) => Ok(gateway.handle_as(caller(user), request, &env).await?),
        Err(error) => Ok(refuse_all(request, &error).await?),
    }
}

/// Returns the user that the proxy names, or `None` if the request does not come from the proxy or
/// names no user.
fn signed_in(request: &Request, env: &Env) -> Option<String> {
    let header = |name: &str| request.headers().get(name).ok().flatten();
    // An empty secret would let everyone pass as the proxy.
    let secret = env
        .secret("PROXY_SECRET")
        .ok()
        .map(|secret| secret.to_string())
        .filter(|secret| !secret.is_empty())?;
    let is_proxy =
        header("x-proxy-secret").is_some_and(|given| equal(given.as_bytes(), secret.as_bytes()));
    header("x-user").filter(|user| is_proxy && !user.is_empty())
}

/// Compares strings of equal length in constant time, so that the time does not reveal the secret.
fn equal(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Returns the permissions of a signed-in user: generation and uploads, with twenty creates a day
/// of at most ten seconds each.
fn caller(user: String) -> Caller {
    Caller {
        subject: Subject {
            source: "my-app".into(),
            issuer: String::new(),
            name: user,
        },
        scope: Scope::new("generate:* upload"),
        budget: Budget {
            creates: Some(20),
            ..Budget::default()
        },
        limits: ValueLimits {
            max_seconds: Some(10),
            ..ValueLimits::default()
        },
        assets: Assets::default(),
        watch: false,
        until: f64::INFINITY,
        issued_at: None,
        token_id: None,
    }
}

fn respond(status: u16, text: &str) -> worker::Result<Response> {
    let init = ResponseInit::new();
    init.set_status(status);
    Ok(Response::new_with_opt_str_and_init(Some(text), &init)?)
}
