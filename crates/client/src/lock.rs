//! The lock of shared state.

/// A value that one future at a time reads or changes. It is never locked across an `await`.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(std::sync::Mutex<T>);

/// A value that one future at a time reads or changes. It is never locked across an `await`.
#[cfg(target_family = "wasm")]
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(core::cell::RefCell<T>);

impl<T> Lock<T> {
    /// Wraps a value.
    pub(crate) fn new(value: T) -> Self {
        Lock(value.into())
    }

    /// Reads or changes the value.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(
            &mut self
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }

    /// Reads or changes the value.
    #[cfg(target_family = "wasm")]
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.borrow_mut())
    }
}
