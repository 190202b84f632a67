//! Random scenarios: several callers of two tabs, against a gateway that fails at random.
//!
//! A seed determines a scenario. `MEDIAGATE_SEEDS` sets the number of scenarios (1,000 by default),
//! and `MEDIAGATE_SEED` runs only the scenario of a seed.

use std::env;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mediagate::value::Value;
use mediagate_client::{Client, Limits, Listeners, RetryPolicy, TokenSource};
use mediagate_core::Outcome;
use serde_json::json;

use crate::gateway::Gateway;
use crate::script::{BASE, capability, file, input};
use crate::world::{Error, Tab, World, pause};

/// The virtual time in which everything must have ended.
const LIMIT: Duration = Duration::from_secs(4 * 3_600);

#[test]
fn every_scenario_ends_with_nothing_left() {
    let number = |name: &str| {
        env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    if let Some(seed) = number("MEDIAGATE_SEED") {
        return run(seed).unwrap_or_else(|problem| panic!("{problem}"));
    }
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let first = clock.as_nanos() as u64 >> 8;
    let count = number("MEDIAGATE_SEEDS").unwrap_or(1_000);
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    thread::scope(|scope| {
        for part in 0..threads {
            scope.spawn(move || {
                for seed in (first..first + count).skip(part as usize).step_by(threads as usize) {
                    if let Err(problem) = run(seed) {
                        panic!("{problem}\nMEDIAGATE_SEED={seed} cargo test -p mediagate-client scenario");
                    }
                }
            });
        }
    });
}

/// Runs the scenario of a seed.
///
/// # Errors
/// The violations, or the work that does not end.
fn run(seed: u64) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut random = fastrand::Rng::with_seed(seed);
        let gateway = Gateway::new(random.f64() * 0.3, random.f64());
        let world = World::new(seed, Arc::new(gateway.clone()));
        gateway.watch(&world);
        let scenario = scenario(&world, &gateway, &mut random);
        if tokio::time::timeout(LIMIT, scenario).await.is_err() {
            return Err(format!("it does not end: {:?}", world.running()));
        }
        pause(1).await;
        let running = world.running();
        let violations = world.violations();
        if running.is_empty() && violations.is_empty() {
            Ok(())
        } else {
            Err(format!("left: {running:?}; {violations:#?}"))
        }
    })
}

async fn scenario(world: &Arc<World>, gateway: &Arc<Gateway>, random: &mut fastrand::Rng) {
    let clients: Vec<Client<Tab>> = (0..2)
        .map(|tab| Client::new(world.tab(tab), BASE.into(), source(gateway, random)))
        .collect();
    let files: Vec<Value> = (0..6)
        .map(|number| file(&format!("{number}.pdf"), "application/pdf"))
        .collect();
    let mut callers = Vec::new();
    for number in 0..random.u64(2..10) {
        let caller = Act {
            world: world.clone(),
            gateway: gateway.clone(),
            client: clients[random.usize(..2)].clone(),
            files: files.clone(),
            random: random.fork(),
            number,
        };
        callers.push(world.spawn(caller.run()));
    }
    let cuts = world.spawn(cuts(world.clone(), random.fork()));
    drop(clients);
    for caller in callers {
        // A panic is recorded as a violation.
        caller.await.ok();
    }
    cuts.abort();
    cuts.await.ok();
}

fn source(gateway: &Arc<Gateway>, random: &mut fastrand::Rng) -> TokenSource<Tab> {
    match random.u8(..3) {
        0 => TokenSource::Fixed(gateway.token()),
        1 => TokenSource::Anonymous { turnstile: None },
        _ => {
            let gateway = gateway.clone();
            TokenSource::Provider(Arc::new(move |()| {
                let gateway = gateway.clone();
                Box::pin(async move {
                    pause(200).await;
                    gateway
                        .fetch_token()
                        .map(|text| serde_json::Value::from(text).into())
                })
            }))
        }
    }
}

/// Hides the page and reports cuts of the connection, some of them wrongly.
async fn cuts(world: Arc<World>, mut random: fastrand::Rng) {
    loop {
        pause(random.u64(1_000..60_000)).await;
        world.set_hidden(random.bool());
        world.set_offline(random.u8(..4) == 0);
    }
}

struct Act {
    world: Arc<World>,
    gateway: Arc<Gateway>,
    client: Client<Tab>,
    files: Vec<Value>,
    random: fastrand::Rng,
    number: u64,
}

