//! One scenario: callers who do random things at random times, until all is done.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mediagate_client::{Engine, Id};
use serde_json::json;

use crate::simulated::gateway::{BASES, Faults, Gateways, TaskKey, Token};
use crate::simulated::platform::SimPlatform;
use crate::simulated::sim::Sim;
use crate::simulated::value::SimValue;
use crate::simulated::world::{START, World};

/// The time in which the callers start new things, in milliseconds.
const HORIZON_MS: u32 = 90_000;
/// The most steps that a scenario takes.
const MAX_STEPS: u32 = 100_000;

/// A session that clients are connected with.
pub(crate) struct Session {
    /// The lineage of its tokens.
    pub(crate) lineage: String,
    /// The URL of its gateway.
    pub(crate) base: &'static str,
    /// The options of `connect`.
    pub(crate) options: SimValue,
}

/// A client that a caller has.
#[derive(Clone, Copy)]
pub(crate) struct Client {
    /// The index of its session.
    pub(crate) session: usize,
    /// The engine's id.
    pub(crate) gateway: Id,
    /// Its own number.
    pub(crate) number: u32,
}

/// A handle of a task that a caller has.
#[derive(Clone)]
pub(crate) struct Handle {
    /// The engine's id.
    pub(crate) task: Id,
    /// The task; its id is empty for a result without a task.
    pub(crate) key: TaskKey,
    /// Its own number.
    pub(crate) number: u32,
    /// The client that it comes from.
    pub(crate) client: Client,
}

/// A subscription that a caller has.
pub(crate) struct Subscription {
    /// Its id.
    pub(crate) id: Id,
    /// The task.
    pub(crate) handle: Handle,
    /// The numbers of the records that it got.
    pub(crate) seen: Vec<u64>,
    /// The last state that it got.
    pub(crate) state: String,
    /// The number of the record that it begins with.
    pub(crate) initial: Option<u64>,
    /// The number of records that the engine had received when it began.
    pub(crate) since: usize,
    /// How often it failed.
    pub(crate) errors: u32,
    /// Whether it got `undefined`.
    pub(crate) is_over: bool,
    /// Whether it was released.
    pub(crate) is_released: bool,
}

/// What a pending promise is about.
#[derive(Clone)]
pub(crate) struct Pending {
    /// What was called.
    pub(crate) call: Called,
    /// The index of the session.
    pub(crate) session: usize,
    /// The number of the client or of the handle that is kept for it; 0 for none.
    pub(crate) keeper: u32,
    /// The names of the files that it needs.
    pub(crate) files: Vec<String>,
    /// The results of tasks that it needs.
    pub(crate) results: Vec<Needed>,
    /// When it was called.
    pub(crate) since: f64,
}

/// A task or an output in an input.
#[derive(Clone)]
pub(crate) struct Needed {
    /// The task.
    pub(crate) task: TaskKey,
    /// The position of the output; `None` for a task, which is waited for.
    pub(crate) output: Option<u64>,
    /// Whether the engine had the task's last record.
    pub(crate) has_ended: bool,
    /// The number of records that the engine had received.
    pub(crate) since: usize,
}

/// What was called.
#[derive(Clone)]
pub(crate) enum Called {
    /// `connect`.
    Connect,
    /// `models`.
    Models,
    /// `estimate`.
    Estimate,
    /// `create`, with what to repeat it with.
    Create(Repeat),
    /// `upload`.
    Upload,
    /// `done`.
    Done(Handle),
    /// `refresh`.
    Refresh(Handle),
    /// A resume or a cancel of a pipeline.
    Change(Handle),
    /// `next`, by the index of the subscription.
    Next(usize),
}

