//! The Worker's entry points.

use std::cell::OnceCell;
use std::panic;
use std::rc::Rc;

use web_sys::{Request, Response};
use worker::{Context, Env, event};

use crate::Gateway;
use crate::gateway::refuse_all;
use crate::settings::SettingsError;

thread_local! {
    /// One gateway for the life of the isolate: its settings don't change within it.
    static GATEWAY: OnceCell<Result<Rc<Gateway>, SettingsError>> = const { OnceCell::new() };
}

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
    let gateway = GATEWAY.with(|it| it.get_or_init(|| Gateway::from_env(&env).map(Rc::new)).clone());
    let response = match gateway {
        Ok(gateway) => gateway.handle(request, &env).await,
        Err(error) => refuse_all(request, &error),
    };
    response.map_err(worker::Error::from)
}
