#[cfg(not(target_family = "wasm"))]
use std::collections::HashMap;
#[cfg(not(target_family = "wasm"))]
use std::sync::{Mutex, PoisonError};

/// Stores the anonymous session of a client. Only its subject can read its tasks, and the store
/// lets the subject outlive the client.
///
/// The text contains a session token: store it where only the caller can read it. The client waits
/// for the methods.
///
/// ```
/// use std::{fs, path::PathBuf};
///
/// /// Stores the session of one gateway in a file.
/// struct InFile(PathBuf);
///
/// impl mediagate::SessionStore for InFile {
///     fn load(&self, _name: &str) -> Option<String> {
///         fs::read_to_string(&self.0).ok()
///     }
///
///     fn store(&self, _name: &str, session: &str) {
///         // Without the file, the next client is another subject.
///         fs::write(&self.0, session).ok();
///     }
/// }
/// ```
pub trait SessionStore: Send + Sync {
    /// Returns the last text that was stored under a name. The name contains the URL of the
    /// gateway.
    fn load(&self, name: &str) -> Option<String>;
    /// Stores a text under a name.
    fn store(&self, name: &str, session: &str);
}

/// Stores sessions for as long as the client lives.
#[cfg(not(target_family = "wasm"))]
#[derive(Default)]
pub(crate) struct InMemory(Mutex<HashMap<String, String>>);

#[cfg(not(target_family = "wasm"))]
impl SessionStore for InMemory {
    fn load(&self, name: &str) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            .cloned()
    }

    fn store(&self, name: &str, session: &str) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.into(), session.into());
    }
}
