//! The caller's account in its scene: its plan, its credits, how often it may ask, and what goes wrong.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter, clock::Clock};
use mediagate_core::Code;
use serde_json::json;

use crate::{faults::Faults, models::Model, refusal::Refusal, scene::Scene};

/// One account; everybody with the API key shares it. A change of the scene makes a new one.
pub(crate) struct Account {
    pub(crate) scene: Scene,
    /// What is left of the scene's credits.
    credits: AtomicU64,
    limiter: Option<DefaultDirectRateLimiter>,
    /// What goes wrong, beside what a title wishes for.
    pub(crate) faults: Faults,
}

impl Account {
    /// An account with the scene's credits, of which this many are spent.
    pub(crate) fn new(scene: Scene, spent: u64) -> Self {
        Account {
            credits: AtomicU64::new(scene.credits.saturating_sub(spent)),
            limiter: NonZeroU32::new(scene.rate_limit).map(Quota::per_minute).map(RateLimiter::direct),
            faults: Faults::new(&scene.faults, scene.seed),
            scene,
        }
    }

    /// The scene as it is now, with what is left of the credits.
    pub(crate) fn now(&self) -> Scene {
        Scene { credits: self.credits.load(Relaxed), ..self.scene.clone() }
    }

    /// Counts one request; 16 when there were too many.
    pub(crate) fn admit(&self) -> Result<(), Refusal> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        limiter.check().map_err(|wait| {
            let wait = wait.wait_time_from(limiter.clock().now());
            Refusal::new(Code::RATE_LIMIT).retry_after(wait.as_secs() + 1)
        })
    }

    /// 1409, with what is needed and what there is, where the plan is too low for a model (§4.2).
    pub(crate) fn allow(&self, model: &Model) -> Result<(), Refusal> {
        if self.scene.plan >= model.plan {
            return Ok(());
        }
        Err(Refusal::new(Code::PAID_PLAN_REQUIRED).with_data(json!({ "paid_plan_required": {
            "required_plan": model.plan.name(),
            "current_plan": self.scene.plan.name(),
            "model_id": model.id,
        } })))
    }

    /// Takes the price of a task; 1401 where there is not enough, and then nothing is taken.
    pub(crate) fn charge(&self, price: u64) -> Result<(), Refusal> {
        self.credits.fetch_update(Relaxed, Relaxed, |it| it.checked_sub(price)).map(drop).map_err(|left| {
            Refusal::new(Code::INSUFFICIENT_CREDITS).with_data(json!({ "required_credits": price, "credits": left }))
        })
    }
}
