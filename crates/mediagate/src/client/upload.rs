//! Uploading a file.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};

use super::call::{Call, CallKind};
use super::inner::{Inner, text};
use crate::error::Error;
use crate::file::{File, Progress};
use crate::platform::Engine;
use crate::sendable::{self, MaybeSend, MaybeSync};
use crate::value::{ProgressFn, Value, hold};

/// Uploads a file: what [`Client::upload`](crate::Client::upload) prepares.
pub struct Upload {
    client: Arc<Inner>,
    file: File,
    progress: Option<ProgressFn>,
}

impl Upload {
    /// The upload of a file.
    pub(super) fn new(client: Arc<Inner>, file: File) -> Self {
        Upload {
            client,
            file,
            progress: None,
        }
    }
}

impl Call<Upload> {
    /// Calls a function with the bytes that were sent, after each 64 KiB and at the end, on the client's thread. Where the
    /// same file is being uploaded already, it is called at the end alone.
    pub fn progress(mut self, notify: impl Fn(Progress) + MaybeSend + MaybeSync + 'static) -> Self {
        self.kind.progress = Some(sendable::function(notify));
        self
    }
}

impl CallKind for Upload {
    type Output = String;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<String, Error>> {
        let Call {
            kind:
                Upload {
                    client,
                    file,
                    progress,
                },
            limits,
        } = call;
        async move {
            if file.size() == 0 {
                return Err(Error::invalid_argument(
                    "the file is empty; give one with at least one byte",
                ));
            }
            let gateway = client.gateway.id();
            let begin = Box::new(move |engine: &mut Engine, _: &_, promise| {
                let progress = progress.map(|it| hold(Value::Progress(it)));
                engine.upload(promise, gateway, hold(Value::File(file)), progress);
            });
            client.call(limits, begin, text).await
        }
        .boxed()
    }
}
