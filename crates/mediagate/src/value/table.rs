//! The values by their handles.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Value;

/// The fewest values for which it is worth finding out which of them are still referred to.
const MIN_SWEPT: usize = 64;

thread_local! {
    static TABLE: RefCell<Table> = RefCell::new(Table::default());
}

/// The values of one actor by the numbers of their handles. None has the number of an earlier one, so that a handle which
/// was swept is that of no value.
#[derive(Default)]
pub(crate) struct Table {
    values: HashMap<u64, Value>,
    last: u64,
    /// How many were referred to when it was swept last.
    referenced: usize,
}

/// A handle of a value, good until it is swept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Handle(u64);

impl Handle {
    /// The value; `null` for a handle that was swept.
    pub(crate) fn value(self) -> Value {
        at(self.0)
    }

    /// The string; empty for a value that is none.
    pub(crate) fn string(self) -> Rc<str> {
        if let Value::Text(text) = self.value() {
            text
        } else {
            Rc::from("")
        }
    }
}

/// Runs work with the values of a table, which no other work has meanwhile.
pub(crate) fn entered<Result>(table: &mut Table, work: impl FnOnce() -> Result) -> Result {
    /// Puts the tables back, also where the work panics.
    struct Entered<'a>(&'a mut Table);
    impl Drop for Entered<'_> {
        fn drop(&mut self) {
            TABLE.with_borrow_mut(|it| std::mem::swap(it, self.0));
        }
    }
    TABLE.with_borrow_mut(|it| std::mem::swap(it, table));
    let _entered = Entered(table);
    work()
}

/// A new handle of a value, until it is swept.
pub(crate) fn hold(value: Value) -> Handle {
    TABLE.with_borrow_mut(|it| {
        it.last += 1;
        it.values.insert(it.last, value);
        Handle(it.last)
    })
}

/// The value with a handle; `null` for one that was swept.
fn at(number: u64) -> Value {
    TABLE.with_borrow(|it| {
        let value = it.values.get(&number);
        debug_assert!(
            value.is_some(),
            "the value was swept: the engine did not name it among those that it refers to"
        );
        value.cloned().unwrap_or(Value::Null)
    })
}

/// Drops the values that are not referred to, once there are many of them. Not while the engine runs, which may have
/// handles that it does not name.
pub(crate) fn sweep(referenced: impl FnOnce(&mut dyn FnMut(Handle))) {
    let is_due = TABLE.with_borrow(|it| it.values.len() >= 2 * it.referenced + MIN_SWEPT);
    if !is_due {
        return;
    }
    let mut marked = HashSet::new();
    referenced(&mut |it| {
        marked.insert(it.0);
    });
    let swept: Vec<_> = TABLE.with_borrow_mut(|it| {
        it.referenced = marked.len();
        it.values
            .extract_if(|number, _| !marked.contains(number))
            .collect()
    });
    // Here, since what a value drops may be the caller's.
    drop(swept);
}
