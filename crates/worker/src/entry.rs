//! The Worker's entry points.

use web_sys::{Request, Response};
use worker::{Context, Env, event};

use crate::Gateway;
use crate::exchange::refuse_all;
use crate::panics;

#[event(start)]
fn start() {
    panics::log_places_alone();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    #[cfg(feature = "forced-panic")]
    forced_panic::where_asked(&request, &env).await;
    let response = match Gateway::shared(&env) {
        Ok(gateway) => gateway.handle(request, &env).await,
        Err(error) => refuse_all(request, &error),
    };
    response.map_err(worker::Error::from)
}

/// A panic where a request asks for one, with the key in its message: no log and no answer may hold it.
#[cfg(feature = "forced-panic")]
mod forced_panic {
    use super::{Env, Request};

    #[expect(clippy::panic, reason = "it is what the test asks for")]
    pub(super) async fn where_asked(request: &Request, env: &Env) {
        match request.headers().get("x-panic").ok().flatten().as_deref() {
            Some("late") => worker::Delay::from(std::time::Duration::from_millis(1)).await,
            Some(_) => {}
            None => return,
        }
        let key = env.var("UPSTREAM_API_KEY").map(|it| it.to_string()).unwrap_or_default();
        panic!("forced, with {key}");
    }
}
