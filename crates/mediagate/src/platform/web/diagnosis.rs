//! The reason why a browser blocks the requests to a gateway. A `GET` changes nothing, and the
//! browser checks it like the request that failed.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::future::select;
use gloo_events::EventListener;
use gloo_timers::future::TimeoutFuture;
use js_sys::global;
use wasm_bindgen::JsCast;
use web_sys::{RequestMode, SecurityPolicyViolationEvent};

use super::fetch::Abort;
use super::scope::{member, scope};
use crate::client::Block;
use crate::platform::Outgoing;

/// The longest time of a diagnosis, in milliseconds.
const LIMIT: u32 = 8_000;

/// Finds out why the browser blocks a request; `None` if the browser shows no reason.
pub(super) async fn find(request: Outgoing) -> Option<Block> {
    let Outgoing { url, headers, .. } = request;
    let location = member(&global(), "location")?;
    let origin = member(&location, "origin")?.as_string()?;
    // A browser does not block requests to the origin of the page.
    if url.starts_with(&format!("{origin}/")) {
        return None;
    }
    let block = Rc::new(Cell::new(None));
    let seen = block.clone();
    let _listener = EventListener::new(&scope(), "securitypolicyviolation", move |event| {
        let event: &SecurityPolicyViolationEvent = event.unchecked_ref();
        let directive = event.effective_directive();
        if directive == "connect-src"
            && member(event, "disposition")
                .and_then(|disposition| disposition.as_string())
                .as_deref()
                == Some("enforce")
        {
            seen.set(Some(Block::Policy));
        }
    });
    let finding = Box::pin(async {
        // A request without CORS needs no permission of the server. If it succeeds, CORS is the
        // reason.
        if !is_reached(&url, &headers, RequestMode::Cors).await
            && is_reached(&url, &[], RequestMode::NoCors).await
        {
            block.set(Some(Block::Cors));
        } else {
            // The event may come after the failure of the request.
            TimeoutFuture::new(0).await;
        }
    });
    select(finding, TimeoutFuture::new(LIMIT)).await;
    block.get()
}

async fn is_reached(url: &str, headers: &[(String, String)], mode: RequestMode) -> bool {
    let Ok(abort) = Abort::new() else {
        return false;
    };
    let request = abort.request("GET", url, headers).mode(mode).build();
    match request {
        Ok(request) => request.send().await.is_ok(),
        Err(_) => false,
    }
}
