//! The Worker's entry points.

use std::panic;

use web_sys::{Request, Response};
use worker::{Context, Env, event};

use crate::Gateway;
use crate::exchange::refuse_all;

#[event(start)]
fn start() {
    // The place alone: a panic's message could hold what a log must not.
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|it| format!("{}:{}", it.file(), it.line())).unwrap_or_default();
        worker::console_error!("panicked at {place}");
    }));
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    let response = match Gateway::shared(&env) {
        Ok(gateway) => gateway.handle(request, &env).await,
        Err(error) => refuse_all(request, &error),
    };
    response.map_err(worker::Error::from)
}
