//! The platform of a client, which a script implements.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use js_sys::{Date, JSON, Math, Promise};
use mediagate_client::{
    self as client, Block, Body, BoxFuture, Exchange, FileInfo, Hint, HostValue, NoResponse,
    Obstacle, Request, Response, ResponseBody, Snapshot, Wake, hints,
};
use mediagate_core::Value as _;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::value::Js;

#[wasm_bindgen(typescript_custom_section)]
const PLATFORM: &str = r#"
/**
 * The machine that a client runs on. The package `mediagate/platform` has one for browsers and
 * servers.
 */
export interface Platform {
  /** Returns true if the machine reports that it is offline. */
  isOffline(): boolean;
  /** Returns true if the page is hidden. */
  isHidden(): boolean;
  /** Returns true if any number of requests may be open at once, to URLs that begin with `base`. */
  isMultiplexed(base: string): boolean;
  /**
   * Waits for a number of milliseconds. The event `wake`, `visibilitychange` or `online`, ends the
   * wait early.
   */
  sleep(milliseconds: number, wake: string | undefined): Operation<void>;
  /** Sends a request. It rejects with the cause if there is no response. */
  request(request: PlatformRequest): Operation<PlatformResponse>;
  /**
   * Returns the reason for a rejection with a cause: there was no connection to send the request
   * on, the file of an upload can't be read, or the page's Content-Security-Policy blocks an
   * upload.
   */
  reasonOf(cause: unknown): "refused" | "unreadable" | "blocked" | undefined;
  /**
   * Finds out why a request got no response: the browser may block it. For an upload, `large` says
   * that the server responds to a request without a body.
   */
  diagnose(request: PlatformRequest): Operation<"cors" | "policy" | "local" | "large" | undefined>;
  /** Reads the next text of a stream; `undefined` when it ends or breaks. */
  read(stream: unknown): Promise<string | undefined>;
  /** Closes a stream. */
  close(stream: unknown): void;
  /** Returns the text stored under a name. It may outlive the page. */
  load(name: string): string | undefined;
  /** Stores a text under a name. Does nothing if the machine has no storage. */
  store(name: string, text: string): void;
  /** Returns the name, the media type and the size in bytes of a file. */
  fileInfo(file: Blob): { readonly name: string; readonly type: string; readonly size: number };
  /** Returns the id of a file from `rememberFile`. */
  fileId(file: Blob): string | undefined;
  /** Stores the id of a file, for as long as the caller has the file. An upload reads it back. */
  rememberFile(file: Blob, id: string): void;
  /**
   * Returns the snapshot that a caller sees: of a task, or of a pipeline if there is no capability.
   * `unansweredSince` is in milliseconds since 1970, if reads of the task fail. Returns the same
   * object for the same record and time.
   */
  snapshot(
    id: string | undefined,
    capability: string | undefined,
    state: string | undefined,
    progress: number | undefined,
    record: unknown,
    unansweredSince: number | undefined,
  ): unknown;
}

/** Work of a platform for a client. */
export interface Operation<Result> {
  /** The result. */
  readonly done: Promise<Result>;
  /** Ends the work. Its result is no longer needed. */
  abort(): void;
}

/** A request of a client. */
export interface PlatformRequest {
  readonly method: string;
  readonly url: string;
  /** The headers, without `authorization` and `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The token, for the header `authorization`. */
  readonly token?: string | undefined;
  /** The name of the capability of the task. */
  readonly capability?: string | undefined;
  /** The body, to be sent as JSON. */
  readonly body?: unknown;
  /** The body of an upload. */
  readonly file?: Blob | undefined;
  /**
   * The response of `upload_urls`. Its `method`, `headers` and `fields` describe the request of the
   * upload.
   */
  readonly target?: unknown;
  /** True if the caller subscribes to the progress of the upload. */
  readonly hasSubscriber?: boolean | undefined;
  /** Receives the number of bytes of an upload that were sent. */
  readonly onSent?: ((loaded: number) => void) | undefined;
  /** True if a response of the type `text/event-stream` is left open, to be read by `read`. */
  readonly isStream: boolean;
}

