//! What the callers of a scenario do.

use std::rc::Rc;

use mediagate_client::Id;
use mediagate_core::is_terminal;
use serde_json::json;

use super::scenario::{
    Action, Called, Client, Handle, Needed, Pending, Repeat, Scenario, Subscription, saved,
};
use crate::simulated::gateway::{TaskKey, is_pipeline};
use crate::simulated::value::{SimValue, hold};

impl Scenario {
    /// Does something.
    pub(crate) fn act(&mut self, action: Action) {
        match action {
            Action::Any if self.is_open() => self.act_randomly(),
            Action::Any => {}
            Action::Abort(signal) => self.sim.abort(&signal, Some(SimValue::text("enough"))),
            Action::Next(index) => self.next(index),
            Action::Repeat(repeat, key, session) => self.repeat(repeat, &key, session),
            Action::Cut(is_cut) => {
                self.gateways.is_cut.set(is_cut);
                // What the platform reports may be wrong.
                let is_offline = is_cut != self.world.random.chance(0.1);
                self.is_misreported |= is_offline && !is_cut;
                self.sim.set_offline(is_offline);
            }
            Action::Hide(is_hidden) => self.sim.set_hidden(is_hidden),
        }
    }

    fn act_randomly(&mut self) {
        let world = Rc::clone(&self.world);
        let random = &world.random;
        if self.clients.is_empty() || random.chance(0.15) {
            let session = random.below(self.sessions.len());
            return self.connect(session);
        }
        let client = *random.one_of(&self.clients);
        match random.below(25) {
            0 => self.models(client),
            1..=6 => self.create(client),
            7 => self.estimate(client),
            8..=10 => self.upload(client),
            11..=12 => self.restore(client),
            13 => {
                let lineage = self.sessions[client.session].lineage.clone();
                self.gateways.revoke(&lineage);
            }
            14 => self.release_client(),
            15 => self.release_handle(),
            16 if !self.subscriptions.is_empty() => {
                let index = random.below(self.subscriptions.len());
                self.release_subscription(index);
            }
            17 => {
                let is_hidden = !self.world.is_hidden.get();
                self.sim.set_hidden(is_hidden);
            }
            _ => self.follow(),
        }
    }

    fn pending(&self, session: usize, keeper: u32, call: Called) -> Pending {
        let (files, results) = (Vec::new(), Vec::new());
        Pending {
            call,
            session,
            keeper,
            files,
            results,
            since: self.world.now(),
        }
    }

    fn pending_of(&self, handle: &Handle, call: Called) -> Pending {
        self.pending(handle.client.session, handle.number, call)
    }

    /// Random limits: `{signal, timeout}`.
    fn limits(&mut self) -> SimValue {
        let world = Rc::clone(&self.world);
        let random = &world.random;
        let options = SimValue::object(&[]);
        if random.chance(0.3) {
            let most = *random.one_of(&[5, 500, 5_000, 60_000]);
            options.set("timeout", SimValue::Number(random.milliseconds(1, most)));
        }
        if random.chance(0.3) {
            let signal = SimValue::Signal(Rc::default());
            options.set("signal", signal.clone());
            let most = *random.one_of(&[5, 500, 5_000, 40_000]);
            let at = random.milliseconds(0, most);
            if random.chance(0.05) {
                self.act(Action::Abort(signal));
            } else {
                self.later(at, Action::Abort(signal));
            }
        }
        options
    }

    /// Connects a client.
    pub(crate) fn connect(&mut self, session: usize) {
        let limits = self.limits();
        let options = self.sessions[session].options.clone();
        let members = ["url", "token", "turnstile"]
            .map(|it| (it, options.get(it).unwrap_or(SimValue::Undefined)));
        members
            .into_iter()
            .for_each(|(name, value)| limits.set(name, value));
        let pending = self.pending(session, 0, Called::Connect);
        let promise = self.promise(pending);
        self.sim.connect(promise, &limits);
    }

