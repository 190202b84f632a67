//! What keeps a page from a gateway: a `GET`, which changes nothing, meets the browser's checks as the request did.

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

/// The most milliseconds for it.
const LIMIT: u32 = 8_000;

/// Finds out what keeps the page from the server of a request; `None` where nothing does that the browser shows.
pub(super) async fn find(request: Outgoing) -> Option<Block> {
    let Outgoing { url, headers, .. } = request;
    let origin = member(&global(), "location").and_then(|it| member(&it, "origin")?.as_string())?;
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
                .and_then(|it| it.as_string())
                .as_deref()
                == Some("enforce")
        {
            seen.set(Some(Block::Policy));
        }
    });
    let finding = Box::pin(async {
        // A request without CORS, whose response no one reads, shows whether there is a server.
        if !is_reached(&url, &headers, RequestMode::Cors).await
            && is_reached(&url, &[], RequestMode::NoCors).await
        {
            block.set(Some(Block::Cors));
        } else {
            // The event may come after what it is about.
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
