//! `connect` and the client.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::promise::promise;
use super::task::Task;
use crate::engine::client::{Client, Operation};
use crate::engine::create::Create;
use crate::engine::error::Error;
use crate::engine::limits::Cancellable;
use crate::value::Js;

/// A client of one gateway. `pkg/client.js` adds a method for each capability, by the list of `capabilities`.
#[wasm_bindgen(skip_typescript)]
pub struct Media(Rc<Client>);

/// A promise of a client ([`Media`]), from `{url, token, turnstile, network, signal, timeout}`: see `ConnectOptions` of
/// the package's types. `network` is the caller's function in the place of `fetch`. Rejects with `invalid_argument`, and
/// with the errors of opening an anonymous session.
#[wasm_bindgen(skip_typescript)]
pub fn connect(options: JsValue) -> Promise {
    let options = Js(options);
    promise(options.clone(), async move { Ok(Media(Rc::new(Client::connect(&options).await?)).into()) })
}

#[wasm_bindgen]
impl Media {
    /// A promise of a new [`Task`] of the capability with this name, from its input and
    /// `{idempotencyKey, signal, timeout}`. Every error has the `outcome` of the create.
    pub fn create(&self, name: JsValue, input: JsValue, options: JsValue) -> Promise {
        let (client, options) = (Rc::clone(&self.0), Js(options));
        promise(Js(JsValue::UNDEFINED), async move {
            let create = Rc::new(Create::new(&options)?);
            let operation = Operation::Create(Rc::clone(&create));
            let work = async move {
                let snapshot = client.request(operation, &name, &Js(input)).await?;
                Ok(Task::from(client.created(&name, snapshot)?).into())
            };
            // The limits apply in here, so that `aborted` and `timeout` have the outcome of the create too.
            let result = match Cancellable::new(&options, Box::pin(work)) {
                Ok(cancellable) => cancellable.await,
                Err(error) => Err(error),
            };
            result.map_err(|it| create.explain(it))
        })
    }

    /// A promise of the file id of a blob, bytes or a stream, with `{name, type, onProgress, signal, timeout}`. Rejects
    /// with `upload_failed` where the storage does not accept it.
    pub fn upload(&self, blob: JsValue, options: JsValue) -> Promise {
        let (client, options) = (Rc::clone(&self.0), Js(options));
        promise(options.clone(), async move { client.upload(&Js(blob), &options).await })
    }

    /// A task restored from `{id, capability, result?}`, the value of [`Task::saved`].
    ///
    /// # Errors
    /// `invalid_argument` for any other value.
    pub fn task(&self, saved: JsValue) -> Result<Task, Error> {
        self.0.task(&Js(saved)).map(Task::from)
    }

    /// A promise of the model catalogue, as the upstream sends it, with `{signal, timeout}`.
    pub fn models(&self, options: JsValue) -> Promise {
        self.request(Operation::Models, JsValue::UNDEFINED, JsValue::UNDEFINED, options)
    }

    /// A promise of the cost of a create, as the upstream sends it, with `{signal, timeout}`.
    pub fn estimate(&self, name: JsValue, input: JsValue, options: JsValue) -> Promise {
        self.request(Operation::Estimate, name, input, options)
    }
}

impl Media {
    fn request(&self, operation: Operation, name: JsValue, input: JsValue, options: JsValue) -> Promise {
        let client = Rc::clone(&self.0);
        promise(Js(options), async move { client.request(operation, &name, &Js(input)).await })
    }
}
