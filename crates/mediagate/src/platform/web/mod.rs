//! The platform of pages and their workers: gloo-net, web-sys, and the event loop of the page.

mod diagnosis;
mod failure;
mod fetch;
mod scope;
mod storage;
mod upload;

use std::sync::Arc;

use futures_util::future::{ready, select};
use gloo_events::EventListener;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Date, Math, Uint8Array, global};
use mediagate_client::{
    Block, Body, BoxFuture, Exchange, FileInfo, Hint, Platform, Request, ResponseBody, Wake,
};
use tokio::sync::Notify;
use wasm_bindgen::JsCast;
use web_sys::{Performance, PerformanceResourceTiming};

use failure::no_response;
use fetch::Incoming;
use scope::{document, member, scope};
use upload::Payload;

use super::utf8::Decoder;
use super::{
    Cause, Content, Kept, NoResponse, NotStarted, Outgoing, OutgoingFile, file_info, hint, parse,
};
use crate::session::SessionStore;
use crate::value::Value;

pub(crate) struct Web {
    kept: Kept,
}

impl Web {
    /// Makes a platform. Never fails: every browser has what the platform needs.
    pub(crate) fn new(store: Arc<dyn SessionStore>) -> Result<Self, NotStarted> {
        Ok(Web {
            kept: Kept::new(store),
        })
    }

    pub(crate) fn session_store() -> Arc<dyn SessionStore> {
        Arc::new(storage::InBrowser)
    }
}

impl Platform for Web {
    type Value = Value;
    type Cause = Cause;
    type Stream = TextStream;

    fn now(&self) -> f64 {
        Date::now()
    }

    fn random(&self) -> f64 {
        Math::random()
    }

    fn is_offline(&self) -> bool {
        member(&global(), "navigator").and_then(|navigator| member(&navigator, "onLine")?.as_bool())
            == Some(false)
    }

    fn is_hidden(&self) -> bool {
        document().and_then(|document| member(&document, "hidden")?.as_bool()) == Some(true)
    }

    fn is_multiplexed(&self, base: &str) -> bool {
        let Some(performance) = member(&global(), "performance") else {
            return false;
        };
        // The browser lists only finished requests, so this is false before the first response.
        let entries = performance
            .unchecked_into::<Performance>()
            .get_entries_by_type("resource");
        let is_shared = |entry: PerformanceResourceTiming| {
            entry.name().starts_with(base)
                && matches!(entry.next_hop_protocol().as_str(), "h2" | "h3")
        };
        entries
            .iter()
            .any(|entry| is_shared(entry.unchecked_into()))
    }

    fn hint(remedy: Hint) -> &'static str {
        match remedy {
            Hint::CheckConnection => {
                "check the connection, the url, connect-src of the page's \
                 Content-Security-Policy, and the gateway's ALLOWED_ORIGINS"
            }
            Hint::CheckStorage => {
                "check the connection, and that the storage allows this page's origin (CORS)"
            }
            Hint::ChooseAgain => "let the person choose the file again",
            Hint::ReadStorageResponse => "the browser's network log has its response",
            other => hint(other),
        }
    }

    fn message(cause: &Cause) -> Option<String> {
        Some(cause.to_string())
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        wasm_bindgen_futures::spawn_local(work);
    }

    fn sleep(&self, milliseconds: u32, wake: Wake) -> BoxFuture<'static, ()> {
        let target = match wake {
            Wake::Never => None,
            Wake::Visible => document().map(|document| (document, "visibilitychange")),
            Wake::Online => Some((scope().into(), "online")),
        };
        let timer = TimeoutFuture::new(milliseconds);
        Box::pin(async move {
            let Some((target, event)) = target else {
                return timer.await;
            };
            let woken = Arc::new(Notify::new());
            let notify = woken.clone();
            let _listener = EventListener::new(&target.unchecked_into(), event, move |_| {
                notify.notify_one()
            });
            select(timer, Box::pin(woken.notified())).await;
        })
    }

    fn request(&self, request: Request<Value>) -> BoxFuture<'static, Exchange<Self>> {
        let is_stream = request.is_stream;
        Box::pin(async move {
            let Incoming { head, body } = send(Outgoing::new(request)).await?;
            let body = if is_stream && head.is_stream() {
                body.stream().map_or(ResponseBody::Other, |body| {
                    ResponseBody::Stream(TextStream {
                        body,
                        decoder: Decoder::default(),
                    })
                })
            } else {
                parse(&body.all().await?)
            };
            Ok(head.response(body, Date::now()))
        })
    }

    fn diagnose(&self, request: Request<Value>) -> BoxFuture<'static, Option<Block>> {
        // The storage of an upload may allow a page to read, and not to write.
        if matches!(request.body, Body::File(_)) {
            return Box::pin(ready(None));
        }
        Box::pin(diagnosis::find(Outgoing::new(request)))
    }

    fn read<'a>(&self, stream: &'a mut TextStream) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let bytes = stream.body.next().await.ok()??;
            Some(stream.decoder.decode(&bytes))
        })
    }

    fn parse(&self, json: &str) -> Option<Value> {
        serde_json::from_str::<serde_json::Value>(json)
            .ok()
            .map(Value::from)
    }

    fn load(&self, name: &str) -> Option<String> {
        self.kept.store.load(name)
    }

    fn store(&self, name: &str, text: &str) {
        self.kept.store.store(name, text);
    }

    fn file_info(&self, file: &Value) -> FileInfo {
        file_info(file)
    }

    fn file_id(&self, file: &Value) -> Option<String> {
        self.kept.file_id(file, self.now())
    }

    fn remember_file(&self, file: &Value, id: &str) {
        self.kept.remember_file(file, id, self.now());
    }
}

pub(crate) struct TextStream {
    body: fetch::Stream,
    decoder: Decoder,
}

async fn send(request: Outgoing) -> Result<Incoming, NoResponse> {
    let Outgoing {
        method,
        url,
        headers,
        content,
    } = request;
    match content {
        Content::Empty => fetch::send(method, &url, &headers, None).await,
        Content::Bytes(bytes) => {
            let bytes = Uint8Array::from(&*bytes).into();
            fetch::send(method, &url, &headers, Some(bytes)).await
        }
        Content::File(OutgoingFile { file, on_sent, .. }) => {
            let body = Payload::File(upload::blob(&file).map_err(no_response)?);
            let sent = upload::send(method, &url, &headers, &body, on_sent).await;
            upload::checked(sent, &file).await
        }
        Content::Form {
            fields,
            upload:
                OutgoingFile {
                    file,
                    on_sent,
                    has_subscriber,
                },
            name,
            media_type,
        } => {
            let form = upload::form(&fields, &file, &name, &media_type).map_err(no_response)?;
            // A listener of the progress makes the browser send a preflight request. A form needs
            // none without a listener.
            let sent = if has_subscriber {
                upload::send(method, &url, &headers, &Payload::Form(form), on_sent).await
            } else {
                fetch::send(method, &url, &headers, Some(form.into())).await
            };
            upload::checked(sent, &file).await
        }
    }
}
