//! The gateway inside your own Worker, with your own authentication instead of session tokens.
//!
//! This app is behind an access proxy, which names the user in a header and sends a secret that only it and the Worker
//! know. Replace it with your own authentication. The Durable Objects come with the crate: bind them as in
//! `wrangler.toml`.

use mediagate_worker::identity::{Assets, Budget, Caller, Scope, Subject};
use mediagate_worker::{Gateway, panics, refuse_all};
use web_sys::{Request, Response, ResponseInit};
use worker::{Context, Env, event};

#[event(start)]
fn start() {
    panics::log_locations_only();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    if !web_sys::Url::new(&request.url())?
        .pathname()
        .starts_with("/api/app/v1/")
    {
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

/// The user that the proxy names; `None` if the request is not the proxy's or names no user.
fn signed_in(request: &Request, env: &Env) -> Option<String> {
    let header = |name: &str| request.headers().get(name).ok().flatten();
    // With an empty secret everyone would be the proxy.
    let secret = env
        .secret("PROXY_SECRET")
        .ok()
        .map(|secret| secret.to_string())
        .filter(|secret| !secret.is_empty())?;
    let is_proxy =
        header("x-proxy-secret").is_some_and(|given| equal(given.as_bytes(), secret.as_bytes()));
    header("x-user").filter(|user| is_proxy && !user.is_empty())
}

/// Compares in constant time for strings of the same length.
fn equal(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// The permissions of every signed-in user: generation and uploads, with twenty creates a day.
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