    fn models(&mut self, client: Client) {
        let limits = self.limits();
        let pending = self.pending(client.session, client.number, Called::Models);
        self.call(pending, &limits, |engine, promise| {
            engine.models(promise, client.gateway)
        });
    }

    /// A capability with a random input.
    fn input(&mut self, client: Client) -> Repeat {
        let world = Rc::clone(&self.world);
        let random = &world.random;
        self.count += 1;
        let title = format!("create-{}", self.count);
        let results: Vec<_> = (0..4).map(|_| self.result(client)).collect();
        let file = || match random.below(10) {
            0..=2 => random.one_of(&results).clone(),
            3..=4 => new_file(&world),
            _ => random.one_of(&self.files).clone(),
        };
        let prompt = || ("prompt", SimValue::text("a lighthouse"));
        let (capability, input) = match random.below(8) {
            0 => ("text_to_image", vec![prompt()]),
            1 => ("text_to_image_turbo", vec![prompt()]),
            2 => ("background_removal", vec![("file_id", file())]),
            3 => (
                "video_logo_removal",
                vec![("input_video_file_id", file()), ("logo_file_id", file())],
            ),
            4 => (
                "adjust_audio_volume",
                vec![("input_file_id", file()), ("volume", SimValue::text("0.5"))],
            ),
            5 => {
                let files: Vec<_> = (0..1 + random.below(7)).map(|_| file()).collect();
                (
                    "merge_pdf",
                    vec![("input_file_ids", SimValue::list(&files))],
                )
            }
            6 => {
                let avatar = if random.chance(0.7) {
                    random.one_of(&results).clone()
                } else {
                    SimValue::text("asset")
                };
                (
                    "audio_driven",
                    vec![("avatar_asset_id", avatar), ("audio_file_id", file())],
                )
            }
            _ => {
                let (image, video) = (file(), file());
                let fields = [
                    ("image_file_ids", image.clone()),
                    ("video_file_ids", video),
                    ("audio_file_ids", image),
                ];
                let fields = fields.map(|(name, file)| (name, SimValue::list(&[file])));
                (
                    "omni_reference_to_video",
                    fields.into_iter().chain([prompt()]).collect(),
                )
            }
        };
        Repeat {
            capability,
            input,
            title,
            is_pipeline: false,
        }
    }

    /// A task or an output of the client's gateway, its own or another subject's; or of no task.
    fn result(&mut self, client: Client) -> SimValue {
        let world = Rc::clone(&self.world);
        let random = &world.random;
        let base = self.sessions[client.session].base;
        let (tasks, outputs) = (
            self.gateways.saved_tasks(base),
            self.gateways.outputs_of_tasks(base),
        );
        let own = |it: &&Handle| it.client.session == client.session && !it.key.1.is_empty();
        let handles: Vec<_> = self.handles.iter().filter(own).map(|it| it.task).collect();
        match random.below(20) {
            0 => saved("task/gone", "split_video"),
            1 => json!({ "task_id": "task/gone", "output": 0, "url": "https://out.test/", "asset_id": "a" }).into(),
            2..=6 if !tasks.is_empty() => random.one_of(&tasks).clone().into(),
            7..=12 if !outputs.is_empty() => random.one_of(&outputs).clone().into(),
            _ if handles.is_empty() => new_file(&world),
            _ => self.sim.snapshot(*random.one_of(&handles)).expect("a task"),
        }
    }

    /// The tasks and outputs in the input of a create, as they are before it.
    fn results_of(&mut self, client: Client, repeat: &Repeat) -> Vec<Needed> {
        let lineage = self.sessions[client.session].lineage.clone();
        let since = self.gateways.watch().delivered();
        let mut needed = Vec::new();
        for value in values_of(repeat)
            .into_iter()
            .filter(|it| matches!(it, SimValue::Object(_)))
        {
            let output = value
                .get("task_id")
                .and_then(|_| value.get("output")?.number())
                .map(|it| it as u64);
            let id = value.string(if output.is_some() { "task_id" } else { "id" });
            let task: TaskKey = (lineage.clone(), id);
            let known = self
                .handles
                .iter()
                .find(|it| it.key == task)
                .map(|it| it.task);
            let snapshot = known.and_then(|it| self.sim.snapshot(it));
            let has_ended = snapshot.is_some_and(|it| is_terminal(&it.string("state")));
            needed.push(Needed {
                task,
                output,
                has_ended,
                since,
            });
        }
        needed
    }