/** A response with any status. */
export interface PlatformResponse {
  /** The HTTP status; 0 if a middleware of the caller returned something that is not a response. */
  readonly status: number;
  /** The header `x-request-id`. */
  readonly requestId?: string | undefined;
  /** The time to wait from `Retry-After`, in seconds. */
  readonly retryAfter?: number | undefined;
  /** The body, if it is JSON. */
  readonly body?: unknown;
  /** The stream that was left open. */
  readonly stream?: unknown;
}
"#;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// Makes a request, with the members of an upload.
    #[wasm_bindgen(js_name = platformRequest)]
    fn platform_request(
        method: &str,
        url: &str,
        headers: &JsValue,
        token: Option<&str>,
        capability: Option<&str>,
        is_stream: bool,
        body: &JsValue,
        upload: &JsValue,
    ) -> JsValue;
}

#[wasm_bindgen(raw_module = "./panic.js")]
extern "C" {
    /// Reports a panic, before the wasm traps.
    pub(crate) fn panicked(message: &str);
}

#[wasm_bindgen]
extern "C" {
    /// The platform that a script implements.
    #[wasm_bindgen(typescript_type = "Platform")]
    #[derive(Clone)]
    pub type Script;

    #[wasm_bindgen(method, js_name = isOffline)]
    fn is_offline(this: &Script) -> bool;
    #[wasm_bindgen(method, js_name = isHidden)]
    fn is_hidden(this: &Script) -> bool;
    #[wasm_bindgen(method, js_name = isMultiplexed)]
    fn is_multiplexed(this: &Script, base: &str) -> bool;
    #[wasm_bindgen(method)]
    fn sleep(this: &Script, milliseconds: u32, wake: Option<&str>) -> Operation;
    #[wasm_bindgen(method)]
    fn request(this: &Script, request: &JsValue) -> Operation;
    #[wasm_bindgen(method, js_name = reasonOf)]
    fn reason_of(this: &Script, cause: &JsValue) -> Option<String>;
    #[wasm_bindgen(method)]
    fn diagnose(this: &Script, request: &JsValue) -> Operation;
    #[wasm_bindgen(method)]
    fn read(this: &Script, stream: &JsValue) -> Promise;
    #[wasm_bindgen(method)]
    fn close(this: &Script, stream: &JsValue);
    #[wasm_bindgen(method)]
    fn load(this: &Script, name: &str) -> Option<String>;
    #[wasm_bindgen(method)]
    fn store(this: &Script, name: &str, text: &str);
    #[wasm_bindgen(method, js_name = fileInfo)]
    fn file_info(this: &Script, file: &JsValue) -> ScriptFileInfo;
    #[wasm_bindgen(method, js_name = fileId)]
    fn file_id(this: &Script, file: &JsValue) -> Option<String>;
    #[wasm_bindgen(method, js_name = rememberFile)]
    fn remember_file(this: &Script, file: &JsValue, id: &str);
    #[wasm_bindgen(method)]
    fn snapshot(
        this: &Script,
        id: Option<&str>,
        capability: Option<&str>,
        state: Option<&str>,
        progress: Option<f64>,
        record: &JsValue,
        unanswered_since: Option<f64>,
    ) -> JsValue;

    type ScriptFileInfo;
    #[wasm_bindgen(method, getter)]
    fn name(this: &ScriptFileInfo) -> String;
    #[wasm_bindgen(method, getter, js_name = "type")]
    fn media_type(this: &ScriptFileInfo) -> String;
    #[wasm_bindgen(method, getter)]
    fn size(this: &ScriptFileInfo) -> f64;

    type ScriptResponse;
    #[wasm_bindgen(method, getter)]
    fn status(this: &ScriptResponse) -> u16;
    #[wasm_bindgen(method, getter, js_name = requestId)]
    fn request_id(this: &ScriptResponse) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = retryAfter)]
    fn retry_after(this: &ScriptResponse) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn body(this: &ScriptResponse) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn stream(this: &ScriptResponse) -> JsValue;

    pub(crate) type Operation;
    #[wasm_bindgen(method, getter)]
    fn done(this: &Operation) -> Promise;
    #[wasm_bindgen(method)]
    fn abort(this: &Operation);
}

