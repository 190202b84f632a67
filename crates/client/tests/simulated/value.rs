//! The values of the simulated platform: JSON that can be changed in place, and files, functions and signals. The tests have
//! the values themselves, the engine has handles of them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use mediagate_core::{Type, Value};
use serde_json::{Number, Value as Json};

/// A value: clones are the same object, and a change of one is seen by all.
#[derive(Clone, Debug)]
pub enum SimValue {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(Rc<str>),
    /// An array.
    List(Rc<RefCell<Vec<SimValue>>>),
    /// An object, with its members in order.
    Object(Rc<RefCell<Members>>),
    /// A file.
    File(Rc<File>),
    /// A function of the caller's.
    Function(Rc<str>),
    /// The signal of an abort controller.
    Signal(Rc<Signal>),
}

/// The members of an object.
pub type Members = Vec<(String, SimValue)>;

/// A file that is not uploaded yet.
#[derive(Debug)]
pub struct File {
    /// Its name; empty for a blob.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its size in bytes.
    pub size: f64,
}

/// The signal of an abort controller.
#[derive(Debug, Default)]
pub struct Signal {
    /// Whether it was aborted.
    pub is_aborted: Cell<bool>,
    /// The reason of the abort.
    pub reason: RefCell<Option<SimValue>>,
}

impl SimValue {
    /// A string.
    pub fn text(text: &str) -> Self {
        SimValue::Text(text.into())
    }

    /// A function with this name, another one than every other.
    pub fn function(name: &str) -> Self {
        SimValue::Function(name.into())
    }

    /// A file.
    pub fn file(name: &str, media_type: &str, size: f64) -> Self {
        SimValue::File(Rc::new(File {
            name: name.into(),
            media_type: media_type.into(),
            size,
        }))
    }

    /// A list.
    pub fn list(items: &[SimValue]) -> Self {
        SimValue::List(Rc::new(RefCell::new(items.to_vec())))
    }

    /// An object.
    pub fn object(members: &[(&str, SimValue)]) -> Self {
        let members = members
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()));
        SimValue::Object(Rc::new(RefCell::new(members.collect())))
    }

    /// Sets a member of an object, in place.
    pub fn set(&self, name: &str, value: SimValue) {
        let SimValue::Object(members) = self else {
            return;
        };
        let mut members = members.borrow_mut();
        match members.iter_mut().find(|it| it.0 == name) {
            Some(member) => member.1 = value,
            None => members.push((name.into(), value)),
        }
    }

    /// The same object with one more member.
    pub fn with(self, name: &str, value: SimValue) -> Self {
        self.set(name, value);
        self
    }

    /// As JSON; `null` for what JSON cannot express, and without members that are `undefined`.
    pub fn json(&self) -> Json {
        match self {
            SimValue::Boolean(it) => Json::Bool(*it),
            SimValue::Number(it) if it.fract() == 0.0 && it.abs() < 9e15 => {
                Json::Number((*it as i64).into())
            }
            SimValue::Number(it) => Number::from_f64(*it).map_or(Json::Null, Json::Number),
            SimValue::Text(it) => Json::String(it.to_string()),
            SimValue::List(items) => {
                Json::Array(items.borrow().iter().map(SimValue::json).collect())
            }
            SimValue::Object(members) => {
                let members = members.borrow();
                let defined = members
                    .iter()
                    .filter(|it| !matches!(it.1, SimValue::Undefined));
                Json::Object(defined.map(|it| (it.0.clone(), it.1.json())).collect())
            }
            _ => Json::Null,
        }
    }

    /// The string of a member; empty where it has none.
    pub fn string(&self, name: &str) -> String {
        self.get(name)
            .and_then(|it| it.as_text().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Whether it is `undefined`.
    pub fn is_undefined(&self) -> bool {
        matches!(self, SimValue::Undefined)
    }
}

impl From<Json> for SimValue {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => SimValue::Null,
            Json::Bool(it) => SimValue::Boolean(it),
            Json::Number(it) => SimValue::Number(it.as_f64().unwrap_or(f64::NAN)),
            Json::String(it) => SimValue::text(&it),
            Json::Array(items) => {
                SimValue::list(&items.into_iter().map(SimValue::from).collect::<Vec<_>>())
            }
            Json::Object(members) => {
                let members = members
                    .into_iter()
                    .map(|(name, value)| (name, value.into()))
                    .collect();
                SimValue::Object(Rc::new(RefCell::new(members)))
            }
        }
    }
}

