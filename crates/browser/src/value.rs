//! JavaScript values as the JSON-like values that the core and the engine walk: handles of a table that `values.js` has.

use alloc::string::String;
use core::num::{NonZeroI32, NonZeroU32};

use mediagate_core::{Type, Value};

use crate::driver;

/// The types, in the order in which `values.js` numbers them.
const KINDS: [Type; 8] = [
    Type::Null,
    Type::Boolean,
    Type::Number,
    Type::Text,
    Type::List,
    Type::Object,
    Type::Blob,
    Type::Other,
];

/// A handle of a JavaScript value, which is read in place.
///
/// No value can make it panic: a getter that throws, a revoked proxy and a member that is `undefined` all read as
/// absent; functions, symbols and big integers are [`Type::Other`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Js(NonZeroI32);

/// The handle of `undefined`, which `values.js` has in this place. 0 is none.
const UNDEFINED: NonZeroI32 = NonZeroU32::MIN.cast_signed();

impl Js {
    /// The value with a handle, which may be that of none: `undefined`.
    pub fn any(handle: i32) -> Self {
        Js(NonZeroI32::new(handle).unwrap_or(UNDEFINED))
    }

    /// The value with a handle; `None` for that of none.
    pub fn some(handle: i32) -> Option<Self> {
        NonZeroI32::new(handle).map(Js)
    }

    /// Its handle.
    pub fn handle(self) -> i32 {
        self.0.get()
    }
}

/// The handle of a value, or that of none.
pub fn handle(value: Option<Js>) -> i32 {
    value.map_or(0, Js::handle)
}

impl Value for Js {
    type Str = String;
    type Text = Js;

    const TAKES_FILES: bool = true;

    fn kind(&self) -> Type {
        KINDS
            .get(driver::kind(self.handle()) as usize)
            .copied()
            .unwrap_or(Type::Other)
    }

    fn text(&self) -> Option<String> {
        driver::text(self.handle())
    }

    fn is(&self, text: &str) -> bool {
        driver::is(self.handle(), text)
    }

    fn number(&self) -> Option<f64> {
        Some(driver::number(self.handle())).filter(|it| it.is_finite())
    }

    fn get(&self, name: &str) -> Option<Self> {
        Js::some(driver::member(self.handle(), name))
    }

    fn length(&self) -> usize {
        driver::length(self.handle()) as usize
    }

    fn item(&self, index: usize) -> Option<Self> {
        Some(Js::any(driver::item(self.handle(), index as i32)))
    }

    fn keys(&self) -> impl Iterator<Item = String> + use<> {
        Js::any(driver::names(self.handle()))
            .items()
            .filter_map(|it| it.text())
    }

    fn identifier(&self) -> Option<Js> {
        Js::some(driver::identifier(self.handle()))
    }
}
