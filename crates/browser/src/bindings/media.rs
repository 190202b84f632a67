//! `connect` and the client.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::promise;
use super::task::Task;
use crate::engine::client::{Client, capability, options};
use crate::engine::error::Error;
use crate::engine::host;
use crate::value::Js;

/// A client of one gateway. The methods of the capabilities are added in JavaScript, from [`super::capabilities`].
#[wasm_bindgen(skip_typescript)]
pub struct Media(Rc<Client>);

/// Connects to a gateway.
///
/// # Errors
/// `invalid_argument`; without a token also what the gateway says to `POST /session`.
#[wasm_bindgen(skip_typescript)]
pub fn connect(with: JsValue) -> Promise {
    promise(async { Ok(Media(Rc::new(Client::connect(&options(with)?).await?)).into()) })
}

#[wasm_bindgen]
impl Media {
    /// Creates a task of a capability, given by name.
    ///
    /// # Errors
    /// `invalid_input` with all issues, before anything is sent; every code of the service; the client's own.
    pub fn create(&self, name: JsValue, input: JsValue, with: JsValue) -> Promise {
        let client = Rc::clone(&self.0);
        promise(async move {
            client.create(capability(&name)?, &Js(input), &options(with)?).await.map(|it| Task(Rc::new(it)).into())
        })
    }

    /// Uploads a blob and gives its file id.
    ///
    /// # Errors
    /// `upload_failed` where the storage took no bytes; every code of the service; the client's own.
    pub fn upload(&self, blob: JsValue, with: JsValue) -> Promise {
        let client = Rc::clone(&self.0);
        promise(async move { client.upload(&Js(blob), &options(with)?).await.map(|it| host::text(&it)) })
    }

    /// A task that was saved.
    ///
    /// # Errors
    /// `invalid_argument` for anything else.
    pub fn task(&self, saved: JsValue) -> Result<Task, Error> {
        self.0.task(&Js(saved)).map(|it| Task(Rc::new(it)))
    }

    /// The model catalogue.
    ///
    /// # Errors
    /// Those of any read.
    pub fn models(&self, with: JsValue) -> Promise {
        let client = Rc::clone(&self.0);
        promise(async move { client.models(&options(with)?).await })
    }

    /// What a create would cost.
    ///
    /// # Errors
    /// `invalid_input`, and those of any read.
    pub fn estimate(&self, name: JsValue, input: JsValue, with: JsValue) -> Promise {
        let client = Rc::clone(&self.0);
        promise(async move { client.estimate(capability(&name)?, &Js(input), &options(with)?).await })
    }
}
