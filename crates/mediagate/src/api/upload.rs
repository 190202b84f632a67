use std::sync::Arc;

use mediagate_client::{self as client, BoxFuture, Function, MaybeSend, MaybeSync};

use super::call::{Call, CallKind, unwound};
use super::client::Client;
use crate::error::Error;
use crate::file::{File, Progress};
use crate::value::Value;

impl Client {
    /// Uploads a file (§4.1). Returns its id, valid for the same user. A create uploads its files
    /// by itself.
    ///
    /// # Errors
    /// - [`ErrorKind::Network`](crate::ErrorKind::Network) with the code `upload_failed` if the
    ///   storage did not accept the bytes.
    /// - [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty file.
    pub fn upload(&self, file: impl Into<File>) -> Call<Upload> {
        Call::new(Upload::new(self.clone(), file.into()))
    }
}

/// The upload that [`Client::upload`](crate::Client::upload) prepares.
pub struct Upload {
    client: Client,
    file: File,
    progress: Option<Arc<Function<Progress, ()>>>,
}

impl Upload {
    pub(super) fn new(client: Client, file: File) -> Self {
        Upload {
            client,
            file,
            progress: None,
        }
    }
}

impl Call<Upload> {
    /// Calls a function with the number of bytes that were sent, after each 64 KiB and at the end.
    /// If another call is already uploading the file, the function is called only at the end.
    pub fn progress(mut self, notify: impl Fn(Progress) + MaybeSend + MaybeSync + 'static) -> Self {
        self.kind.progress = Some(Arc::new(notify));
        self
    }
}

impl CallKind for Upload {
    type Output = String;

    fn begin(call: Call<Self>) -> BoxFuture<'static, Result<String, Error>> {
        let Upload {
            client,
            file,
            progress,
        } = call.kind;
        let limits = call.settings.or(&client.settings).limits();
        Box::pin(async move {
            let total = file.size();
            if total == 0 {
                let message = "the file is empty; give one with at least one byte";
                return Err(Error::invalid_argument(message));
            }
            let progress = progress.map(|notify| {
                let sent: client::Progress = Arc::new(move |loaded: u64| {
                    unwound(|| notify(Progress::new(loaded.min(total), total)));
                });
                sent
            });
            let uploaded = client.inner.upload(Value::File(file), progress, limits);
            Ok(uploaded.await?)
        })
    }
}
