//! What callers give to the client: on a machine with threads it may cross them, and on a page there is but one.

use std::sync::Arc;

/// [`Send`], but for pages, where any type is allowed: there, a client has one thread.
#[cfg(not(target_family = "wasm"))]
pub trait MaybeSend: Send {}
#[cfg(not(target_family = "wasm"))]
impl<T: Send> MaybeSend for T {}

/// [`Send`], but for pages, where any type is allowed: there, a client has one thread.
#[cfg(target_family = "wasm")]
pub trait MaybeSend {}
#[cfg(target_family = "wasm")]
impl<T> MaybeSend for T {}

/// [`Sync`], but for pages, where any type is allowed: there, a client has one thread.
#[cfg(not(target_family = "wasm"))]
pub trait MaybeSync: Sync {}
#[cfg(not(target_family = "wasm"))]
impl<T: Sync> MaybeSync for T {}

/// [`Sync`], but for pages, where any type is allowed: there, a client has one thread.
#[cfg(target_family = "wasm")]
pub trait MaybeSync {}
#[cfg(target_family = "wasm")]
impl<T> MaybeSync for T {}

/// A function of a caller's, as a type that may cross threads.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn function<A, R>(
    it: impl Fn(A) -> R + MaybeSend + MaybeSync + 'static,
) -> Arc<dyn Fn(A) -> R + Send + Sync> {
    Arc::new(it)
}

/// A function of a caller's, as a type that may cross threads; called on another one, it panics.
#[cfg(target_family = "wasm")]
pub(crate) fn function<A, R>(it: impl Fn(A) -> R + 'static) -> Arc<dyn Fn(A) -> R + Send + Sync> {
    let it = send_wrapper::SendWrapper::new(it);
    Arc::new(move |argument| (*it)(argument))
}

/// A future of a caller's, as a type that may cross threads.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn future<T: Future + MaybeSend>(it: T) -> impl Future<Output = T::Output> + Send {
    it
}

/// A future of a caller's, as a type that may cross threads; polled on another one, it panics.
#[cfg(target_family = "wasm")]
pub(crate) fn future<T: Future>(it: T) -> impl Future<Output = T::Output> + Send {
    send_wrapper::SendWrapper::new(it)
}
