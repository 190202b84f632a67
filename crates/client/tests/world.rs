//! A machine for tests: a platform with virtual time, random numbers from a seed, and a simulated
//! network.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{pending, select};
use mediagate::value::Value;
use mediagate_client::{
    self as client, Block, Exchange, FileBody, FileInfo, Hint, NoResponse, Platform, Response,
    ResponseBody, Wake,
};
use mediagate_core::Value as _;
use serde_json::Value as Json;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

/// The time at which each test begins, in milliseconds since 1970.
pub(crate) const EPOCH_MS: f64 = 1_700_000_000_000.0;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
pub(crate) type Error = client::Error<Tab>;

#[derive(Clone)]
pub(crate) struct Sent {
    /// The number of the tab that sent it.
    pub(crate) tab: usize,
    /// Milliseconds since the start.
    pub(crate) at: u64,
    pub(crate) method: &'static str,
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) token: Option<String>,
    /// The body; `null` without one.
    pub(crate) body: Json,
    pub(crate) upload: Option<FileBody<Value>>,
    pub(crate) capability: Option<&'static str>,
    pub(crate) is_stream: bool,
}

impl Sent {
    /// Returns a header's value; empty if there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let header = self.headers.iter().find(|header| header.0 == name);
        header.map_or("", |header| header.1.as_str())
    }

    pub(crate) fn file_name(&self) -> Option<&str> {
        match &self.upload.as_ref()?.file {
            Value::File(file) => Some(file.name()),
            _ => None,
        }
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sent { at, tab, .. } = self;
        write!(
            formatter,
            "{at} ms: tab {tab}: {} {}",
            self.method, self.url
        )
    }
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    /// Seconds to wait before the next request.
    pub(crate) retry_after: Option<f64>,
    pub(crate) body: ReplyBody,
}

pub(crate) enum ReplyBody {
    Json(Json),
    /// A stream, which ends when its sender is dropped.
    Stream(UnboundedReceiver<String>),
    Other,
}

pub(crate) type Replied = Result<Reply, NoResponse<&'static str>>;

pub(crate) trait Network: Send + Sync {
    /// Receives a request, and returns a future of its response. The future is dropped if the
    /// client aborts the request.
    fn send(&self, sent: &Sent) -> BoxFuture<'static, Replied>;
    /// Observes that the client has received a response.
    fn responded(&self, _sent: &Sent, _replied: &Replied) {}
    /// Observes that the client has read a part of a stream.
    fn read(&self, _sent: &Sent, _text: &str) {}
}

#[derive(Clone)]
pub(crate) enum Running {
    Request(Sent),
    Stream(Sent),
    /// A wait of this number of milliseconds.
    Sleep(u32),
}

impl fmt::Debug for Running {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Running::Request(sent) => write!(formatter, "the request {sent:?}"),
            Running::Stream(sent) => write!(formatter, "the stream {sent:?}"),
            Running::Sleep(milliseconds) => write!(formatter, "a wait of {milliseconds} ms"),
        }
    }
}

/// All that the tabs of a machine share.
pub(crate) struct World {
    start: Instant,
    network: Arc<dyn Network>,
    random: Mutex<fastrand::Rng>,
    last_number: AtomicU64,
    running: Mutex<BTreeMap<u64, Running>>,
    stored: Mutex<BTreeMap<String, String>>,
    violations: Mutex<Vec<String>>,
    has_come_online: Notify,
    is_shown: Notify,
    is_offline: AtomicBool,
    has_been_offline: AtomicBool,
    is_hidden: AtomicBool,
    /// True if requests share a connection, so that many streams can be open.
    pub(crate) is_multiplexed: AtomicBool,
    pub(crate) block: Mutex<Option<Block>>,
    pub(crate) diagnoses: AtomicUsize,
}

