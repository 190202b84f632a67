//! The values that the engine has handles of: JSON, files and functions of the caller's.
//!
//! The engine's handles are `Copy` and its reading methods take nothing but the handle, so the values are in a table of the
//! thread ([`table`]). Each actor has a table of its own, and puts it in place for as long as it runs its engine: several
//! may share a thread, and none sweeps the values of another.

mod handle;
mod json;
mod read;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use json::{from_json, to_json};
pub(crate) use table::{Handle, Table, entered, hold, sweep};

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::rc::Rc;
use std::sync::Arc;

use mediagate_core::Type;
use serde_json::Number;

use crate::file::{File, Progress};

/// A value. A clone is the same list, object, file or function.
#[derive(Clone)]
pub(crate) enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Rc<str>),
    /// A list, of which the engine may replace items.
    List(Rc<RefCell<Vec<Value>>>),
    /// An object.
    Object(Rc<Members>),
    /// A file that is not uploaded yet.
    File(File),
    /// The caller's function for a token.
    TokenSource(TokenSource),
    /// The caller's function for the progress of an upload.
    Progress(ProgressFn),
    /// Why something failed, which the engine passes on.
    Cause(Cause),
}

/// The largest whole number up to which a float has each.
const MAX_WHOLE: u64 = 1 << 53;

/// The members of an object.
pub(crate) type Members = BTreeMap<Rc<str>, Value>;
/// The error of a driver, or of a function of the caller's.
pub(crate) type Cause = Arc<dyn StdError + Send + Sync>;
/// The caller's function that receives the progress of an upload.
pub(crate) type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;
/// The caller's function that returns a token.
pub(crate) type TokenSource = Arc<dyn Fn() -> TokenFuture + Send + Sync>;
/// What it returns.
pub(crate) type TokenFuture = futures_util::future::BoxFuture<'static, Result<String, Cause>>;

impl Value {
    /// A string.
    pub(crate) fn text(text: &str) -> Self {
        Value::Text(text.into())
    }

    /// A number, without a fraction where it is whole, as JavaScript writes it; `null` for one that JSON cannot express.
    pub(crate) fn number(number: f64) -> Self {
        let whole = number as i64;
        if whole as f64 == number && whole.unsigned_abs() <= MAX_WHOLE {
            return Value::Number(whole.into());
        }
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }

    /// A list.
    pub(crate) fn list(items: Vec<Value>) -> Self {
        Value::List(Rc::new(RefCell::new(items)))
    }

    /// An object.
    pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Self {
        Value::Object(Rc::new(
            members
                .into_iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
        ))
    }

    /// Its type.
    pub(crate) fn kind(&self) -> Type {
        match self {
            Value::Null => Type::Null,
            Value::Boolean(_) => Type::Boolean,
            Value::Number(_) => Type::Number,
            Value::Text(_) => Type::Text,
            Value::List(_) => Type::List,
            Value::Object(_) => Type::Object,
            Value::File(_) => Type::Blob,
            Value::TokenSource(_) | Value::Progress(_) | Value::Cause(_) => Type::Other,
        }
    }

    /// Whether both are the same: primitives by their value, and anything else by its identity.
    pub(crate) fn is_identical(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Boolean(one), Value::Boolean(other)) => one == other,
            (Value::Number(one), Value::Number(other)) => one == other,
            (Value::Text(one), Value::Text(other)) => one == other,
            (Value::List(one), Value::List(other)) => Rc::ptr_eq(one, other),
            (Value::Object(one), Value::Object(other)) => Rc::ptr_eq(one, other),
            (Value::File(one), Value::File(other)) => one.is_same(other),
            (Value::TokenSource(one), Value::TokenSource(other)) => Arc::ptr_eq(one, other),
            (Value::Progress(one), Value::Progress(other)) => Arc::ptr_eq(one, other),
            (Value::Cause(one), Value::Cause(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}
