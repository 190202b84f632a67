//! Callers, their rights, and their limits.

mod assets;
mod budget;
mod caller;
mod credits;
mod limit;
mod planned;
mod scope;
mod subject;
mod taking;
mod value_limits;

pub use assets::{AssetUse, Assets};
pub use budget::Budget;
pub use caller::Caller;
pub use credits::Credits;
pub use limit::{Limit, LimitName};
pub use planned::{Planned, Shortage};
pub use scope::Scope;
pub use subject::Subject;
pub use taking::{Item, Taking};
pub use value_limits::ValueLimits;
