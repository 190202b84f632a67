//! The driver for pages and their workers: gloo-net, web-sys, and the event loop of the page.

mod diagnosis;
mod failure;
mod fetch;
mod scope;
mod storage;
mod upload;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::select;
use gloo_events::EventListener;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Date, Math, Uint8Array, global};
use mediagate_client::{Block, Wake};
use tokio::sync::Notify;
use wasm_bindgen::JsCast;
use web_sys::{Performance, PerformanceResourceTiming};

use failure::no_response;
use fetch::Body;
use scope::{document, member, scope};
use upload::Payload;

use super::{Content, Driver, Incoming, NoResponse, Outgoing, Upload};
use crate::error::Error;
use crate::session::SessionStore;

/// Runs a future in the event loop.
///
/// # Errors
/// None: a page always has one.
pub(crate) fn run<F: Future<Output = ()> + 'static>(make: impl FnOnce() -> F) -> Result<(), Error> {
    wasm_bindgen_futures::spawn_local(make());
    Ok(())
}

/// Performs operations by what a browser has.
pub(crate) struct Web;

impl Driver for Web {
    const IS_PAGE: bool = true;

    type Body = Body;

    fn new() -> Result<Self, Error> {
        Ok(Web)
    }

    fn now(&self) -> f64 {
        Date::now()
    }

    fn random(&self) -> f64 {
        Math::random()
    }

    fn is_offline(&self) -> bool {
        member(&global(), "navigator").and_then(|it| member(&it, "onLine")?.as_bool())
            == Some(false)
    }

    fn is_hidden(&self) -> bool {
        document().and_then(|it| member(&it, "hidden")?.as_bool()) == Some(true)
    }

    fn is_multiplexed(&self, base: &str) -> bool {
        let Some(performance) = member(&global(), "performance") else {
            return false;
        };
        let entries = performance
            .unchecked_into::<Performance>()
            .get_entries_by_type("resource");
        let is_shared = |it: PerformanceResourceTiming| {
            it.name().starts_with(base) && matches!(it.next_hop_protocol().as_str(), "h2" | "h3")
        };
        entries.iter().any(|it| is_shared(it.unchecked_into()))
    }

    fn session_store() -> Arc<dyn SessionStore> {
        Arc::new(storage::InBrowser)
    }

    fn sleep(&self, milliseconds: u32, wake: Wake) -> impl Future<Output = ()> + 'static {
        let timer = TimeoutFuture::new(milliseconds);
        let target = match wake {
            Wake::Never => None,
            Wake::Visible => document().map(|it| (it, "visibilitychange")),
            Wake::Online => Some((scope().into(), "online")),
        };
        async move {
            let Some((target, event)) = target else {
                return timer.await;
            };
            let woken = Arc::new(Notify::new());
            let notify = woken.clone();
            let _listener = EventListener::new(&target.unchecked_into(), event, move |_| {
                notify.notify_one()
            });
            select(timer, Box::pin(woken.notified())).await;
        }
    }

    fn send(
        &self,
        request: Outgoing,
    ) -> impl Future<Output = Result<Incoming<Body>, NoResponse>> + 'static {
        let Outgoing {
            method,
            url,
            headers,
            content,
        } = request;
        async move {
            match content {
                Content::Empty => fetch::send(method, &url, &headers, None).await,
                Content::Bytes(bytes) => {
                    fetch::send(
                        method,
                        &url,
                        &headers,
                        Some(Uint8Array::from(&*bytes).into()),
                    )
                    .await
                }
                Content::File(file) => {
                    let body = Payload::File(upload::blob(&file.file).map_err(no_response)?);
                    upload::send(method, &url, &headers, &body, file.on_sent).await
                }
                Content::Form {
                    fields,
                    upload: Upload { file, on_sent },
                    name,
                    media_type,
                } => {
                    let form =
                        upload::form(&fields, &file, &name, &media_type).map_err(no_response)?;
                    if on_sent.is_none() {
                        return fetch::send(method, &url, &headers, Some(form.into())).await;
                    }
                    upload::send(method, &url, &headers, &Payload::Form(form), on_sent).await
                }
            }
        }
    }

    fn diagnose(&self, request: Outgoing) -> impl Future<Output = Option<Block>> + 'static {
        diagnosis::find(request)
    }

    async fn read(body: &mut Body) -> Result<Option<Bytes>, NoResponse> {
        match body {
            Body::Stream(stream) => stream.next().await,
            Body::Whole(bytes) => Ok(bytes.take()),
        }
    }
}