    fn create(&mut self, client: Client) {
        let mut repeat = self.input(client);
        repeat.is_pipeline = self.world.random.chance(0.3);
        if self.world.random.chance(0.05) {
            repeat.input.push(("promt", SimValue::text("misspelt")));
        }
        let options = self.limits();
        if self.world.random.chance(0.3) {
            options.set(
                "idempotencyKey",
                SimValue::text(&format!("key-of-{}", repeat.title)),
            );
        }
        self.start_create(client, repeat, &options);
    }

    fn start_create(&mut self, client: Client, repeat: Repeat, options: &SimValue) {
        let (name, title) = (
            SimValue::text(repeat.capability),
            SimValue::text(&repeat.title),
        );
        let (is_pipeline, input) = (repeat.is_pipeline, input_of(&repeat));
        if is_pipeline {
            let second = SimValue::from(json!({ "file_id": { "step": "first" } }));
            let inputs = [("first", input.clone()), ("second", second)];
            self.gateways
                .expect_input(&repeat.title, &SimValue::object(&inputs));
        } else {
            self.gateways.expect_input(&repeat.title, &input);
        }
        let key = options
            .get("idempotencyKey")
            .unwrap_or_else(|| SimValue::text(&self.world.random_key()));
        let (files, results) = (files_of(&repeat), self.results_of(client, &repeat));
        let pending = Pending {
            files,
            results,
            ..self.pending(client.session, client.number, Called::Create(repeat))
        };
        self.call(pending, options, |engine, promise| {
            if is_pipeline {
                let steps = SimValue::list(&[
                    SimValue::object(&[("name", SimValue::text("first")), ("capability", name), ("input", input)]),
                    json!({ "name": "second", "capability": "background_removal", "input": { "file_id": { "step": "first" } } }).into(),
                ]);
                engine.pipeline(promise, client.gateway, Some(hold(title)), hold(steps), hold(key));
            } else {
                engine.create(promise, client.gateway, hold(name), hold(input), hold(key));
            }
        });
    }

    /// Repeats a create with its key.
    fn repeat(&mut self, repeat: Repeat, key: &str, session: usize) {
        let Some(client) = self
            .clients
            .iter()
            .find(|it| it.session == session)
            .copied()
        else {
            return;
        };
        self.repeated.insert(repeat.title.clone());
        let options = SimValue::from(json!({ "idempotencyKey": key }));
        self.start_create(client, repeat, &options);
    }

    fn estimate(&mut self, client: Client) {
        let repeat = self.input(client);
        let (name, input, limits) = (
            SimValue::text(repeat.capability),
            input_of(&repeat),
            self.limits(),
        );
        self.gateways.expect_input(&repeat.title, &input);
        let (files, results) = (files_of(&repeat), self.results_of(client, &repeat));
        let pending = Pending {
            files,
            results,
            ..self.pending(client.session, client.number, Called::Estimate)
        };
        self.call(pending, &limits, |engine, promise| {
            engine.estimate(promise, client.gateway, hold(name), hold(input));
        });
    }

    fn upload(&mut self, client: Client) {
        let world = Rc::clone(&self.world);
        let random = &world.random;
        let options = self.limits();
        let progress = random.chance(0.5).then(|| SimValue::function("progress"));
        let file = if random.chance(0.8) {
            random.one_of(&self.files).clone()
        } else {
            new_file(&world)
        };
        let files = vec![file.string("name")];
        let pending = Pending {
            files,
            ..self.pending(client.session, client.number, Called::Upload)
        };
        self.call(pending, &options, |engine, promise| {
            engine.upload(promise, client.gateway, hold(file), progress.map(hold));
        });
    }

