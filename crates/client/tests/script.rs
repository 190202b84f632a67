//! A network with scripted responses, and helpers that the tests of one client share.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;
use std::sync::{Arc, Mutex};

use mediagate::File;
use mediagate::value::Value;
use mediagate_client as client;
use mediagate_client::{
    Client, Limits, NoResponse, Obstacle, Retry, RetryPolicy, Snapshot, TaskHandle, TokenSource,
};
use mediagate_core::{Capability, find};
use serde_json::{Value as Json, json};
use tokio::sync::{mpsc, oneshot};

use crate::world::{BoxFuture, Error, Network, Replied, Reply, ReplyBody, Running, Sent, Tab};
use crate::world::{World, pause};

pub(crate) const BASE: &str = "https://gateway.test";

#[derive(Clone)]
pub(crate) struct Answer {
    after_ms: u64,
    /// Reports of an upload's progress: milliseconds since the start, and the bytes that were sent.
    progress: Vec<(u64, u64)>,
    retry_after: Option<f64>,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Lost(Option<Obstacle>),
    Never,
    Text(u16),
    Json(u16, Json),
    Stream(Vec<Part>),
}

#[derive(Clone)]
pub(crate) enum Part {
    Text(String),
    Pause(u64),
    /// Nothing follows, and the stream stays open.
    Silence,
}

/// The request gets no response.
pub(crate) fn lost() -> Answer {
    Answer::new(Content::Lost(None))
}

/// There is no connection to send the request on.
pub(crate) fn refused() -> Answer {
    Answer::new(Content::Lost(Some(Obstacle::Refused)))
}

pub(crate) fn unreadable() -> Answer {
    Answer::new(Content::Lost(Some(Obstacle::Unreadable)))
}

/// The Content-Security-Policy of the page does not allow the upload.
pub(crate) fn blocked() -> Answer {
    Answer::new(Content::Lost(Some(Obstacle::Blocked)))
}

/// The request stays without a response.
pub(crate) fn never() -> Answer {
    Answer::new(Content::Never)
}

/// A response that is not JSON.
pub(crate) fn text(status: u16) -> Answer {
    Answer::new(Content::Text(status))
}

pub(crate) fn body(status: u16, body: Json) -> Answer {
    Answer::new(Content::Json(status, body))
}

pub(crate) fn data(data: Json) -> Answer {
    body(200, json!({ "code": 0, "message": "ok", "data": data }))
}

pub(crate) fn refusal(status: u16, code: i32, data: Json) -> Answer {
    body(
        status,
        json!({ "code": code, "message": "refused", "data": data }),
    )
}

/// The gateway sheds the request.
pub(crate) fn shed() -> Answer {
    refusal(429, 16, json!({ "outcome": "not_sent" }))
}

pub(crate) fn state(state: &str) -> Answer {
    data(json!({ "task": { "id": "k/1", "state": state } }))
}

/// An open stream of these parts, which ends after the last one.
pub(crate) fn stream(parts: impl IntoIterator<Item = Part>) -> Answer {
    Answer::new(Content::Stream(parts.into_iter().collect()))
}

pub(crate) fn event(id: impl ToString, state: &str) -> Part {
    record_event(id, &json!({ "task": { "id": "k/1", "state": state } }))
}

/// An event with this `data`, whose first member is its name.
pub(crate) fn record_event(id: impl ToString, data: &Json) -> Part {
    let name = data.as_object().and_then(|data| data.keys().next());
    let body = json!({ "code": 0, "data": data });
    let id = id.to_string();
    let name = name.unwrap();
    Part::Text(format!("id: {id}\nevent: {name}\ndata: {body}\n\n"))
}

impl Answer {
    fn new(content: Content) -> Self {
        Answer {
            after_ms: 0,
            progress: Vec::new(),
            retry_after: None,
            content,
        }
    }

    pub(crate) fn after(mut self, milliseconds: u64) -> Self {
        self.after_ms = milliseconds;
        self
    }

    /// Comes after these reports of an upload's progress: milliseconds since the start, and the
    /// bytes that were sent.
    pub(crate) fn progress(mut self, reports: impl IntoIterator<Item = (u64, u64)>) -> Self {
        self.progress = reports.into_iter().collect();
        self
    }

    pub(crate) fn retry_after(mut self, seconds: f64) -> Self {
        self.retry_after = Some(seconds);
        self
    }
}

/// Responds to each request with the next answer for its line.
#[derive(Default)]
pub(crate) struct Script {
    answers: Mutex<BTreeMap<String, VecDeque<Answer>>>,
    always: Mutex<BTreeMap<String, Answer>>,
    sent: Mutex<Vec<Sent>>,
}

