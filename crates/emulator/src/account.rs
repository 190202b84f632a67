//! The caller's account: its plan, its credits, and how often it may ask.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter, clock::Clock};
use mediagate_core::Code;
use serde_json::json;

use crate::{
    config::{Config, Plan},
    models::Model,
    refusal::Refusal,
};

/// One account; everybody with the API key shares it.
pub(crate) struct Account {
    plan: Plan,
    credits: AtomicU64,
    limiter: Option<DefaultDirectRateLimiter>,
}

impl Account {
    pub(crate) fn new(config: &Config) -> Self {
        let quota = NonZeroU32::new(config.rate_limit).map(Quota::per_minute);
        Account { plan: config.plan, credits: AtomicU64::new(config.credits), limiter: quota.map(RateLimiter::direct) }
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
        if self.plan >= model.plan {
            return Ok(());
        }
        Err(Refusal::new(Code::PAID_PLAN_REQUIRED).with_data(json!({ "paid_plan_required": {
            "required_plan": model.plan.name(),
            "current_plan": self.plan.name(),
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
