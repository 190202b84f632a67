//! The reason why a browser blocks the requests to a gateway. A `GET` changes nothing, and the
//! browser checks it like the request that failed.

use std::cell::Cell;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::rc::Rc;

use futures_util::future::select;
use gloo_events::EventListener;
use gloo_timers::future::TimeoutFuture;
use js_sys::global;
use mediagate_client::Block;
use wasm_bindgen::JsCast;
use web_sys::{RequestMode, RequestRedirect, SecurityPolicyViolationEvent, Url};

use super::fetch::Abort;
use super::scope::{member, scope};
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
    let is_local_only = is_local(&url) == Some(true) && is_local(&origin) == Some(false);
    block.get().or(is_local_only.then_some(Block::LocalNetwork))
}

/// Returns true if a URL names this machine or a private network; `None` if it has no host.
fn is_local(url: &str) -> Option<bool> {
    let host = Url::new(url).ok()?.hostname();
    if host.is_empty() {
        return None;
    }
    let is_local_v4 = |address: Ipv4Addr| {
        address.is_loopback() || address.is_private() || address.is_link_local()
    };
    let is_local_v6 = |address: Ipv6Addr| {
        address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
    };
    let v6 = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    Some(
        host == "localhost"
            || host.ends_with(".localhost")
            || host.ends_with(".local")
            || host.parse().is_ok_and(is_local_v4)
            || v6.is_some_and(|text| text.parse().is_ok_and(is_local_v6)),
    )
}

async fn is_reached(url: &str, headers: &[(String, String)], mode: RequestMode) -> bool {
    let Ok(abort) = Abort::new() else {
        // A browser without AbortController sends no requests of the client at all.
        return false;
    };
    let request = abort.request("GET", url, headers).mode(mode);
    // Without CORS, browsers only send requests that follow redirects.
    let request = if mode == RequestMode::NoCors {
        request.redirect(RequestRedirect::Follow)
    } else {
        request
    };
    match request.build() {
        Ok(request) => request.send().await.is_ok(),
        Err(_) => false,
    }
}
