//! A client of one gateway: its requests, uploads and tasks.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use mediagate_core::{Capability, Value, find};
use wasm_bindgen::JsValue;

use super::create::Create;
use super::error::Error;
use super::gateway::Gateway;
use super::input::prepare;
use super::response::Expected;
use super::source::to_blob;
use super::task::Task;
use super::token_source::session;
use super::transport::{base_url, to_json};
use super::uploads::{Uploads, notify_done};
use crate::host;
use crate::value::Js;

/// A client of one gateway.
pub struct Client {
    gateway: Rc<Gateway>,
    uploads: Rc<Uploads>,
    /// The tasks that the page uses. A task that is created or restored again is the same one, so that all of its
    /// subscribers share a stream.
    tasks: RefCell<Vec<Weak<Task>>>,
}

/// The capability of this name.
///
/// # Errors
/// `invalid_argument` for any other value.
pub fn capability(name: &JsValue) -> Result<&'static Capability, Error> {
    let known = name.as_string().and_then(|it| find(&it));
    known.ok_or_else(|| Error::argument("no such capability; capabilities() lists their names"))
}

impl Client {
    /// A client with the options `{url, token, turnstile, network}`. An anonymous session is opened at once, so that a
    /// gateway that is missing or misconfigured is an error here.
    ///
    /// # Errors
    /// `invalid_argument` for options that are not valid; those of `POST /session`.
    pub async fn connect(options: &Js) -> Result<Self, Error> {
        let base = options.get("url").and_then(|it| base_url(&it));
        let base =
            base.ok_or_else(|| Error::argument("connect needs the gateway's url: http or https, no query, no user"))?;
        let base: Rc<str> = base.into();
        let network = options.member("network");
        let (token, turnstile) = (options.member("token"), options.member("turnstile"));
        let session = session(Rc::clone(&base), token, turnstile, network.clone())?;
        if session.is_anonymous() {
            session.token().await?;
        }
        let gateway = Rc::new(Gateway { base, session, network, streams: Cell::new(0) });
        Ok(Client { uploads: Rc::new(Uploads::new(Rc::clone(&gateway))), gateway, tasks: RefCell::default() })
    }

    /// Requests an operation of the gateway. `name` and `input` are those of a capability, except for
    /// [`Operation::Models`]. Files in the input are uploaded first. Returns the response's `data`, or the snapshot of a
    /// created task.
    ///
    /// # Errors
    /// `invalid_argument` for an unknown name; `invalid_input` with all issues, before anything is sent; every code of
    /// the upstream (§7); the client's own codes.
    pub async fn request(&self, operation: Operation, name: &JsValue, input: &Js) -> Result<JsValue, Error> {
        let Operation::Models = operation else {
            return self.request_capability(operation, capability(name)?, input).await;
        };
        self.gateway.call("models", JsValue::UNDEFINED, Expected::Data).send().await
    }

    async fn request_capability(
        &self,
        operation: Operation,
        capability: &'static Capability,
        input: &Js,
    ) -> Result<JsValue, Error> {
        let body = prepare(&self.uploads, capability, &input.0).await?;
        let mut call;
        match &operation {
            Operation::Create(create) => {
                call = self.gateway.call(capability.path, to_json(&body)?, Expected::Created(capability));
                call.request.headers[0] = ("idempotency-key", create.key.clone());
                call.create = Some(create);
            }
            _ => {
                let estimate = host::object(&[("capability", capability.name())]);
                host::set(&estimate, "input", &body);
                call = self.gateway.call("credits/estimate", to_json(&estimate)?, Expected::Data);
            }
        }
        call.request.capability = capability.name();
        call.send().await
    }

    /// The task of a create, by the name of its capability and the snapshot that the create returned.
    ///
    /// # Errors
    /// `invalid_argument` for an unknown name.
    pub fn created(&self, name: &JsValue, snapshot: JsValue) -> Result<Rc<Task>, Error> {
        let task = self.unique(Task::created(Rc::clone(&self.gateway), capability(name)?, snapshot.clone()));
        task.update(snapshot);
        Ok(task)
    }

    /// Uploads a file, bytes or a stream, with the options `{name, type, onProgress}`, and returns its file id.
    ///
    /// # Errors
    /// `invalid_argument` for any other source, an empty one, and an `onProgress` that is not a function;
    /// `upload_failed` where the storage did not accept the bytes; those of any read.
    pub async fn upload(&self, file: &Js, options: &Js) -> Result<JsValue, Error> {
        let progress = options.member("onProgress");
        if !progress.is_undefined() && !progress.is_function() {
            return Err(Error::argument("onProgress is not a function; give one that takes { loaded, total }"));
        }
        let file = to_blob(file, options).await?;
        let size = file.size();
        let id = self.uploads.start(file, progress.clone()).await?;
        notify_done(&progress, size);
        Ok(id)
    }

    /// A task restored from the value of [`Task::saved`].
    ///
    /// # Errors
    /// `invalid_argument` for any other value.
    pub fn task(&self, saved: &Js) -> Result<Rc<Task>, Error> {
        Task::restored(Rc::clone(&self.gateway), saved).map(|it| self.unique(it))
    }

    /// The same task, where the page uses it already, or else this one.
    fn unique(&self, task: Task) -> Rc<Task> {
        let mut tasks = self.tasks.borrow_mut();
        tasks.retain(|it| it.strong_count() > 0);
        if let Some(known) = tasks.iter().filter_map(Weak::upgrade).find(|it| it.is(&task)) {
            return known;
        }
        let task = Rc::new(task);
        tasks.push(Rc::downgrade(&task));
        task
    }
}

/// What a client can request of its gateway.
pub enum Operation {
    /// The model catalogue.
    Models,
    /// What a create would cost.
    Estimate,
    /// A new task.
    Create(Rc<Create>),
}
