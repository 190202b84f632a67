//! Uploads: an upload URL from the gateway, then the bytes (§4.1), straight from the blob and never through wasm memory.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Object, WeakMap};
use mediagate_core::{Type, Value};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Url};

use super::error::{Error, code};
use super::gateway::{Gateway, Wants, unreadable};
use super::host;
use super::shared::{Shared, Watch};
use super::transport::{Reply, Request, json, upload};
use crate::value::Js;

/// The type of a blob that tells none.
const BINARY: &str = "application/octet-stream";

/// The uploads of one client: one for each blob.
pub struct Uploads {
    gateway: Rc<Gateway>,
    /// Blob to file id.
    done: WeakMap,
    running: RefCell<Vec<(Blob, Watch)>>,
}

impl Uploads {
    /// No uploads yet.
    pub fn new(gateway: Rc<Gateway>) -> Self {
        Uploads { gateway, done: WeakMap::new(), running: RefCell::default() }
    }

    /// Uploads a blob, or waits with those who do. The result is its file id.
    pub fn start(self: &Rc<Self>, blob: Blob, progress: JsValue) -> Shared {
        let known = self.done.get(&blob);
        if !known.is_undefined() {
            return Shared::new(Box::pin(async { Ok(known) }));
        }
        let mut running = self.running.borrow_mut();
        running.retain(|it| it.1.join().is_some());
        if let Some(joined) = running.iter().find(|it| it.0 == blob).and_then(|it| it.1.join()) {
            return joined;
        }
        let (uploads, file) = (Rc::clone(self), blob.clone());
        let upload = Shared::new(Box::pin(async move { uploads.run(&file, &progress).await }));
        running.push((blob, upload.watch()));
        upload
    }

    async fn run(&self, blob: &Blob, progress: &JsValue) -> Result<JsValue, Error> {
        if blob.size() == 0.0 {
            return Err(Error::argument("the file is empty; give one with at least one byte"));
        }
        let content_type = match blob.type_() {
            none if none.is_empty() => BINARY.into(),
            known => known,
        };
        let body = json(&request(blob, &content_type))?;
        let data = Js(self.gateway.read("upload_urls", &body, Wants::Data).await?);
        let url = data.string("upload_url").and_then(|it| Url::new_with_base(&it, &self.gateway.base).ok());
        let id = data.get("file_id").and_then(|it| it.identifier());
        let (Some(url), Some(id)) = (url, id) else { return Err(unreadable(200, "no_upload_url")) };
        self.put(&url.href(), blob, &content_type, progress).await?;
        let id = host::text(&id);
        self.done.set(blob, &id);
        Ok(id)
    }

    /// The bytes' own way. The token goes to the gateway's relay and nowhere else.
    async fn put(&self, url: &str, blob: &Blob, content_type: &str, progress: &JsValue) -> Result<(), Error> {
        let Gateway { base, session } = &*self.gateway;
        let relay = url.starts_with(&self.gateway.url("uploads/"));
        let mut token = if relay { session.token(base).await? } else { String::new() };
        let mut renewed = false;
        loop {
            let bearer = if relay { ["Bearer ", &token].concat() } else { String::new() };
            let headers = [("content-type", content_type), ("authorization", bearer.as_str()), ("", "")];
            let request = Request { method: "PUT", url, headers, body: blob };
            let reply = upload(&request, progress).await.map_err(unreached)?;
            match reply.status {
                200..300 => return Ok(()),
                401 if relay && !renewed => match session.another(base, &token, 401).await? {
                    Some(fresh) => (token, renewed) = (fresh, true),
                    None => return Err(refused(reply)),
                },
                0 => return Err(unreached(Error::new(code::UPLOAD_FAILED, ""))),
                _ => return Err(refused(reply)),
            }
        }
    }
}

fn unreached(error: Error) -> Error {
    let message = "the upload did not reach the storage; check the connection, and that the storage allows this page's origin (CORS)";
    error.with("code", host::text(code::UPLOAD_FAILED)).with("message", host::text(message)).retryable()
}

/// The relay answers as the gateway does; a storage answers in its own way.
fn refused(reply: Reply) -> Error {
    if let Some(envelope) = reply.body.as_ref().and_then(mediagate_core::Envelope::decode) {
        return Error::refused(reply.status, &envelope);
    }
    let message = "the storage refused the upload; its answer is in the browser's network log";
    let error = Error::new(code::UPLOAD_FAILED, message).with("status", reply.status);
    if reply.status == 429 || reply.status >= 500 { error.retryable() } else { error }
}

/// `{file_name, content_type, size}`. A blob without a name is named after its type: `file.png`.
fn request(blob: &Blob, content_type: &str) -> JsValue {
    let name = Js(blob.into()).string("name").unwrap_or_default();
    let extension = content_type.split('/').nth(1).filter(|_| content_type != BINARY).unwrap_or("bin");
    let extension = extension.split(['+', ';']).next().unwrap_or(extension);
    let made = ["file.", extension].concat();
    let object = host::object(&[
        ("file_name", if name.trim().is_empty() { &made } else { &name }),
        ("content_type", content_type),
    ]);
    host::set(&object, "size", &blob.size().into());
    object
}

/// The blob that a value is.
pub fn blob(value: &Js) -> Option<Blob> {
    (value.kind() == Type::Blob).then(|| value.0.clone().unchecked_into())
}

/// Tells a listener that all bytes are up, also where no progress was seen on the way.
pub fn tell_done(progress: &JsValue, size: f64) {
    let event = Object::new();
    host::set(&event, "loaded", &size.into());
    host::set(&event, "total", &size.into());
    if let Some(listener) = progress.dyn_ref::<Function>() {
        // A listener that throws does not undo an upload.
        let _ = listener.call1(&JsValue::UNDEFINED, &event);
    }
}
