//! The Worker's entry points.

use web_sys::{Request, Response};
use worker::{Context, Env, event};

use crate::{Gateway, panics, refuse_all};

#[event(start)]
fn start() {
    panics::log_locations_only();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    #[cfg(feature = "forced-panic")]
    forced_panic::panic_on_request(&request, &env).await;
    let response = match Gateway::shared(&env) {
        Ok(gateway) => gateway.handle(request, &env).await,
        Err(error) => refuse_all(request, &error).await,
    };
    response.map_err(worker::Error::from)
}

/// Panics if a header of the request asks for it. The message has the API key, which must be in no
/// log and no response.
#[cfg(feature = "forced-panic")]
mod forced_panic {
    use super::{Env, Request};

    #[expect(clippy::panic, reason = "the test requests it")]
    pub(super) async fn panic_on_request(request: &Request, env: &Env) {
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
}