impl Act {
    async fn run(mut self) {
        for count in 0..self.random.u8(1..4) {
            pause(self.random.u64(..20_000)).await;
            let limits = self.limits();
            match self.random.u8(..8) {
                0 => drop(self.client.models(limits).await),
                1 => {
                    let file = self.random.choice(&self.files).cloned().unwrap();
                    drop(self.client.upload(file, None, limits).await);
                }
                2 => self.dropped_create(count).await,
                _ => self.create(count, limits).await,
            }
        }
    }

    fn limits(&mut self) -> Limits<Tab> {
        let aborts = self.random.u8(..6) == 0;
        let after = self.random.u64(..30_000);
        Limits {
            timeout_ms: (self.random.u8(..4) == 0).then(|| self.random.u32(1..60_000)),
            abort: aborts.then(|| -> crate::world::BoxFuture<'static, &'static str> {
                Box::pin(async move {
                    pause(after).await;
                    "enough"
                })
            }),
            retry: RetryPolicy {
                max_retries: self.random.u32(..6),
                on_retry: None,
            },
            listeners: Listeners::default(),
        }
    }

    fn key(&self, count: u8) -> String {
        format!("key-{}-{count}", self.number)
    }

    fn input(&mut self) -> Value {
        let output = json!({ "task_id": "task-1", "output": 0 });
        let sources = [
            json!("known"),
            json!("#0"),
            json!("#1"),
            json!("#2"),
            output,
        ];
        let sources: Vec<_> = (0..self.random.usize(2..5))
            .map(|_| sources[self.random.usize(..sources.len())].clone())
            .collect();
        input(json!({ "input_file_ids": sources }), &self.files)
    }

    /// Drops a create at some point, and repeats it with its key.
    async fn dropped_create(&mut self, count: u8) {
        let key = self.key(count);
        let input = self.input();
        let create = self.client.create(
            capability("merge_pdf"),
            input.clone(),
            key.clone(),
            Limits::default(),
        );
        let patience = Duration::from_millis(self.random.u64(..2_000));
        drop(tokio::time::timeout(patience, create).await);
        let repeated = self.client.create(
            capability("merge_pdf"),
            input,
            key.clone(),
            Limits::default(),
        );
        let result = repeated.await;
        assert!(
            self.gateway.create_of(&key).charged <= 1,
            "{key} was charged twice"
        );
        drop(result);
    }

    async fn create(&mut self, count: u8, limits: Limits<Tab>) {
        let key = self.key(count);
        let input = self.input();
        let create = self
            .client
            .create(capability("merge_pdf"), input, key.clone(), limits);
        let result = create.await;
        let made = self.gateway.create_of(&key);
        assert!(
            made.charged <= 1,
            "{key} was charged {} times",
            made.charged
        );
        let task = match result {
            Ok(task) => task,
            Err(error) => return self.check_outcome(&key, &error),
        };
        assert_eq!(task.snapshot().id, made.task);
        let limits = self.limits();
        let retry = self.limits().retry;
        let follows = self.random.u8(..3);
        if follows == 0 {
            drop(task.refresh(limits).await);
        } else if follows == 1 {
            if let Ok(done) = task.done(limits).await {
                assert_eq!(done.state.as_deref(), Some("SUCCEEDED"));
            }
        } else {
            let subscription = task.subscribe(retry);
            let mut last: Option<Arc<_>> = None;
            for _ in 0..self.random.u8(1..8) {
                let Ok(Some(next)) = subscription.next_within(self.limits()).await else {
                    break;
                };
                assert!(
                    last.is_none_or(
                        |last: Arc<mediagate_client::Snapshot<Value>>| !last.has_ended()
                    ),
                    "a state after the last one"
                );
                last = Some(next);
            }
        }
        if task.snapshot().has_ended() {
            let state = task.snapshot().state.clone();
            drop(task.refresh(Limits::default()).await);
            assert_eq!(task.snapshot().state, state, "a last state stays");
        }
    }

    /// Asserts that the outcome of an error agrees with the gateway.
    fn check_outcome(&self, key: &str, error: &Error) {
        let made = self.gateway.create_of(key);
        assert_ne!(error.kind.name(), "crashed");
        match error.outcome {
            // A machine may be online although it reports that it is offline.
            Some(Outcome::NotSent) => assert!(
                made.submitted == 0 || self.world.has_been_offline(),
                "{key} was sent: {error:?}"
            ),
            Some(Outcome::Rejected) => assert_eq!(made.charged, 0, "{key} was charged: {error:?}"),
            Some(Outcome::Unknown) => assert!(error.idempotency_key.is_some()),
            None => panic!("an error of a create has no outcome: {error:?}"),
        }
    }
}
