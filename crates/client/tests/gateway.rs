//! A gateway that fails at random, and checks that the client never sends certain requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use mediagate_client::{NoResponse, Obstacle};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use crate::script::{BASE, line};
use crate::world::{BoxFuture, Network, Replied, Reply, ReplyBody, Running, Sent, World, pause};

/// The URL of the storage, which must get no token.
const STORAGE: &str = "https://storage.test/";

#[derive(Clone, Debug, Default)]
pub(crate) struct Create {
    pub(crate) task: Option<String>,
    /// The number of submissions to the upstream.
    pub(crate) submitted: u32,
    pub(crate) charged: u32,
}

pub(crate) struct Gateway {
    world: OnceLock<Weak<World>>,
    /// The share of requests that fail, from 0 to 1.
    faults: f64,
    /// The share of streams that work, from 0 to 1.
    streams: f64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    creates: BTreeMap<String, Create>,
    /// The states through which each task goes.
    tasks: BTreeMap<String, Vec<&'static str>>,
    begun: BTreeMap<String, u64>,
    stored: BTreeSet<(usize, String)>,
    last_event: BTreeMap<(usize, String), String>,
    tokens: u32,
    count: u32,
}

impl Gateway {
    pub(crate) fn new(faults: f64, streams: f64) -> Arc<Self> {
        Arc::new(Gateway {
            world: OnceLock::new(),
            faults,
            streams,
            state: Mutex::default(),
        })
    }

    /// Names the machine whose requests it receives.
    pub(crate) fn watch(&self, world: &Arc<World>) {
        self.world.set(Arc::downgrade(world)).unwrap();
    }

    /// Returns the effect of the creates with a key.
    pub(crate) fn create_of(&self, key: &str) -> Create {
        let creates = &self.state.lock().unwrap().creates;
        creates.get(key).cloned().unwrap_or_default()
    }

    pub(crate) fn token(&self) -> String {
        let mut state = self.state.lock().unwrap();
        state.tokens += 1;
        format!("token-{}", state.tokens)
    }

