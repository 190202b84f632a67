//! A gateway that panics if a header of the request asks for it.

use mediagate_worker::{Gateway, panics, refuse_all};
use web_sys::{Request, Response};
use worker::{Context, Env, event};

#[event(start)]
fn start() {
    panics::log_locations_only();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    panic_on_request(&request, &env).await;
    let response = match Gateway::shared(&env) {
        Ok(gateway) => gateway.handle(request, &env).await,
        Err(error) => refuse_all(request, &error).await,
    };
    response.map_err(worker::Error::from)
}

/// Panics with a message that has the API key, which must be in no log and no response. The header
/// `x-panic: late` delays the panic until after the first turn of the event loop.
#[expect(clippy::panic, reason = "the test requests it")]
async fn panic_on_request(request: &Request, env: &Env) {
    match request.headers().get("x-panic").ok().flatten().as_deref() {
        Some("late") => worker::Delay::from(std::time::Duration::from_millis(1)).await,
        Some(_) => {}
        None => return,
    }
    let key = env
        .var("UPSTREAM_API_KEY")
        .map(|key| key.to_string())
        .unwrap_or_default();
    panic!("forced, with {key}");
}
