//! The gateway inside a Worker of one's own, with one's own authentication in place of session tokens.
//!
//! This app is behind an access proxy that names the user in a header and reaches the Worker with a secret that nobody
//! else has. Whatever tells your users apart goes in its place. The ledgers come along with the crate: bind them as
//! `wrangler.toml` beside this does.

use mediagate_worker::identity::{Budget, Caller, Scope, Subject};
use mediagate_worker::{Gateway, panics, refuse_all};
use web_sys::{Request, Response, ResponseInit};
use worker::{Context, Env, event};

#[event(start)]
fn start() {
    panics::log_locations_only();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    if !web_sys::Url::new(&request.url())?.pathname().starts_with("/api/app/v1/") {
        return answer(200, "the app's own pages");
    }
    let Some(user) = signed_in(&request, &env) else {
        return answer(401, "sign in first");
    };
    match Gateway::shared(&env) {
        Ok(gateway) => Ok(gateway.handle_as(caller(user), request, &env).await?),
        Err(error) => Ok(refuse_all(request, &error)?),
    }
}

/// Whom the proxy names, where it is the proxy that asks.
fn signed_in(request: &Request, env: &Env) -> Option<String> {
    let header = |name: &str| request.headers().get(name).ok().flatten();
    let secret = env.secret("PROXY_SECRET").ok()?.to_string();
    let is_proxy = header("x-proxy-secret").is_some_and(|it| equal(it.as_bytes(), secret.as_bytes()));
    header("x-user").filter(|it| is_proxy && !it.is_empty())
}

/// Compares without telling by its time where two texts differ.
fn equal(one: &[u8], two: &[u8]) -> bool {
    one.len() == two.len() && one.iter().zip(two).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// What every signed-in user may do: make videos and upload what they need, twenty times a day.
fn caller(user: String) -> Caller {
    Caller {
        subject: Subject { source: "my-app".into(), issuer: String::new(), name: user },
        scope: Scope::new("generate:* upload"),
        budget: Budget { creates: Some(20), ..Budget::default() },
        watch: false,
        until: f64::INFINITY,
    }
}

fn answer(status: u16, text: &str) -> worker::Result<Response> {
    let init = ResponseInit::new();
    init.set_status(status);
    Ok(Response::new_with_opt_str_and_init(Some(text), &init)?)
}
