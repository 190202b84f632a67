//! How long tasks take: learned by watchers from the tasks that end, shared by all that follow later ones.
//!
//! A capability of a tenant has a Durable Object, with a summary for each of its variants, such as a model, and one for all
//! of them. `object` stores the summaries; one more object holds the requests for the upstream's tasks to a rate
//! ([`pacer`]).

mod object;
mod pacer;

pub use object::Durations;
