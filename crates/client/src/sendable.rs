//! The bounds of futures and callbacks. In a program, they may cross threads. A page has one
//! thread.

use alloc::boxed::Box;
use core::pin::Pin;

#[cfg(not(target_family = "wasm"))]
mod bounds {
    use super::{Box, Pin};

    /// [`Send`], except on pages, where any type is allowed.
    pub trait MaybeSend: Send {}
    impl<T: Send> MaybeSend for T {}

    /// [`Sync`], except on pages, where any type is allowed.
    pub trait MaybeSync: Sync {}
    impl<T: Sync> MaybeSync for T {}

    /// A boxed future, which is [`Send`] except on pages.
    pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
    /// A function of a caller, which is [`Send`] and [`Sync`] except on pages.
    pub type Function<A, R> = dyn Fn(A) -> R + Send + Sync;
}

#[cfg(target_family = "wasm")]
mod bounds {
    use super::{Box, Pin};

    /// [`Send`], except on pages, where any type is allowed.
    pub trait MaybeSend {}
    impl<T> MaybeSend for T {}

    /// [`Sync`], except on pages, where any type is allowed.
    pub trait MaybeSync {}
    impl<T> MaybeSync for T {}

    /// A boxed future, which is [`Send`] except on pages.
    pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
    /// A function of a caller, which is [`Send`] and [`Sync`] except on pages.
    pub type Function<A, R> = dyn Fn(A) -> R;
}

pub use bounds::{BoxFuture, Function, MaybeSend, MaybeSync};
