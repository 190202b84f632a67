//! `connect` and the client.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::promise;
use super::task::Task;
use crate::engine::client::{Ask, Client};
use crate::engine::error::Error;
use crate::engine::gateway::Create;
use crate::engine::limits::Held;
use crate::value::Js;

/// A client of one gateway. The methods of the capabilities are added in JavaScript, from [`super::capabilities`].
#[wasm_bindgen(skip_typescript)]
pub struct Media(Rc<Client>);

/// Connects to a gateway.
#[wasm_bindgen(skip_typescript)]
pub fn connect(options: JsValue) -> Promise {
    let options = Js(options);
    promise(options.clone(), async move { Ok(Media(Rc::new(Client::connect(&options).await?)).into()) })
}

#[wasm_bindgen]
impl Media {
    /// Creates a task of a capability, given by name.
    pub fn create(&self, name: JsValue, input: JsValue, options: JsValue) -> Promise {
        let (client, options) = (Rc::clone(&self.0), Js(options));
        promise(Js(JsValue::UNDEFINED), async move {
            let create = Rc::new(Create::new(&options)?);
            let ask = Ask::Create(Rc::clone(&create));
            let work = async move {
                let seen = client.ask(ask, &name, &Js(input)).await?;
                Ok(Task::from(client.created(&name, seen)?).into())
            };
            // The limits are inside: what a create has done by then is said of their errors too.
            let done = match Held::new(&options, Box::pin(work)) {
                Ok(held) => held.await,
                Err(error) => Err(error),
            };
            done.map_err(|it| create.explain(it))
        })
    }

    /// Uploads a blob and gives its file id.
    pub fn upload(&self, blob: JsValue, options: JsValue) -> Promise {
        let (client, options) = (Rc::clone(&self.0), Js(options));
        promise(options.clone(), async move { client.upload(&Js(blob), &options).await })
    }

    /// A task that was saved.
    ///
    /// # Errors
    /// `invalid_argument` for anything else.
    pub fn task(&self, saved: JsValue) -> Result<Task, Error> {
        self.0.task(&Js(saved)).map(Task::from)
    }

    /// The model catalogue.
    pub fn models(&self, options: JsValue) -> Promise {
        self.ask(Ask::Models, JsValue::UNDEFINED, JsValue::UNDEFINED, options)
    }

    /// What a create would cost.
    pub fn estimate(&self, name: JsValue, input: JsValue, options: JsValue) -> Promise {
        self.ask(Ask::Estimate, name, input, options)
    }
}

impl Media {
    fn ask(&self, ask: Ask, name: JsValue, input: JsValue, options: JsValue) -> Promise {
        let client = Rc::clone(&self.0);
        promise(Js(options), async move { client.ask(ask, &name, &Js(input)).await })
    }
}