/// An operation of the script. Dropping it before its end aborts it.
pub(crate) struct AbortOnDrop {
    operation: Operation,
    has_ended: bool,
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if !self.has_ended {
            self.operation.abort();
        }
    }
}

impl AbortOnDrop {
    pub(crate) fn new(operation: Operation) -> Self {
        AbortOnDrop {
            operation,
            has_ended: false,
        }
    }

    pub(crate) async fn result(mut self) -> Result<JsValue, JsValue> {
        let result = JsFuture::from(self.operation.done()).await;
        // Only an operation that is dropped before this point is aborted.
        self.has_ended = true;
        result
    }
}

/// A stream that is closed when it is dropped.
pub struct Stream {
    script: Script,
    stream: JsValue,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.script.close(&self.stream);
    }
}

impl client::Platform for Script {
    type Value = Js;
    type Cause = JsValue;
    type Stream = Stream;

    fn now(&self) -> f64 {
        Date::now()
    }

    fn random(&self) -> f64 {
        Math::random()
    }

    fn is_offline(&self) -> bool {
        self.is_offline()
    }

    fn is_hidden(&self) -> bool {
        self.is_hidden()
    }

    fn is_multiplexed(&self, base: &str) -> bool {
        self.is_multiplexed(base)
    }

    fn hint(hint: Hint) -> &'static str {
        match hint {
            Hint::CheckConnection => {
                "check that the gateway runs at the url, the connection, connect-src of the page's \
                 Content-Security-Policy, the gateway's ALLOWED_ORIGINS, and each header that a \
                 middleware adds"
            }
            Hint::AllowOrigin => {
                "CORS does not allow it: check the url, the gateway's ALLOWED_ORIGINS, and each \
                 header that a middleware adds"
            }
            Hint::AllowConnection => hints::ALLOW_CONNECTION,
            Hint::AllowLocalNetwork => {
                "the gateway is on this machine or in a private network, and the page is not: \
                 allow the site to access the local network, and add \
                 allow=\"local-network-access\" to a frame"
            }
            Hint::RaiseBodyLimit => hints::RAISE_BODY_LIMIT,
            Hint::CheckStorage => {
                "check the connection, and that the storage allows this page's origin (CORS)"
            }
            Hint::AllowStorage => hints::ALLOW_STORAGE,
            Hint::ChooseAgain => {
                "let the person choose the file again; a folder has no bytes of its own"
            }
            Hint::ReadStorageResponse => "the browser's network log has its response",
            Hint::CheckUrl => hints::CHECK_URL,
            Hint::RepeatCreate => {
                "before creating it again, repeat it with error.idempotencyKey, which makes no \
                 second task"
            }
            Hint::ChangeContent => hints::CHANGE_CONTENT,
            Hint::ReadTask => "error.task.raw is the whole record; the task can be created again",
            Hint::ReadTaskLater => "read the task later with task.refresh()",
            Hint::ReadSteps => {
                "error.pipeline.steps has each step; resume() begins again with those that did \
                 not succeed"
            }
        }
    }

    fn message(cause: &JsValue) -> Option<String> {
        let message = Js(cause.clone()).get("message");
        let text = message.and_then(|message| message.text());
        text.filter(|text| !text.is_empty())
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        spawn_local(work);
    }

    fn sleep(&self, milliseconds: u32, wake: Wake) -> BoxFuture<'static, ()> {
        let event = match wake {
            Wake::Never => None,
            Wake::Visible => Some("visibilitychange"),
            Wake::Online => Some("online"),
        };
        let sleep = AbortOnDrop::new(self.sleep(milliseconds, event));
        Box::pin(async move {
            sleep.result().await.ok();
        })
    }

    fn request(&self, request: Request<Js>) -> BoxFuture<'static, Exchange<Self>> {
        let script = self.clone();
        Box::pin(async move {
            // The script calls the closure until the request ends, so the closure must live until
            // then.
            let on_sent = progress_of(&request);
            let sent = script.request(&script_request(request, on_sent.as_ref()));
            let response: ScriptResponse = match AbortOnDrop::new(sent).result().await {
                Ok(response) => response.unchecked_into(),
                Err(cause) => {
                    let obstacle = match script.reason_of(&cause).as_deref() {
                        Some("refused") => Some(Obstacle::Refused),
                        Some("unreadable") => Some(Obstacle::Unreadable),
                        Some("blocked") => Some(Obstacle::Blocked),
                        _ => None,
                    };
                    return Err(NoResponse { cause, obstacle });
                }
            };
            let stream = response.stream();
            let body = response.body();
            let body = if !stream.is_undefined() {
                ResponseBody::Stream(Stream { script, stream })
            } else if !body.is_undefined() {
                ResponseBody::Json(Js(body))
            } else {
                ResponseBody::Other
            };
            Ok(Response {
                status: response.status(),
                request_id: response.request_id(),
                retry_after: response.retry_after(),
                body,
            })
        })
    }

    fn diagnose(&self, request: Request<Js>) -> BoxFuture<'static, Option<Block>> {
        let block = AbortOnDrop::new(self.diagnose(&script_request(request, None)));
        Box::pin(async move {
            match block.result().await.ok()?.as_string()?.as_str() {
                "cors" => Some(Block::Cors),
                "policy" => Some(Block::Policy),
                "local" => Some(Block::LocalNetwork),
                "large" => Some(Block::LargeBody),
                _ => None,
            }
        })
    }

    fn read<'a>(&self, stream: &'a mut Stream) -> BoxFuture<'a, Option<String>> {
        let text = JsFuture::from(self.read(&stream.stream));
        Box::pin(async move { text.await.ok()?.as_string() })
    }

    fn parse(&self, json: &str) -> Option<Js> {
        JSON::parse(json).ok().map(Js)
    }

    fn load(&self, name: &str) -> Option<String> {
        self.load(name)
    }

    fn store(&self, name: &str, text: &str) {
        self.store(name, text);
    }

    fn file_info(&self, file: &Js) -> FileInfo {
        let info = self.file_info(&file.0);
        FileInfo {
            name: info.name(),
            media_type: info.media_type(),
            size: info.size() as u64,
        }
    }

    fn file_id(&self, file: &Js) -> Option<String> {
        self.file_id(&file.0)
    }

    fn remember_file(&self, file: &Js, id: &str) {
        self.remember_file(&file.0, id);
    }
}