impl Network for Script {
    fn send(&self, sent: &Sent) -> BoxFuture<'static, Replied> {
        let line = line(sent);
        self.sent.lock().unwrap().push(sent.clone());
        let next = self
            .answers
            .lock()
            .unwrap()
            .get_mut(&line)
            .and_then(VecDeque::pop_front);
        let answer = next.or_else(|| self.always.lock().unwrap().get(&line).cloned());
        let answer = answer.unwrap_or_else(|| panic!("there is no answer to {line}"));
        let upload = sent.upload.clone();
        Box::pin(async move {
            let mut elapsed = 0;
            for (at, sent) in answer.progress {
                pause(at - elapsed).await;
                elapsed = at;
                if let Some(upload) = &upload {
                    (upload.on_sent)(sent);
                }
            }
            pause(answer.after_ms.saturating_sub(elapsed)).await;
            let (status, body) = match answer.content {
                Content::Lost(obstacle) => {
                    let cause = "lost";
                    return Err(NoResponse { cause, obstacle });
                }
                Content::Never => futures_util::future::pending().await,
                Content::Text(status) => (status, ReplyBody::Other),
                Content::Json(status, json) => (status, ReplyBody::Json(json)),
                Content::Stream(parts) => (200, ReplyBody::Stream(streamed(parts))),
            };
            if let Some(upload) = upload {
                (upload.on_sent)(4);
            }
            Ok(Reply {
                status,
                retry_after: answer.retry_after,
                body,
            })
        })
    }
}

fn streamed(parts: Vec<Part>) -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for part in parts {
            match part {
                // A client that has closed the stream reads nothing more.
                Part::Text(text) => drop(sender.send(text)),
                Part::Pause(milliseconds) => pause(milliseconds).await,
                Part::Silence => sender.closed().await,
            }
        }
    });
    receiver
}

/// Returns `METHOD path`, without the prefix of the gateway's API; `METHOD URL` for another server.
pub(crate) fn line(sent: &Sent) -> String {
    let url = sent.url.as_str();
    let api = url.strip_prefix("https://gateway.test/api/app/v1/");
    let path = api.or_else(|| url.strip_prefix(BASE).filter(|path| path.starts_with('/')));
    let path = path.unwrap_or(url);
    format!("{} {path}", sent.method)
}

pub(crate) struct Page {
    world: Arc<World>,
    script: Arc<Script>,
}

impl Deref for Page {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl Page {
    pub(crate) fn new() -> Self {
        Page::with_seed(1)
    }

    pub(crate) fn with_seed(seed: u64) -> Self {
        let script = Arc::new(Script::default());
        let world = World::new(seed, script.clone());
        Page { world, script }
    }

    /// Responds with these answers to the next requests of a line.
    pub(crate) fn on(&self, line: &str, answers: impl IntoIterator<Item = Answer>) -> &Self {
        let mut all = self.script.answers.lock().unwrap();
        all.entry(line.into()).or_default().extend(answers);
        self
    }

    /// Responds with this answer to each request of a line without a scripted answer.
    pub(crate) fn always(&self, line: &str, answer: Answer) -> &Self {
        self.script
            .always
            .lock()
            .unwrap()
            .insert(line.into(), answer);
        self
    }

    /// Returns a client with the fixed token `t`.
    pub(crate) fn client(&self) -> Client<Tab> {
        self.client_of(TokenSource::Fixed("t".into()))
    }

    pub(crate) fn client_of(&self, source: TokenSource<Tab>) -> Client<Tab> {
        Client::new(self.world.tab(0), BASE.into(), source)
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.script.sent.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.sent().iter().map(line).collect()
    }

    /// Returns the milliseconds between the requests of a line.
    pub(crate) fn intervals(&self, of: &str) -> Vec<u64> {
        let sent = self.sent();
        let times: Vec<u64> = sent
            .iter()
            .filter(|sent| line(sent) == of)
            .map(|sent| sent.at)
            .collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// Returns the tokens of all requests; an empty text for none.
    pub(crate) fn tokens(&self) -> Vec<String> {
        self.sent()
            .into_iter()
            .map(|sent| sent.token.unwrap_or_default())
            .collect()
    }

    /// Starts a call, which runs until its end, or until the handle is aborted.
    pub(crate) fn start<T: Send + 'static>(
        &self,
        call: impl Future<Output = T> + Send + 'static,
    ) -> tokio::task::JoinHandle<T> {
        tokio::spawn(call)
    }

