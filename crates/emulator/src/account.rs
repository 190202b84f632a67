use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter, clock::Clock};
use mediagate_core::Code;
use serde_json::json;

use crate::{
    faults::Faults,
    http::Refusal,
    scene::{Model, Scene},
};

/// The account of the API key. A change of the scene replaces it.
pub(crate) struct Account {
    pub(crate) scene: Scene,
    credits: AtomicU64,
    limiter: Option<DefaultDirectRateLimiter>,
    pub(crate) faults: Faults,
}

impl Account {
    pub(crate) fn new(scene: Scene, spent: u64) -> Self {
        Account {
            credits: AtomicU64::new(scene.credits.saturating_sub(spent)),
            limiter: NonZeroU32::new(scene.rate_limit)
                .map(Quota::per_minute)
                .map(RateLimiter::direct),
            faults: Faults::new(&scene.faults, scene.seed),
            scene,
        }
    }

    pub(crate) fn current_scene(&self) -> Scene {
        Scene {
            credits: self.credits.load(Relaxed),
            ..self.scene.clone()
        }
    }

    /// Counts one request. Refuses with 16 and `Retry-After` in seconds, if the rate limit is
    /// exceeded (§7).
    pub(crate) fn check_rate_limit(&self) -> Result<(), Refusal> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        limiter.check().map_err(|wait| {
            let wait = wait.wait_time_from(limiter.clock().now());
            // Rounded up, or a caller that waits exactly this long is refused again.
            Refusal::new(Code::RATE_LIMIT).retry_after(wait.as_secs() + 1)
        })
    }

    /// Checks that the plan allows a model (§4.2). Refuses with 1409 and `data.paid_plan_required:
    /// {required_plan, current_plan, model_id}`.
    pub(crate) fn check_plan(&self, model: &Model) -> Result<(), Refusal> {
        if self.scene.plan >= model.plan {
            return Ok(());
        }
        Err(
            Refusal::new(Code::PAID_PLAN_REQUIRED).with_data(json!({ "paid_plan_required": {
            "required_plan": model.plan,
            "current_plan": self.scene.plan,
            "model_id": model.id,
        } })),
        )
    }

    /// Deducts the price of a task, in credits. Refuses with 1401 if fewer are left (§7). In that
    /// case, nothing is deducted.
    pub(crate) fn charge(&self, price: u64) -> Result<(), Refusal> {
        // Check and deduction are one step, so parallel creates cannot overdraw the account.
        self.credits
            .fetch_update(Relaxed, Relaxed, |left| left.checked_sub(price))
            .map(drop)
            .map_err(|left| {
                Refusal::new(Code::INSUFFICIENT_CREDITS)
                    .with_data(json!({ "required_credits": price, "credits": left }))
            })
    }
}