    /// Restores a task, of this gateway or of none.
    fn restore(&mut self, client: Client) {
        let pipelines = self
            .gateways
            .pipeline_ids(self.sessions[client.session].base);
        if !pipelines.is_empty() && self.world.random.chance(0.3) {
            let id: &String = self.world.random.one_of(&pipelines);
            let id = SimValue::text(id);
            let restored = self
                .sim
                .call(|it| it.restore_pipeline(client.gateway, hold(id)).ok());
            self.take_handle(client, restored.expect("a client"));
            return self.follow_handle(self.handles.len() - 1);
        }
        let known = self
            .gateways
            .saved_tasks(self.sessions[client.session].base);
        let saved = if known.is_empty() || self.world.random.chance(0.05) {
            saved("task/gone", "split_video")
        } else {
            self.world.random.one_of(&known).clone().into()
        };
        let task = self
            .sim
            .restore(client.gateway, &saved)
            .expect("a saved task");
        self.take_handle(client, task);
        self.follow_handle(self.handles.len() - 1);
    }

    /// A caller has one more handle of a task.
    pub(crate) fn take_handle(&mut self, client: Client, task: Id) {
        let saved = self.sim.saved(task).expect("a task");
        let key: TaskKey = (
            self.sessions[client.session].lineage.clone(),
            saved.string("id"),
        );
        self.count += 1;
        self.handles.push(Handle {
            task,
            key,
            number: self.count,
            client,
        });
    }

    fn follow(&mut self) {
        if !self.handles.is_empty() {
            let index = self.world.random.below(self.handles.len());
            self.follow_handle(index);
        }
    }

    /// Follows a task in one of three ways.
    pub(crate) fn follow_handle(&mut self, index: usize) {
        let handle = self.handles[index].clone();
        if is_pipeline(&handle.key.1) && self.world.random.chance(0.25) {
            return self.change(&handle);
        }
        match self.world.random.below(4) {
            0 => {
                let limits = self.limits();
                let pending = self.pending_of(&handle, Called::Refresh(handle.clone()));
                let gateways = Rc::clone(&self.gateways);
                let world = Rc::clone(&self.world);
                self.call(pending, &limits, |engine, promise| {
                    gateways
                        .watch()
                        .refreshing(&world, || engine.refresh(promise, handle.task));
                });
            }
            1 => {
                let limits = self.limits();
                let pending = self.pending_of(&handle, Called::Done(handle.clone()));
                self.call(pending, &limits, |engine, promise| {
                    engine.done(promise, handle.task)
                });
            }
            _ => self.subscribe(handle),
        }
    }

    /// Resumes a pipeline, or cancels it.
    fn change(&mut self, handle: &Handle) {
        let (limits, is_resume) = (self.limits(), self.world.random.chance(0.7));
        let pending = self.pending_of(handle, Called::Change(handle.clone()));
        self.call(pending, &limits, |engine, promise| {
            engine.change_pipeline(promise, handle.task, is_resume)
        });
    }

    fn subscribe(&mut self, handle: Handle) {
        let id = self.world.new_id();
        self.world
            .trace(|| format!("subscription {id} to {}", handle.task));
        let snapshot = self.sim.snapshot(handle.task).expect("a task");
        let initial = number_of(&snapshot);
        let since = self.gateways.watch().delivered();
        self.sim.subscribe(handle.task, id);
        let (seen, state) = (Vec::new(), String::new());
        let (errors, is_over, is_released) = (0, false, false);
        let subscription = Subscription {
            id,
            handle,
            seen,
            state,
            initial,
            since,
            errors,
            is_over,
            is_released,
        };
        self.subscriptions.push(subscription);
        self.next(self.subscriptions.len() - 1);
    }