    /// Lets all futures run, and then asserts that nothing is under way.
    #[track_caller]
    pub(crate) fn assert_rest(&self) -> impl Future<Output = ()> {
        let caller = std::panic::Location::caller();
        async move {
            pause(1).await;
            let running = self.world.running();
            assert!(running.is_empty(), "at {caller}: {running:?} is under way");
            assert_eq!(self.world.violations(), Vec::<String>::new(), "at {caller}");
        }
    }

    pub(crate) fn open(&self) -> usize {
        let running = self.world.running();
        running
            .iter()
            .filter(|running| !matches!(running, Running::Sleep(_)))
            .count()
    }
}

pub(crate) fn capability(name: &str) -> &'static Capability {
    find(name).unwrap()
}

/// Returns a file of nine bytes.
pub(crate) fn file(name: &str, media_type: &str) -> Value {
    Value::File(File::from_bytes(name, vec![0; 9]).with_media_type(media_type))
}

/// Returns an input of JSON, in which files take the places of the strings `#0`, `#1` and so on.
pub(crate) fn input(json: Json, files: &[Value]) -> Value {
    match json {
        Json::String(text) => match text.strip_prefix('#').map(str::parse::<usize>) {
            Some(Ok(index)) => files[index].clone(),
            _ => Value::from(Json::String(text)),
        },
        Json::Array(items) => {
            Value::List(items.into_iter().map(|item| input(item, files)).collect())
        }
        Json::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, value)| (name, input(value, files)));
            Value::Object(Arc::new(members.collect()))
        }
        other => other.into(),
    }
}

pub(crate) fn limits() -> Limits<Tab> {
    Limits::default()
}

pub(crate) fn timeout(milliseconds: u32) -> Limits<Tab> {
    Limits {
        timeout_ms: Some(milliseconds),
        ..limits()
    }
}

pub(crate) fn retries(max_retries: u32) -> Limits<Tab> {
    Limits {
        retry: RetryPolicy {
            max_retries,
            on_retry: None,
        },
        ..limits()
    }
}

pub(crate) fn abortable() -> (Limits<Tab>, Abort) {
    let (sender, receiver) = oneshot::channel();
    let abort = async move {
        match receiver.await {
            Ok(cause) => cause,
            Err(_) => futures_util::future::pending().await,
        }
    };
    let limits = Limits {
        abort: Some(Box::pin(abort)),
        ..limits()
    };
    (limits, Abort(sender))
}

pub(crate) struct Abort(oneshot::Sender<&'static str>);

impl Abort {
    /// Aborts the call with the cause `enough`.
    pub(crate) fn abort(self) {
        self.0.send("enough").ok();
    }
}

/// The notices of retries: the number of the attempt, the wait and the kind of the error.
pub(crate) type Notices = Arc<Mutex<Vec<(u32, u32, &'static str)>>>;

pub(crate) fn noticed(max_retries: u32) -> (Limits<Tab>, Notices) {
    let notices = Notices::default();
    let noticed = notices.clone();
    let on_retry = move |retry: Retry<Tab>| {
        let notice = (retry.attempt, retry.delay_ms, retry.error.kind.name());
        noticed.lock().unwrap().push(notice);
    };
    let mut limits = retries(max_retries);
    limits.retry.on_retry = Some(Arc::new(on_retry));
    (limits, notices)
}

pub(crate) fn state_of(task: &TaskHandle<Tab>) -> String {
    text_of(&task.snapshot())
}

pub(crate) fn text_of(snapshot: &Snapshot<Value>) -> String {
    snapshot.state.clone().unwrap_or_default()
}

pub(crate) fn failure<T>(result: Result<T, Error>) -> (&'static str, Option<&'static str>) {
    let error = result.err().unwrap();
    (
        error.kind.name(),
        error.outcome.map(mediagate_core::Outcome::name),
    )
}

/// A source of tokens from a function, which receives the number of the call, from 1.
pub(crate) fn provider<F>(returned: F) -> (client::Provider<Tab>, Arc<Mutex<u32>>)
where
    F: Fn(u32) -> (u64, Result<String, &'static str>) + Send + Sync + 'static,
{
    let calls: Arc<Mutex<u32>> = Arc::default();
    let counted = calls.clone();
    let provider = move |()| -> BoxFuture<'static, client::Provided<Tab>> {
        let number = {
            let mut calls = counted.lock().unwrap();
            *calls += 1;
            *calls
        };
        let (delay, result) = returned(number);
        Box::pin(async move {
            pause(delay).await;
            result.map(|text| Json::from(text).into())
        })
    };
    (Arc::new(provider), calls)
}
