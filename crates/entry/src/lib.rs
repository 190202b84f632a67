//! The deployed Worker's entry points.

use mediagate_worker::{Gateway, note_open_objects, panics, refuse_all};
use wasm_bindgen::prelude::wasm_bindgen;
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

/// Stores the number of open Durable Objects. Only a server calls this.
#[wasm_bindgen(js_name = noteOpenObjects)]
pub fn note_open_objects_js(count: Option<u32>, asked_at: f64) {
    note_open_objects(count, asked_at);
}
