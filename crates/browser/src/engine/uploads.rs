//! Uploads: an upload URL from the gateway, then the bytes (§4.1). One upload per blob and client.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Object, WeakMap};
use mediagate_core::{Type, Value};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use super::error::Error;
use super::gateway::Gateway;
use super::http::json;
use super::shared::{Shared, Watch};
use super::{answer, host, put};
use crate::value::Js;

/// The type of a blob that tells none.
const BINARY: &str = "application/octet-stream";

/// The uploads of one client.
pub struct Uploads {
    gateway: Rc<Gateway>,
    /// Blob to file id.
    done: WeakMap,
    running: RefCell<Vec<(JsValue, Watch)>>,
}

impl Uploads {
    /// No uploads yet.
    pub fn new(gateway: Rc<Gateway>) -> Self {
        Uploads { gateway, done: WeakMap::new(), running: RefCell::default() }
    }

    /// Uploads a blob, or waits with those who do. The result is its file id.
    pub fn start(self: &Rc<Self>, blob: Blob, progress: JsValue) -> Shared {
        if let Some(id) = self.done.get(&blob).as_string() {
            return Shared::new(async move { Ok(id) });
        }
        let mut running = self.running.borrow_mut();
        if let Some(joined) =
            running.iter().find(|it| it.0 == *AsRef::<JsValue>::as_ref(&blob)).and_then(|it| it.1.join())
        {
            return joined;
        }
        running.retain(|it| it.1.join().is_some());
        let (uploads, kept) = (Rc::clone(self), JsValue::from(&blob));
        let upload = Shared::new(async move { uploads.run(&blob, &progress).await });
        running.push((kept, upload.watch()));
        upload
    }

    /// Forgets a blob's file id: the next use uploads it again.
    pub fn forget(&self, blob: &Object) {
        self.done.delete(blob);
    }

    async fn run(&self, blob: &Blob, progress: &JsValue) -> Result<String, Error> {
        if blob.size() == 0.0 {
            return Err(Error::argument("the file is empty; give one with at least one byte"));
        }
        let content_type = match blob.type_() {
            none if none.is_empty() => BINARY.into(),
            known => known,
        };
        let body = json(&request(blob, &content_type))?;
        let data = self.gateway.data("upload_urls", Some(&body)).await?;
        let (Some(url), Some(id)) = (data.string("upload_url"), data.get("file_id").and_then(|it| it.identifier()))
        else {
            return Err(answer::unreadable(200, "no_upload_url"));
        };
        let url = web_sys::Url::new_with_base(&url, &self.gateway.base)
            .map_err(|_| answer::unreadable(200, "bad_upload_url"))?;
        self.put(&url.href(), blob, &content_type, progress).await?;
        self.done.set(blob, &host::text(&id));
        Ok(id)
    }

    /// The token goes to the gateway's own relay and nowhere else.
    async fn put(&self, url: &str, blob: &Blob, content_type: &str, progress: &JsValue) -> Result<(), Error> {
        if !url.starts_with(&self.gateway.url("uploads/")) {
            return put::put(url, blob, content_type, None, progress).await;
        }
        let session = &self.gateway.session;
        let token = session.token().await?;
        match put::put(url, blob, content_type, Some(&token), progress).await {
            Err(error) if error.status == 401 => match session.replace(&token).await? {
                Some(token) => put::put(url, blob, content_type, Some(&token), progress).await,
                None => Err(error),
            },
            other => other,
        }
    }
}

/// `{file_name, content_type, size}`. A blob without a name is named after its type: `file.png`.
fn request(blob: &Blob, content_type: &str) -> JsValue {
    let name = Js(blob.into()).string("name").filter(|it| !it.trim().is_empty());
    let name = name.unwrap_or_else(|| {
        let extension =
            if content_type == BINARY { "bin" } else { content_type.split(['/', '+', ';']).nth(1).unwrap_or("bin") };
        ["file.", extension].concat()
    });
    let object = Object::new();
    host::set(&object, "file_name", &host::text(&name));
    host::set(&object, "content_type", &host::text(content_type));
    host::set(&object, "size", &blob.size().into());
    object.into()
}

/// The blob that a value is.
pub fn blob(value: &Js) -> Option<Blob> {
    (value.kind() == Type::Blob).then(|| value.0.clone().unchecked_into())
}