impl PartialEq for SimValue {
    /// As `===`: primitives by their value, and anything else by its identity.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (SimValue::Undefined, SimValue::Undefined) | (SimValue::Null, SimValue::Null) => true,
            (SimValue::Boolean(one), SimValue::Boolean(other)) => one == other,
            (SimValue::Number(one), SimValue::Number(other)) => one == other,
            (SimValue::Text(one), SimValue::Text(other)) => one == other,
            (SimValue::List(one), SimValue::List(other)) => Rc::ptr_eq(one, other),
            (SimValue::Object(one), SimValue::Object(other)) => Rc::ptr_eq(one, other),
            (SimValue::File(one), SimValue::File(other)) => Rc::ptr_eq(one, other),
            (SimValue::Function(one), SimValue::Function(other)) => Rc::ptr_eq(one, other),
            (SimValue::Signal(one), SimValue::Signal(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Reading, as the engine reads a value by its handle.
impl SimValue {
    /// Its type.
    pub fn kind(&self) -> Type {
        match self {
            SimValue::Undefined | SimValue::Null => Type::Null,
            SimValue::Boolean(_) => Type::Boolean,
            SimValue::Number(_) => Type::Number,
            SimValue::Text(_) => Type::Text,
            SimValue::List(_) => Type::List,
            SimValue::Object(_) | SimValue::Signal(_) => Type::Object,
            SimValue::File(_) => Type::Blob,
            SimValue::Function(_) => Type::Other,
        }
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        let SimValue::Text(text) = self else {
            return None;
        };
        Some(text)
    }

    /// The number, if it is a finite one.
    pub fn number(&self) -> Option<f64> {
        let SimValue::Number(number) = self else {
            return None;
        };
        number.is_finite().then_some(*number)
    }

    /// The member with this name.
    pub fn get(&self, name: &str) -> Option<Self> {
        let member = match (self, name) {
            (SimValue::Object(members), _) => {
                members.borrow().iter().find(|it| it.0 == name)?.1.clone()
            }
            (SimValue::File(file), "name") if !file.name.is_empty() => SimValue::text(&file.name),
            (SimValue::File(file), "type") => SimValue::text(&file.media_type),
            (SimValue::File(file), "size") => SimValue::Number(file.size),
            _ => SimValue::Undefined,
        };
        (!member.is_undefined()).then_some(member)
    }

    /// The items, if it is a list.
    pub fn items(&self) -> Vec<Self> {
        let SimValue::List(items) = self else {
            return Vec::new();
        };
        items.borrow().clone()
    }

    /// The names of an object's members.
    pub fn keys(&self) -> Vec<String> {
        let SimValue::Object(members) = self else {
            return Vec::new();
        };
        members.borrow().iter().map(|it| it.0.clone()).collect()
    }

    /// A copy of an object with these members.
    ///
    /// # Panics
    /// Where it is no object.
    pub fn copied(&self) -> Self {
        let SimValue::Object(members) = self else {
            panic!("{self:?} is not an object")
        };
        SimValue::Object(Rc::new(RefCell::new(members.borrow().clone())))
    }
}

thread_local! {
    static TABLE: RefCell<Table> = const { RefCell::new(Table { values: Vec::new(), last: 0 }) };
}

/// The values by the numbers of their handles, in their order.
struct Table {
    values: Vec<(u32, SimValue)>,
    last: u32,
}

/// A handle of a value, good until it is swept. None has the number of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle(u32);

/// A new handle of a value.
pub fn hold(value: SimValue) -> Handle {
    TABLE.with_borrow_mut(|it| {
        it.last += 1;
        it.values.push((it.last, value));
        Handle(it.last)
    })
}

/// Forgets all handles: a new world begins.
pub fn forget_handles() {
    TABLE.with_borrow_mut(|it| {
        it.values.clear();
        // A page of the world before has none of the new one's numbers.
        it.last = if it.last > u32::MAX / 2 { 0 } else { it.last };
    });
}

/// Forgets the handles that are not kept.
///
/// # Panics
/// Where a handle is kept that was swept before.
pub fn sweep(referenced: impl FnOnce(&mut dyn FnMut(Handle))) {
    let mut handles = Vec::new();
    referenced(&mut |it| handles.push(it));
    handles.iter().for_each(|it| drop(it.value()));
    TABLE.with_borrow_mut(|it| {
        it.values
            .retain(|(number, _)| handles.contains(&Handle(*number)))
    });
}

impl Handle {
    /// The value.
    ///
    /// # Panics
    /// Where the handle was swept.
    pub fn value(self) -> SimValue {
        let value = TABLE.with_borrow(|it| {
            let index = it.values.binary_search_by_key(&self.0, |it| it.0).ok()?;
            Some(it.values[index].1.clone())
        });
        value.unwrap_or_else(|| {
            panic!("{self:?} was swept: the engine did not name it among those that it keeps")
        })
    }
}

impl Value for Handle {
    type Str = String;
    type Text = Handle;

    const TAKES_FILES: bool = true;

    fn kind(&self) -> Type {
        self.value().kind()
    }

    fn text(&self) -> Option<String> {
        self.value().as_text().map(str::to_owned)
    }

    fn number(&self) -> Option<f64> {
        self.value().number()
    }

    fn get(&self, name: &str) -> Option<Self> {
        self.value().get(name).map(hold)
    }

    fn is(&self, text: &str) -> bool {
        self.value().as_text() == Some(text)
    }

    fn length(&self) -> usize {
        if let SimValue::List(items) = self.value() {
            items.borrow().len()
        } else {
            0
        }
    }

    fn item(&self, index: usize) -> Option<Self> {
        let SimValue::List(items) = self.value() else {
            return None;
        };
        items.borrow().get(index).cloned().map(hold)
    }

    fn keys(&self) -> impl Iterator<Item = String> + use<> {
        self.value().keys().into_iter()
    }

    fn identifier(&self) -> Option<Handle> {
        match self.value() {
            SimValue::Text(it) if !it.trim().is_empty() => Some(*self),
            SimValue::Number(it) if it.is_finite() => Some(hold(SimValue::text(&it.to_string()))),
            _ => None,
        }
    }
}