    fn next(&mut self, index: usize) {
        let Subscription {
            id,
            handle,
            is_over,
            is_released,
            ..
        } = &self.subscriptions[index];
        if *is_over || *is_released {
            return;
        }
        let (id, handle) = (*id, handle.clone());
        let limits = self.limits();
        let pending = self.pending_of(&handle, Called::Next(index));
        self.call(pending, &limits, |engine, promise| {
            engine.next(promise, handle.task, id)
        });
    }

    /// Releases a subscription: what waits for it is fulfilled at once.
    pub(crate) fn release_subscription(&mut self, index: usize) {
        let subscription = &mut self.subscriptions[index];
        if std::mem::replace(&mut subscription.is_released, true) {
            return;
        }
        self.world
            .trace(|| format!("release of subscription {}", subscription.id));
        self.sim.release(subscription.id);
        self.settled();
        let mut waiting = self
            .pending
            .values()
            .filter(|it| matches!(it.call, Called::Next(it) if it == index));
        assert!(
            waiting.next().is_none(),
            "a released subscription is still waited for"
        );
    }

    /// Releases a client for which nothing is pending, neither of it nor of its tasks.
    fn release_client(&mut self) {
        let index = self.world.random.below(self.clients.len());
        let number = self.clients[index].number;
        let has_tasks = self.handles.iter().any(|it| it.client.number == number);
        if has_tasks || self.is_keeper(number) {
            return;
        }
        let client = self.clients.remove(index);
        if self.world.random.chance(0.5) {
            // Another one of the same session is still connecting.
            self.connect(client.session);
        }
        self.world
            .trace(|| format!("release of client {}", client.gateway));
        self.sim.release(client.gateway);
    }

    /// Releases a handle of a task for which nothing is pending.
    fn release_handle(&mut self) {
        if self.handles.is_empty() {
            return;
        }
        let index = self.world.random.below(self.handles.len());
        let number = self.handles[index].number;
        let is_subscribed = self
            .subscriptions
            .iter()
            .any(|it| !it.is_released && it.handle.number == number);
        if is_subscribed || self.is_keeper(number) {
            return;
        }
        let handle = self.handles.remove(index);
        self.world
            .trace(|| format!("release of task {}", handle.task));
        self.sim.release(handle.task);
    }

    fn is_keeper(&self, number: u32) -> bool {
        self.pending.values().any(|it| it.keeper == number)
    }
}

/// A file that is used once.
fn new_file(world: &crate::simulated::world::World) -> SimValue {
    SimValue::file(&format!("file-{}", world.new_id()), "", 5.0)
}

/// The input of a create, a new one each time: the engine may change it.
fn input_of(repeat: &Repeat) -> SimValue {
    let copy = |value: &SimValue| match value {
        SimValue::List(items) => SimValue::list(&items.borrow()),
        other => other.clone(),
    };
    let members: Vec<_> = repeat
        .input
        .iter()
        .map(|(name, value)| (*name, copy(value)))
        .collect();
    let input = SimValue::object(&members);
    if repeat.is_pipeline {
        input
    } else {
        input.with("title", SimValue::text(&repeat.title))
    }
}

/// The values in the input of a create, and in its lists.
fn values_of(repeat: &Repeat) -> Vec<SimValue> {
    let all = |it: &SimValue| {
        if let SimValue::List(_) = it {
            it.items()
        } else {
            vec![it.clone()]
        }
    };
    repeat.input.iter().flat_map(|it| all(&it.1)).collect()
}

/// The names of the files in the input of a create.
fn files_of(repeat: &Repeat) -> Vec<String> {
    values_of(repeat)
        .iter()
        .filter(|it| matches!(it, SimValue::File(_)))
        .map(|it| it.string("name"))
        .collect()
}

/// The number of the record that a snapshot is of.
pub(crate) fn number_of(snapshot: &SimValue) -> Option<u64> {
    snapshot
        .get("raw")
        .as_ref()
        .unwrap_or(snapshot)
        .get("number")?
        .number()
        .map(|it| it as u64)
}