type OnSent = Closure<dyn Fn(f64)>;

fn progress_of(request: &Request<Js>) -> Option<OnSent> {
    let Body::File(upload) = &request.body else {
        // Only uploads report their progress.
        return None;
    };
    let on_sent = upload.on_sent.clone();
    Some(Closure::new(move |loaded: f64| on_sent(loaded as u64)))
}

fn script_request(request: Request<Js>, on_sent: Option<&OnSent>) -> JsValue {
    let headers = request.headers.iter();
    let headers = headers.map(|(name, value)| (*name, Js::from_text(value)));
    let (body, upload) = match request.body {
        Body::Empty => (JsValue::UNDEFINED, JsValue::UNDEFINED),
        Body::Json(body) => (body.0, JsValue::UNDEFINED),
        Body::File(upload) => {
            let mut members = Vec::from([
                ("file", upload.file),
                ("target", upload.target),
                ("hasSubscriber", Js(upload.has_subscriber.into())),
            ]);
            members.extend(on_sent.map(|on_sent| ("onSent", Js(on_sent.as_ref().clone()))));
            (JsValue::UNDEFINED, Js::from_members(members).0)
        }
    };
    platform_request(
        request.method,
        &request.url,
        &Js::from_members(headers.collect()).0,
        request.token.as_deref(),
        request.capability,
        request.is_stream,
        &body,
        &upload,
    )
}

impl Script {
    pub(crate) fn show(&self, snapshot: &Arc<Snapshot<Js>>) -> JsValue {
        self.snapshot(
            snapshot.id.as_deref(),
            snapshot.capability.map(mediagate_core::Capability::name),
            snapshot.state.as_deref(),
            snapshot.progress,
            snapshot
                .raw
                .as_ref()
                .map_or(&JsValue::UNDEFINED, |raw| &raw.0),
            snapshot.unanswered_since_ms,
        )
    }
}
