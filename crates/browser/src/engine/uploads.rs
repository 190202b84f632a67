//! Uploads: an upload URL from the gateway, then the bytes (§4.1), straight from the blob and never through wasm memory.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, WeakMap};
use mediagate_core::Value;
use mediagate_core::text::{concat, cut};
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::error::Error;
use super::gateway::{Call, Gateway, Token, Wants, unreadable};
use super::host;
use super::places::Places;
use super::shared::{Shared, Watch};
use super::transport::{Request, json};
use crate::value::Js;

/// The type of a blob that tells none.
const BINARY: &str = "application/octet-stream";

/// Most uploads at once: more would share the same line, and take a browser's last connection to the storage.
const AT_ONCE: u32 = 4;

/// The uploads of one client: one for each blob.
pub struct Uploads {
    gateway: Rc<Gateway>,
    places: Places,
    /// Blob to file id.
    done: WeakMap,
    running: RefCell<Vec<(Blob, Watch)>>,
}

impl Uploads {
    /// No uploads yet.
    pub fn new(gateway: Rc<Gateway>) -> Self {
        Uploads { gateway, places: Places::new(AT_ONCE), done: WeakMap::new(), running: RefCell::default() }
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
        let _place = self.places.take().await;
        let mut renewed = false;
        loop {
            let (id, put) = self.grant(blob, &content_type, progress).await?;
            match put.send().await {
                Err(error) if !renewed && is_stale(&error) => renewed = true,
                Err(error) => return Err(error),
                Ok(_) => {
                    let id = host::text(&id);
                    self.done.set(blob, &id);
                    return Ok(id);
                }
            }
        }
    }

    /// The file's id, and the call that sends its bytes to an upload URL.
    async fn grant(&self, blob: &Blob, content_type: &str, progress: &JsValue) -> Result<(String, Call<'_>), Error> {
        let body = json(&request(blob, content_type))?;
        let data = Js(self.gateway.call("upload_urls", body, Wants::Data).send().await?);
        let id = data.get("file_id").and_then(|it| it.identifier());
        let (Some(url), Some(id)) = (data.string("upload_url"), id) else {
            return Err(unreadable(200, "no_upload_url"));
        };
        // The token goes to the gateway's own relay and nowhere else.
        let relay = url.starts_with(&self.gateway.url("uploads/"));
        let token = if relay { Token::Session(&self.gateway.session) } else { Token::Given("") };
        let mut request = Request::new("PUT", url, blob.into(), &self.gateway.network);
        request.content_type = content_type.into();
        request.progress = progress.clone();
        Ok((id, Call { request, token, wants: Wants::Stored, create: None }))
    }
}

/// Whether a storage, or the relay, says that an upload URL is over, or was never good: a new one may be.
fn is_stale(error: &Error) -> bool {
    error.number("status").is_some_and(|it| [400.0, 401.0, 403.0, 410.0].contains(&it))
}

/// `{file_name, content_type, size}`. A blob without a name is named after its type: `file.png`.
fn request(blob: &Blob, content_type: &str) -> JsValue {
    let name = Js(blob.into()).string("name").unwrap_or_default();
    let extension = cut(content_type, b"/").1.filter(|_| content_type != BINARY).unwrap_or("bin");
    let extension = cut(extension, b"/+;").0;
    let made = concat(&["file.", extension]);
    let object = host::object(&[
        ("file_name", if name.trim().is_empty() { &made } else { &name }),
        ("content_type", content_type),
    ]);
    host::set(&object, "size", &blob.size().into());
    object
}

/// Tells a listener that all bytes are up, also where no progress was seen on the way.
pub fn tell_done(progress: &JsValue, size: f64) {
    let event = host::object(&[]);
    host::set(&event, "loaded", &size.into());
    host::set(&event, "total", &size.into());
    // A listener that throws does not undo an upload.
    let _ = host::apply(progress, &JsValue::UNDEFINED, &Array::of1(&event));
}