impl World {
    /// Makes a machine in a runtime whose time is paused.
    pub(crate) fn new(seed: u64, network: Arc<dyn Network>) -> Arc<Self> {
        Arc::new(World {
            start: Instant::now(),
            network,
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
            last_number: AtomicU64::new(0),
            running: Mutex::default(),
            stored: Mutex::default(),
            violations: Mutex::default(),
            has_come_online: Notify::new(),
            is_shown: Notify::new(),
            is_offline: AtomicBool::new(false),
            has_been_offline: AtomicBool::new(false),
            is_hidden: AtomicBool::new(false),
            is_multiplexed: AtomicBool::new(false),
            block: Mutex::new(None),
            diagnoses: AtomicUsize::new(0),
        })
    }

    /// Returns a new tab of a page, in which a client runs.
    pub(crate) fn tab(self: &Arc<Self>, number: usize) -> Tab {
        Tab {
            world: self.clone(),
            number,
            files: Arc::default(),
        }
    }

    pub(crate) fn elapsed(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    pub(crate) fn random<T>(&self, draw: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        draw(&mut self.random.lock().unwrap())
    }

    pub(crate) fn number(&self) -> u64 {
        self.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn running(&self) -> Vec<Running> {
        self.running.lock().unwrap().values().cloned().collect()
    }

    pub(crate) fn stored(&self, name: &str) -> Option<String> {
        self.stored.lock().unwrap().get(name).cloned()
    }

    /// Stores a text under a name, as another tab may.
    pub(crate) fn store(&self, name: &str, text: &str) {
        let mut stored = self.stored.lock().unwrap();
        stored.insert(name.into(), text.into());
    }

    pub(crate) fn set_offline(&self, is_offline: bool) {
        self.is_offline.store(is_offline, Ordering::Relaxed);
        self.has_been_offline
            .fetch_or(is_offline, Ordering::Relaxed);
        if !is_offline {
            self.has_come_online.notify_waiters();
        }
    }

    pub(crate) fn has_been_offline(&self) -> bool {
        self.has_been_offline.load(Ordering::Relaxed)
    }

    pub(crate) fn set_hidden(&self, is_hidden: bool) {
        self.is_hidden.store(is_hidden, Ordering::Relaxed);
        if !is_hidden {
            self.is_shown.notify_waiters();
        }
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.is_hidden.load(Ordering::Relaxed)
    }

    /// Records that something happened that must not.
    pub(crate) fn violated(&self, message: String) {
        self.violations.lock().unwrap().push(message);
    }

    pub(crate) fn violations(&self) -> Vec<String> {
        self.violations.lock().unwrap().clone()
    }

    /// Runs a future whose panic is recorded: a runtime would catch it.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> tokio::task::JoinHandle<()> {
        let world = self.clone();
        tokio::spawn(async move {
            if let Err(panic) = AssertUnwindSafe(work).catch_unwind().await {
                world.violated(message_of(&*panic));
            }
        })
    }

    fn run(self: &Arc<Self>, running: Running) -> Guard {
        let number = self.number();
        self.running.lock().unwrap().insert(number, running);
        Guard {
            world: self.clone(),
            number,
        }
    }
}

pub(crate) fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".into())
}

/// Counts an activity as running until it is dropped.
struct Guard {
    world: Arc<World>,
    number: u64,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.world.running.lock().unwrap().remove(&self.number);
    }
}

/// A tab of a page: the platform of a client.
#[derive(Clone)]
pub(crate) struct Tab {
    pub(crate) world: Arc<World>,
    number: usize,
    /// The files that were uploaded, and their ids.
    files: Arc<Mutex<Vec<(Value, String)>>>,
}

pub(crate) struct TextStream {
    sent: Sent,
    chunks: UnboundedReceiver<String>,
    _running: Guard,
}

impl Platform for Tab {
    type Value = Value;
    type Cause = &'static str;
    type Stream = TextStream;

    fn now(&self) -> f64 {
        EPOCH_MS + self.world.elapsed() as f64
    }

    fn random(&self) -> f64 {
        self.world.random(fastrand::Rng::f64)
    }

    fn is_offline(&self) -> bool {
        self.world.is_offline.load(Ordering::Relaxed)
    }

