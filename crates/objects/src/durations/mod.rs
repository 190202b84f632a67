//! The durations of tasks. Watchers record them from ended tasks, and use them to poll later tasks.
//!
//! Each capability of a tenant has a Durable Object. The object has a summary for each variant,
//! such as a model, and a summary of all variants. `object` stores the summaries. One more object
//! limits the rate of polls of the upstream (`pacer`).

mod object;
mod pacer;

pub use object::Durations;
