//! `connect` and the client.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::task::Task;
use crate::engine::client::{Client, capability, options};
use crate::engine::error::Error;
use crate::value::Js;

/// A client of one gateway. The methods of the capabilities are added in JavaScript, from [`super::capabilities`].
#[wasm_bindgen(skip_typescript)]
pub struct Media(Rc<Client>);

/// Connects to a gateway.
///
/// # Errors
/// `invalid_argument`; without a token also what the gateway says to `POST /session`.
#[wasm_bindgen(skip_typescript)]
pub async fn connect(with: JsValue) -> Result<Media, Error> {
    Client::connect(&options(with)?).await.map(|it| Media(Rc::new(it)))
}

#[wasm_bindgen]
impl Media {
    /// Creates a task of a capability, given by name.
    ///
    /// # Errors
    /// `invalid_input` with all issues, before anything is sent; every code of the service; the client's own.
    pub async fn create(&self, name: JsValue, input: JsValue, with: JsValue) -> Result<Task, Error> {
        self.0.create(capability(&name)?, &Js(input), &options(with)?).await.map(Task)
    }

    /// Uploads a blob and gives its file id.
    ///
    /// # Errors
    /// `upload_failed` where the storage took no bytes; every code of the service; the client's own.
    pub async fn upload(&self, blob: JsValue, with: JsValue) -> Result<String, Error> {
        self.0.upload(&Js(blob), &options(with)?).await
    }

    /// A task that was saved.
    ///
    /// # Errors
    /// `invalid_argument` for anything else.
    pub fn task(&self, saved: JsValue) -> Result<Task, Error> {
        self.0.task(&Js(saved)).map(Task)
    }

    /// The model catalogue.
    ///
    /// # Errors
    /// Those of any read.
    pub async fn models(&self, with: JsValue) -> Result<JsValue, Error> {
        self.0.models(&options(with)?).await
    }

    /// What a create would cost.
    ///
    /// # Errors
    /// `invalid_input`, and those of any read.
    pub async fn estimate(&self, name: JsValue, input: JsValue, with: JsValue) -> Result<JsValue, Error> {
        self.0.estimate(capability(&name)?, &Js(input), &options(with)?).await
    }
}