    /// Makes a new token, or fails like a request.
    pub(crate) fn fetch_token(&self) -> Result<String, &'static str> {
        if self.chance(self.faults) {
            return Err("the backend failed");
        }
        Ok(self.token())
    }

    fn world(&self) -> Arc<World> {
        self.world.get().and_then(Weak::upgrade).unwrap()
    }

    fn chance(&self, share: f64) -> bool {
        self.world().random(|random| random.f64() < share)
    }

    fn pick<T: Copy>(&self, of: &[T]) -> T {
        self.world().random(|random| of[random.usize(..of.len())])
    }

    fn must(&self, holds: bool, what: &str, sent: &Sent) {
        if !holds {
            self.world().violated(format!("{what}: {sent:?}"));
        }
    }

    /// Checks the rules for every request.
    fn inspect(&self, sent: &Sent) {
        let is_relay = sent.url.starts_with(&format!("{BASE}/api/app/v1/"));
        let is_session = sent.url == format!("{BASE}/session");
        let has_token = sent.token.is_some();
        self.must(
            has_token == is_relay || is_session,
            "a token goes only to the gateway",
            sent,
        );
        let running = self.world().running();
        let count = |is: &dyn Fn(&Sent) -> bool| {
            let of_tab = running.iter().filter(|running| match running {
                Running::Request(other) | Running::Stream(other) => {
                    other.tab == sent.tab && is(other)
                }
                Running::Sleep(_) => false,
            });
            of_tab.count()
        };
        let is_upload = |sent: &Sent| sent.upload.is_some() || line(sent) == "POST upload_urls";
        self.must(count(&is_upload) <= 4, "four uploads at a time", sent);
        self.must(
            count(&|sent| line(sent) == "POST files") <= 4,
            "four transfers at a time",
            sent,
        );
        self.must(
            count(&|sent| sent.is_stream) <= 3,
            "three streams at a time",
            sent,
        );
        self.must(
            count(&|other| sent.is_stream && other.url == sent.url) <= 1,
            "one stream of a task",
            sent,
        );
        if let Some(name) = sent.file_name() {
            let is_stored = self
                .state
                .lock()
                .unwrap()
                .stored
                .contains(&(sent.tab, name.into()));
            self.must(!is_stored, "a file is uploaded once", sent);
            self.must(
                count(&|other| other.file_name() == Some(name)) <= 1,
                "one upload of a file",
                sent,
            );
        }
        if sent.is_stream {
            let state = self.state.lock().unwrap();
            let last = state.last_event.get(&(sent.tab, sent.url.clone()));
            let last = last.map_or("", String::as_str);
            let is_known = sent.header("last-event-id") == last;
            drop(state);
            self.must(is_known, "a stream resumes after its last event", sent);
        }
    }

    /// Delays a request, and may lose it or its response.
    async fn respond(self: Arc<Self>, sent: Sent) -> Replied {
        let world = self.world();
        pause(world.random(|random| {
            if random.u8(..20) == 0 {
                random.u64(..45_000)
            } else {
                random.u64(..300)
            }
        }))
        .await;
        if self.chance(self.faults) {
            match self.pick(&[0, 1, 2, 3]) {
                0 => return lost(false),
                1 => return lost(true),
                2 => return text(503),
                _ => {
                    let seconds = self.pick(&[1.0, 5.0, 61.0]);
                    return Ok(Reply {
                        status: 429,
                        retry_after: Some(seconds),
                        body: ReplyBody::Json(
                            json!({ "code": 16, "message": "wait", "data": { "outcome": "not_sent" } }),
                        ),
                    });
                }
            }
        }
        let replied = self.process(&sent);
        // The response to a processed request may be lost too.
        if self.chance(self.faults) {
            lost(false)
        } else {
            replied
        }
    }

    fn process(&self, sent: &Sent) -> Replied {
        let line = line(sent);
        let (method, path) = line.split_once(' ').unwrap();
        if sent.url.starts_with(STORAGE) {
            return text(if self.chance(0.1) { 403 } else { 200 });
        }
        if self.chance(0.02) {
            return refusal(401, 13, json!({}));
        }
        match (method, path) {
            (_, "/session") => {
                data(json!({ "session": { "token": self.token(), "expires_in": 60 } }))
            }
            (_, "models") => data(json!({ "models": [] })),
            (_, "upload_urls") => {
                let name = sent.body["file_name"].as_str().unwrap();
                data(
                    json!({ "upload_url": format!("{STORAGE}{name}"), "file_id": format!("id of {name}") }),
                )
            }
            (_, "files") if self.chance(0.3) => data(json!({ "loaded": 1, "total": 2 })),
            (_, "files") => data(json!({ "file_id": "moved" })),
            ("POST", _) => self.create(sent),
            _ if sent.is_stream => self.stream(sent),
            _ => {
                let task = task_of(path);
                match self.state_of(&task) {
                    Some(state) => record(&task, state),
                    None => refusal(404, 12, json!({ "reason": "unknown_task" })),
                }
            }
        }
    }

    fn create(&self, sent: &Sent) -> Replied {
        let key = sent.header("idempotency-key").to_owned();
        self.must(!key.is_empty(), "a create has a key", sent);
        let uses_files = |value: &Json| {
            value
                .as_array()
                .is_none_or(|ids| ids.iter().all(Json::is_string))
        };
        let has_ids = sent.body.as_object().unwrap().values().all(uses_files);
        self.must(has_ids, "an input has ids instead of files", sent);
        let fate = self.pick(&[0, 0, 0, 0, 1, 2]);
        let mut state = self.state.lock().unwrap();
        let known = state
            .creates
            .get(&key)
            .and_then(|create| create.task.clone());
        if let Some(task) = known {
            drop(state);
            return record(&task, self.state_of(&task).unwrap());
        }
        if state
            .creates
            .get(&key)
            .is_some_and(|create| create.submitted > 0)
        {
            return refusal(504, 1405, json!({ "outcome": "unknown" }));
        }
        state.count += 1;
        let task = format!("task-{}", state.count);
        let create = state.creates.entry(key).or_default();
        create.submitted += 1;
        if fate == 1 {
            create.submitted = 0;
            return refusal(402, 1401, json!({ "outcome": "rejected" }));
        }
        create.charged += 1;
        if fate == 2 {
            return refusal(504, 1405, json!({ "outcome": "unknown" }));
        }
        create.task = Some(task.clone());
        drop(state);
        let end = self.pick(&["SUCCEEDED", "SUCCEEDED", "FAILED", "EXPIRED"]);
        let now = self.world().elapsed();
        let mut state = self.state.lock().unwrap();
        state
            .tasks
            .insert(task.clone(), vec!["QUEUED", "RUNNING", end]);
        state.begun.insert(task.clone(), now);
        drop(state);
        record(&task, "QUEUED")
    }

    /// Returns the present state of a task. Each state lasts for eight seconds.
    fn state_of(&self, task: &str) -> Option<&'static str> {
        let now = self.world().elapsed();
        let state = self.state.lock().unwrap();
        let states = state.tasks.get(task)?;
        let begun = state.begun.get(task)?;
        let index = ((now - begun) / 8_000) as usize;
        states.get(index).or(states.last()).copied()
    }

    fn stream(&self, sent: &Sent) -> Replied {
        let task = task_of(&sent.url);
        if !self.chance(self.streams) || self.state_of(&task).is_none() {
            return text(404);
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let world = self.world();
        let breaks_after = world.random(|random| random.u64(..60_000));
        let silent = self.chance(0.1);
        let state_of = {
            let states = self.state.lock().unwrap();
            let all = states.tasks[&task].clone();
            let begun = states.begun[&task];
            move |now: u64| {
                let index = ((now - begun) / 8_000) as usize;
                (index.min(all.len() - 1), all[index.min(all.len() - 1)])
            }
        };
        world.spawn({
            let world = world.clone();
            async move {
                let end = world.elapsed() + breaks_after;
                let mut last = None;
                while !sender.is_closed() && !silent && world.elapsed() < end {
                    let (index, state) = state_of(world.elapsed());
                    let text = if last.replace(index) == Some(index) {
                        ":\n\n".into()
                    } else {
                        let body = json!({ "code": 0, "data": { "task": { "id": task, "state": state } } });
                        format!("id: {index}\nevent: task\ndata: {body}\n\n")
                    };
                    sender.send(text).ok();
                    pause(2_000).await;
                }
                if silent {
                    sender.closed().await;
                }
            }
        });
        Ok(Reply {
            status: 200,
            retry_after: None,
            body: ReplyBody::Stream(receiver),
        })
    }
}

