//! Uploads: an upload URL from the gateway, then a `PUT` of the bytes (§4.1), from the blob and never through wasm memory.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, WeakMap};
use mediagate_core::Value;
use mediagate_core::text::{concat, cut};
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::error::Error;
use super::gateway::{Call, Gateway, Token};
use super::response::{Expected, unreadable};
use super::semaphore::Semaphore;
use super::shared::{Shared, WeakShared};
use super::transport::{Request, to_json};
use crate::host;
use crate::value::Js;

/// The media type of a blob without one.
const BINARY: &str = "application/octet-stream";

/// Most uploads at once. More would share the same bandwidth, and take a browser's last connection to the storage.
const MAX_CONCURRENT: u32 = 4;

/// The uploads of one client. Each blob is uploaded once.
pub struct Uploads {
    gateway: Rc<Gateway>,
    semaphore: Semaphore,
    /// Blobs to file ids.
    done: WeakMap,
    running: RefCell<Vec<(Blob, WeakShared)>>,
}

impl Uploads {
    /// The uploads to a gateway; none yet.
    pub fn new(gateway: Rc<Gateway>) -> Self {
        let semaphore = Semaphore::new(MAX_CONCURRENT);
        Uploads { gateway, semaphore, done: WeakMap::new(), running: RefCell::default() }
    }

    /// Uploads a blob, or joins its running upload. The result is its file id, a string. `progress` receives
    /// `{loaded, total}` in bytes; `undefined` for no subscriber.
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
        running.push((blob, upload.downgrade()));
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
        let _permit = self.semaphore.acquire().await;
        let mut renewed = false;
        loop {
            let (id, put) = self.upload_url(blob, &content_type, progress).await?;
            match put.send().await {
                Err(error) if !renewed && is_stale(&error) => renewed = true,
                Err(error) => return Err(error),
                Ok(_) => {
                    let id = host::string(&id);
                    self.done.set(blob, &id);
                    return Ok(id);
                }
            }
        }
    }

    /// Requests an upload URL. Returns the file's id, and the call that sends its bytes to the URL.
    async fn upload_url(
        &self,
        blob: &Blob,
        content_type: &str,
        progress: &JsValue,
    ) -> Result<(String, Call<'_>), Error> {
        let body = to_json(&file_info(blob, content_type))?;
        let data = Js(self.gateway.call("upload_urls", body, Expected::Data).send().await?);
        let id = data.get("file_id").and_then(|it| it.identifier());
        let (Some(url), Some(id)) = (data.string("upload_url"), id) else {
            return Err(unreadable(200, "no_upload_url"));
        };
        // The token is sent to the gateway's own upload relay and to no other URL.
        let relay = url.starts_with(&self.gateway.url("uploads/"));
        let token = if relay { Token::Session(&self.gateway.session) } else { Token::Fixed("") };
        let mut request = Request::new("PUT", url, blob.into(), &self.gateway.network);
        request.content_type = content_type.into();
        request.progress = progress.clone();
        Ok((id, Call { request, token, expected: Expected::Stored, create: None }))
    }
}

/// Whether the response of a storage, or of the relay, means that an upload URL has expired or is not valid, so that a new
/// one may work.
fn is_stale(error: &Error) -> bool {
    error.number("status").is_some_and(|it| [400.0, 401.0, 403.0, 410.0].contains(&it))
}

/// `{file_name, content_type, size}`, the size in bytes. A blob without a name is named after its type: `file.png`.
fn file_info(blob: &Blob, content_type: &str) -> JsValue {
    let name = Js(blob.into()).string("name").unwrap_or_default();
    let extension = cut(content_type, b"/").1.filter(|_| content_type != BINARY).unwrap_or("bin");
    let extension = cut(extension, b"/+;").0;
    let default_name = concat(&["file.", extension]);
    let object = host::object(&[
        ("file_name", if name.trim().is_empty() { &default_name } else { &name }),
        ("content_type", content_type),
    ]);
    host::set(&object, "size", &blob.size().into());
    object
}

/// Notifies a subscriber that all bytes are uploaded: where `fetch` sends them, there is no other progress.
pub fn notify_done(progress: &JsValue, size: f64) {
    let event = host::object(&[]);
    host::set(&event, "loaded", &size.into());
    host::set(&event, "total", &size.into());
    // A subscriber that throws must not fail the upload.
    let _ = host::apply(progress, &JsValue::UNDEFINED, &Array::of1(&event));
}