/// A create that can be repeated.
#[derive(Clone)]
pub(crate) struct Repeat {
    /// The name of the capability.
    pub(crate) capability: &'static str,
    /// Members of the input.
    pub(crate) input: Vec<(&'static str, SimValue)>,
    /// The title, which no other create has.
    pub(crate) title: String,
    /// Whether it is the first step of a pipeline.
    pub(crate) is_pipeline: bool,
}

/// What is done later.
pub(crate) enum Action {
    /// Something random.
    Any,
    /// A signal is aborted.
    Abort(SimValue),
    /// A subscription goes on, by its index.
    Next(usize),
    /// A create is repeated with its key, in a session.
    Repeat(Repeat, String, usize),
    /// The connection is cut, or comes back.
    Cut(bool),
    /// The page is hidden or shown.
    Hide(bool),
}

/// A scenario.
pub(crate) struct Scenario {
    /// The engine.
    pub(crate) sim: Sim,
    /// The world that it is in.
    pub(crate) world: Rc<World>,
    /// The network.
    pub(crate) gateways: Rc<Gateways>,
    /// The sessions that clients can have.
    pub(crate) sessions: Vec<Session>,
    /// The clients that the callers have.
    pub(crate) clients: Vec<Client>,
    /// The handles of tasks that the callers have.
    pub(crate) handles: Vec<Handle>,
    /// All subscriptions, also those that ended.
    pub(crate) subscriptions: Vec<Subscription>,
    /// The promises that are pending.
    pub(crate) pending: BTreeMap<Id, Pending>,
    /// Files that are used several times.
    pub(crate) files: Vec<SimValue>,
    /// The last states of tasks that ended, by the engine's ids.
    pub(crate) ended: BTreeMap<Id, String>,
    /// The numbers of the tasks' last records, by the engine's ids.
    pub(crate) numbers: BTreeMap<Id, u64>,
    /// What the creates were, which is checked at the end.
    pub(crate) creates: Vec<super::outcomes::Created>,
    /// The keys that were used by several creates.
    pub(crate) repeated: BTreeSet<String>,
    /// The tasks that callers have handles of.
    pub(crate) known: BTreeSet<TaskKey>,
    /// A counter, for numbers and names.
    pub(crate) count: u32,
    /// Whether the platform has reported that it is offline while it was not.
    pub(crate) is_misreported: bool,
    actions: BTreeMap<(u64, u32), Action>,
    is_traced: bool,
}

impl Scenario {
    /// A scenario from a seed; `is_traced` prints what happens.
    pub(crate) fn new(seed: u64, is_traced: bool) -> Self {
        let world = World::new(seed, is_traced);
        let faults = Faults::random(&world.random);
        world.trace(|| format!("{faults:?}"));
        world.is_multiplexed.set(world.random.chance(0.3));
        let gateways = Gateways::new(&world, faults);
        let sim = Sim::new(Rc::clone(&world), Rc::<Gateways>::clone(&gateways));
        let sessions = (0..2)
            .flat_map(|base| sessions(&world, base, faults.has_turnstile))
            .collect();
        let files = (0..5)
            .map(|it| SimValue::file(&format!("shared-{it}"), "", 9.0))
            .collect();
        Scenario {
            sim,
            world,
            gateways,
            sessions,
            clients: Vec::new(),
            handles: Vec::new(),
            subscriptions: Vec::new(),
            pending: BTreeMap::new(),
            files,
            ended: BTreeMap::new(),
            numbers: BTreeMap::new(),
            creates: Vec::new(),
            repeated: BTreeSet::new(),
            known: BTreeSet::new(),
            count: 0,
            is_misreported: false,
            actions: BTreeMap::new(),
            is_traced,
        }
    }

    /// Runs it to its end.
    pub(crate) fn run(mut self) {
        let is_traced = self.is_traced;
        let world = Rc::clone(&self.world);
        let run = std::panic::AssertUnwindSafe(|| self.steps());
        let result = std::panic::catch_unwind(run);
        if let Err(failure) = result {
            if is_traced {
                world.print_trace();
            }
            // The engine may be in any state: it is not dropped, which could panic again.
            std::mem::forget(self);
            std::panic::resume_unwind(failure);
        }
    }

    fn steps(&mut self) {
        self.plan();
        for _ in 0..MAX_STEPS {
            let next = self
                .actions
                .first_key_value()
                .map(|it| it.0.0 as f64 / 1000.0);
            let is_action = match (next, self.world.next_at()) {
                (Some(action), Some(event)) => action <= event,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => return self.end(),
            };
            if is_action {
                let ((at, _), action) = self.actions.pop_first().expect("an action");
                self.world.advance_to(at as f64 / 1000.0);
                self.act(action);
            } else if self.sim.step() != Some(true) {
                continue;
            }
            self.settled();
            self.check();
        }
        panic!("it does not end; pending: {:?}", self.world.pending());
    }