impl Network for Arc<Gateway> {
    fn send(&self, sent: &Sent) -> BoxFuture<'static, Replied> {
        self.inspect(sent);
        Box::pin(self.clone().respond(sent.clone()))
    }

    fn responded(&self, sent: &Sent, replied: &Replied) {
        let is_stored = replied.as_ref().is_ok_and(|reply| reply.status == 200);
        if let (Some(name), true) = (sent.file_name(), is_stored) {
            let mut state = self.state.lock().unwrap();
            state.stored.insert((sent.tab, name.into()));
        }
    }

    fn read(&self, sent: &Sent, text: &str) {
        let id = text
            .strip_prefix("id: ")
            .and_then(|text| text.split('\n').next());
        if let Some(id) = id {
            let mut state = self.state.lock().unwrap();
            state
                .last_event
                .insert((sent.tab, sent.url.clone()), id.into());
        }
    }
}

fn task_of(url: &str) -> String {
    let url = url.strip_suffix("/events").unwrap_or(url);
    url.rsplit('/').next().unwrap_or_default().to_owned()
}

fn lost(is_refused: bool) -> Replied {
    Err(NoResponse {
        cause: "lost",
        obstacle: is_refused.then_some(Obstacle::Refused),
    })
}

fn text(status: u16) -> Replied {
    Ok(Reply {
        status,
        retry_after: None,
        body: ReplyBody::Other,
    })
}

fn json_reply(status: u16, body: Json) -> Replied {
    Ok(Reply {
        status,
        retry_after: None,
        body: ReplyBody::Json(body),
    })
}

fn data(data: Json) -> Replied {
    json_reply(200, json!({ "code": 0, "message": "ok", "data": data }))
}

fn refusal(status: u16, code: i32, data: Json) -> Replied {
    json_reply(
        status,
        json!({ "code": code, "message": "refused", "data": data }),
    )
}

fn record(task: &str, state: &str) -> Replied {
    let outputs = json!([{ "url": "https://out.test/1.pdf", "kind": "pdf" }]);
    data(json!({ "task": { "id": task, "state": state, "outputs": outputs } }))
}