    fn is_hidden(&self) -> bool {
        self.world.is_hidden()
    }

    fn is_multiplexed(&self, _base: &str) -> bool {
        self.world.is_multiplexed.load(Ordering::Relaxed)
    }

    fn hint(_hint: Hint) -> &'static str {
        "a hint"
    }

    fn message(cause: &&'static str) -> Option<String> {
        Some((*cause).into())
    }

    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.world.spawn(work);
    }

    fn sleep(&self, milliseconds: u32, wake: Wake) -> BoxFuture<'static, ()> {
        let running = self.world.run(Running::Sleep(milliseconds));
        let world = self.world.clone();
        Box::pin(async move {
            let woken = async {
                match wake {
                    Wake::Never => pending().await,
                    Wake::Visible => world.is_shown.notified().await,
                    Wake::Online => world.has_come_online.notified().await,
                }
            };
            select(Box::pin(pause(milliseconds.into())), Box::pin(woken)).await;
            drop(running);
        })
    }

    fn request(&self, request: client::Request<Value>) -> BoxFuture<'static, Exchange<Self>> {
        let (body, upload) = match request.body {
            client::Body::Empty => (Json::Null, None),
            client::Body::Json(value) => (Json::from(&value), None),
            client::Body::File(upload) => (Json::Null, Some(upload)),
        };
        let sent = Sent {
            tab: self.number,
            at: self.world.elapsed(),
            method: request.method,
            url: request.url,
            headers: request.headers,
            token: request.token,
            body,
            upload,
            capability: request.capability,
            is_stream: request.is_stream,
        };
        let running = self.world.run(Running::Request(sent.clone()));
        let world = self.world.clone();
        let replied = world.network.send(&sent);
        Box::pin(async move {
            let replied = replied.await;
            world.network.responded(&sent, &replied);
            drop(running);
            let reply = replied?;
            let body = match reply.body {
                ReplyBody::Json(json) => ResponseBody::Json(json.into()),
                ReplyBody::Other => ResponseBody::Other,
                ReplyBody::Stream(chunks) => ResponseBody::Stream(TextStream {
                    _running: world.run(Running::Stream(sent.clone())),
                    sent,
                    chunks,
                }),
            };
            Ok(Response {
                status: reply.status,
                request_id: None,
                retry_after: reply.retry_after,
                body,
            })
        })
    }

    fn diagnose(&self, _request: client::Request<Value>) -> BoxFuture<'static, Option<Block>> {
        self.world.diagnoses.fetch_add(1, Ordering::Relaxed);
        let block = *self.world.block.lock().unwrap();
        Box::pin(async move { block })
    }

    fn read<'a>(&self, stream: &'a mut TextStream) -> BoxFuture<'a, Option<String>> {
        let network = self.world.network.clone();
        Box::pin(async move {
            let text = stream.chunks.recv().await?;
            network.read(&stream.sent, &text);
            Some(text)
        })
    }

    fn parse(&self, json: &str) -> Option<Value> {
        serde_json::from_str::<Json>(json).ok().map(Value::from)
    }

    fn load(&self, name: &str) -> Option<String> {
        self.world.stored(name)
    }

    fn store(&self, name: &str, text: &str) {
        self.world.store(name, text);
    }

    fn file_info(&self, file: &Value) -> FileInfo {
        let Value::File(file) = file else {
            panic!("this is a {}", file.kind().described());
        };
        FileInfo {
            name: file.name().into(),
            media_type: file.media_type().into(),
            size: file.size(),
        }
    }

    fn file_id(&self, file: &Value) -> Option<String> {
        let files = self.files.lock().unwrap();
        let known = files.iter().find(|(known, _)| is_same(known, file));
        known.map(|(_, id)| id.clone())
    }

    fn remember_file(&self, file: &Value, id: &str) {
        self.files.lock().unwrap().push((file.clone(), id.into()));
    }
}

fn is_same(one: &Value, other: &Value) -> bool {
    client::HostValue::is_same(one, other)
}

pub(crate) async fn pause(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}