    /// Plans what the callers do.
    fn plan(&mut self) {
        let world = Rc::clone(&self.world);
        let random = &world.random;
        let horizon = random.milliseconds(1, HORIZON_MS);
        self.connect(random.below(self.sessions.len()));
        for _ in 0..2 + random.below(30) {
            // Some things happen at the same time.
            let at = horizon * random.share();
            for _ in 0..1 + random.below(3) {
                self.later(at, Action::Any);
            }
        }
        for _ in 0..random.below(3) {
            let at = horizon * random.share();
            self.later(at, Action::Cut(true));
            self.later(at + random.milliseconds(100, 40_000), Action::Cut(false));
        }
        for is_hidden in [true, false] {
            if random.chance(0.3) {
                self.later(horizon * random.share(), Action::Hide(is_hidden));
            }
        }
        self.later(f64::from(HORIZON_MS) + 40_001.0, Action::Cut(false));
    }

    /// Does something after a number of milliseconds.
    pub(crate) fn later(&mut self, milliseconds: f64, action: Action) {
        self.count += 1;
        // Platforms measure the time in whole milliseconds.
        let at = (self.world.now() + milliseconds).ceil() as u64 * 1000;
        self.actions.insert((at, self.count), action);
    }

    /// A new promise.
    pub(crate) fn promise(&mut self, pending: Pending) -> Id {
        let promise = self.world.promise();
        self.pending.insert(promise, pending);
        promise
    }

    /// Calls the engine with a new promise, within the limits of its options.
    pub(crate) fn call(
        &mut self,
        pending: Pending,
        options: &SimValue,
        call: impl FnOnce(&mut Engine<SimPlatform>, Id),
    ) {
        let promise = self.promise(pending);
        self.sim.start(promise, options, call);
    }

    /// Whether the callers may still start something.
    pub(crate) fn is_open(&self) -> bool {
        self.world.now() < START + f64::from(HORIZON_MS)
    }

    /// All promises have settled: all is released, and nothing is left.
    fn end(&mut self) {
        assert!(
            self.pending.is_empty(),
            "these promises never settle: {:?}",
            self.world.pending()
        );
        for index in 0..self.subscriptions.len() {
            self.release_subscription(index);
        }
        for handle in std::mem::take(&mut self.handles) {
            self.sim.release(handle.task);
        }
        for client in std::mem::take(&mut self.clients) {
            self.sim.release(client.gateway);
        }
        self.check();
        self.sim.assert_rest();
        self.sim.run();
        self.sim.assert_rest();
        self.sim.assert_released();
        self.check_creates();
    }
}

/// The sessions of a gateway: two with fixed tokens, one with a function, and an anonymous one.
fn sessions(world: &World, base: usize, has_turnstile: bool) -> Vec<Session> {
    let url = SimValue::text(BASES[base]);
    let fixed = |name: &str| {
        let lineage = format!("{name}{base}");
        let expires = START + *world.random.one_of(&[20_000.0, 1e9, 1e9]);
        let subject = format!("{lineage}-subject");
        let token = Token {
            lineage: lineage.clone(),
            base,
            subject,
            issued: START,
            expires,
        };
        (lineage, SimValue::text(&token.text()))
    };
    let function = format!("function{base}");
    let widget = if has_turnstile {
        SimValue::function(&format!("widget-{base}"))
    } else {
        SimValue::Undefined
    };
    let tokens = [
        (fixed("fixed"), SimValue::Undefined),
        (fixed("other"), SimValue::Undefined),
        (
            (
                function.clone(),
                SimValue::function(&format!("{function}:{base}")),
            ),
            SimValue::Undefined,
        ),
        ((format!("anonymous{base}"), SimValue::Undefined), widget),
    ];
    let session = |((lineage, token), turnstile): ((String, SimValue), SimValue)| {
        let options = SimValue::object(&[
            ("url", url.clone()),
            ("token", token),
            ("turnstile", turnstile),
        ]);
        Session {
            lineage,
            base: BASES[base],
            options,
        }
    };
    tokens.into_iter().map(session).collect()
}

/// A value of JSON that stands for a saved task.
pub(crate) fn saved(id: &str, capability: &str) -> SimValue {
    SimValue::from(json!({ "id": id, "capability": capability }))
}
