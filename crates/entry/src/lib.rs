//! The deployed Worker's entry points.

use mediagate_worker::{Gateway, panics, refuse_all};
use web_sys::{Request, Response};
use worker::{Context, Env, event};

#[event(start)]
fn start() {
    panics::log_locations_only();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    let response = match Gateway::shared(&env) {
        Ok(gateway) => gateway.handle(request, &env).await,
        Err(error) => refuse_all(request, &error).await,
    };
    response.map_err(worker::Error::from)
}
