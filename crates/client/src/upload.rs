//! Uploads: an upload URL from the gateway, then a `PUT` of the bytes (§4.1). The platform reads
//! the file, so its bytes never pass through the client.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use event_listener::Event;
use mediagate_core::{MissingPart, Value};

use crate::Client;
use crate::call::Call;
use crate::error::Error;
use crate::limits::{FileProgress, FilesProgress, Limits, RetryPolicy};
use crate::platform::{self, Body, BoxFuture, Function, HostValue, Platform};
use crate::response::ResponseKind;
use crate::sync::{Job, Lock, Waiters};

/// Receives the number of bytes of a file that were sent.
pub type Progress = Arc<Function<u64, ()>>;

pub(super) struct ProgressSum<V> {
    listener: FilesProgress<V>,
    files: Lock<Vec<FileProgress<V>>>,
}

impl<V: HostValue> ProgressSum<V> {
    pub(super) fn new(listener: FilesProgress<V>) -> Arc<Self> {
        Arc::new(ProgressSum {
            listener,
            files: Lock::default(),
        })
    }

    /// Adds a file of `size` bytes. Returns the listener of its progress.
    pub(super) fn add(self: &Arc<Self>, file: V, size: u64) -> Progress {
        let index = self.files.with(|files| {
            files.push(FileProgress {
                file,
                sent: 0,
                size,
            });
            files.len() - 1
        });
        let sum = self.clone();
        Arc::new(move |sent| {
            let progress = sum.files.with(|files| {
                if let Some(file) = files.get_mut(index) {
                    // A form has more bytes than its file.
                    file.sent = sent.min(file.size);
                }
                files.clone()
            });
            (sum.listener)(progress);
        })
    }
}

/// The uploads under way. All callers who need a file share its upload.
pub(super) struct Uploads<P: Platform> {
    running: Lock<Vec<FileUpload<P>>>,
    ended: Arc<Event>,
}

type FileUpload<P> = (<P as Platform>::Value, Weak<Job<P>>);

impl<P: Platform> Default for Uploads<P> {
    fn default() -> Self {
        Uploads {
            running: Lock::new(Vec::new()),
            ended: Arc::default(),
        }
    }
}

impl<P: Platform> Client<P> {
    /// Uploads a file, unless this client has uploaded it before. Returns the id of the file.
    ///
    /// # Errors
    /// `upload_failed` if the storage did not accept the bytes.
    pub fn upload(
        &self,
        file: P::Value,
        progress: Option<Progress>,
        limits: Limits<P>,
    ) -> BoxFuture<'static, Result<String, Error<P>>> {
        let client = self.clone();
        let retry = limits.retry.clone();
        let uploaded = async move { client.file_id(&file, progress, &retry).await };
        limits.apply(self.platform(), Box::pin(uploaded))
    }

    /// Returns the id of a file. Uploads the file first if necessary.
    pub(super) async fn file_id(
        &self,
        file: &P::Value,
        progress: Option<Progress>,
        retry: &RetryPolicy<P>,
    ) -> Result<String, Error<P>> {
        let platform = self.platform();
        if platform.file_id(file).is_none() {
            let upload = self.shared_upload(file, progress.as_ref().map(Arc::downgrade));
            let _waiter = upload.join(retry);
            upload.start(platform);
            upload.ended().await?;
        }
        if let Some(progress) = progress {
            // An upload that another caller started does not notify this one.
            progress(platform.file_info(file).size);
        }
        let id = platform.file_id(file);
        id.ok_or_else(|| Error::missing(200, MissingPart::UploadUrl))
    }

    /// Returns the upload of a file. Makes one if there is none. The subscriber to its progress
    /// may leave before its end.
    fn shared_upload(
        &self,
        file: &P::Value,
        progress: Option<Weak<Function<u64, ()>>>,
    ) -> Arc<Job<P>> {
        let uploads = &self.0.uploads;
        uploads.running.with(|running| {
            running.retain(|(_, upload)| {
                upload
                    .upgrade()
                    .is_some_and(|upload| upload.result().is_none())
            });
            let known = running.iter().find(|(known, _)| known.is_same(file));
            if let Some(upload) = known.and_then(|(_, upload)| upload.upgrade()) {
                return upload;
            }
            let client = self.clone();
            let sent = file.clone();
            let new = Job::new(uploads.ended.clone(), |waiters| {
                Box::pin(async move { client.send_file(sent, progress, waiters).await })
            });
            running.push((file.clone(), Arc::downgrade(&new)));
            new
        })
    }

    async fn send_file(
        &self,
        file: P::Value,
        progress: Option<Weak<Function<u64, ()>>>,
        waiters: Waiters<P>,
    ) -> Result<(), Error<P>> {
        let _permit = self.0.upload_limit.acquire().await;
        let mut has_renewed = false;
        loop {
            let target = self.upload_target(&file, &waiters).await?;
            let text = |name: &str| Some(String::from(&*target.get(name)?.text()?));
            let url = text("upload_url").filter(|url| !url.is_empty());
            let id = target.get("file_id").and_then(|id| id.identifier());
            let (Some(url), Some(id)) = (url, id) else {
                return Err(Error::missing(200, MissingPart::UploadUrl));
            };
            // The path of the gateway's upload relay. The URL in the response is wrong if a proxy
            // before the gateway removes a prefix from its paths.
            let relay = text("upload_path").filter(|path| path.starts_with("uploads/"));
            let body = Body::File(platform::FileBody {
                file: file.clone(),
                target,
                on_sent: notifying(progress.clone()),
                has_subscriber: progress.is_some(),
            });
            let in_session = relay.is_some();
            let url = relay.map_or(url, |path| self.url(&path));
            let mut call = Call::new(url, body, ResponseKind::Stored, waiters.clone());
            // The token is sent only to the gateway.
            call.in_session = in_session;
            call.request.method = "PUT";
            match self.reply(call).await {
                Ok(_) => {
                    self.platform().remember_file(&file, &id);
                    return Ok(());
                }
                // The upload URL has expired, is not valid, or was used: the response to an earlier
                // attempt may be lost. A new one may work.
                Err(error)
                    if !has_renewed
                        && matches!(error.status, Some(400 | 401 | 403 | 409 | 410 | 412)) =>
                {
                    has_renewed = true;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn upload_target(
        &self,
        file: &P::Value,
        waiters: &Waiters<P>,
    ) -> Result<P::Value, Error<P>> {
        let info = self.platform().file_info(file);
        let body = P::Value::from_members(Vec::from([
            ("file_name", P::Value::from_text(&info.name)),
            ("content_type", P::Value::from_text(&info.media_type)),
            ("size", P::Value::from_number(info.size as f64)),
        ]));
        let url = self.url("upload_urls");
        self.data(Call::new(
            url,
            Body::Json(body),
            ResponseKind::Data,
            waiters.clone(),
        ))
        .await
    }
}

fn notifying(progress: Option<Weak<Function<u64, ()>>>) -> Progress {
    Arc::new(move |sent| {
        if let Some(progress) = progress.as_ref().and_then(Weak::upgrade) {
            progress(sent);
        }
    })
}
