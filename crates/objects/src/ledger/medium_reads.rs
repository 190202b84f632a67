use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::{MediumRef, TaskName, TaskRef};
use mediagate_messages::ledger::StoredMedium;
use mediagate_messages::{ResultPlace, StreamClient, poll_media};
use mediagate_platform::http::within;
use mediagate_platform::{body_stream, timestamp_ms};
use mediagate_upstream_client::{Medium, Upstream};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, ResponseInit, WritableStreamDefaultWriter};

use super::object::{Inner, SharedRead};
use super::store::RETENTION_MS;
use crate::events::{Cut, Seat, output_quotas};

/// The longest time in which a client may read a medium. After it, the client gets no more bytes.
const MAX_READ: Duration = Duration::from_secs(10 * 60);

/// The time between two checks for a read that was cut while it waits for its reader.
const CUT_CHECK: Duration = Duration::from_secs(1);

/// The pause before each slice. A fast reader of many media would otherwise delay everybody.
const TURN: Duration = Duration::from_millis(1);

/// A medium that is being sent. Another read may take its place.
#[derive(Default)]
struct MediumRead {
    is_cut: Cell<bool>,
}

impl MediumRead {
    /// Writes a slice, and completes once the reader takes it. Fails if the reader closes the
    /// stream, or if another read takes the place of this one, also while the reader takes nothing.
    async fn write(
        &self,
        writer: &WritableStreamDefaultWriter,
        slice: &JsValue,
    ) -> Result<(), JsValue> {
        let mut writing = JsFuture::from(writer.write_with_chunk(slice));
        while !self.is_cut.get() {
            if let Some(written) = within(CUT_CHECK, &mut writing).await {
                return written.map(drop);
            }
        }
        Err(JsValue::from_str("another read has taken the place"))
    }
}

impl Cut for MediumRead {
    fn cut(&self) {
        self.is_cut.set(true);
    }
}

impl Inner {
    /// Finds a medium. If it is in a task's record and not stored, the media of the record are
    /// stored first.
    pub(super) async fn find_medium(
        self: Rc<Self>,
        medium: &MediumRef,
    ) -> worker::Result<Result<StoredMedium, Refusal>> {
        if let Some(stored) = self.media.find(&medium.task, medium.position)? {
            return Ok(Ok(stored));
        }
        // The response to a create comes once. If its medium is not stored, it is gone.
        if let TaskName::Upstream(task) = &medium.task
            && let Err(refusal) = self.record_read(&medium.owner, task).await
        {
            return Ok(Err(refusal));
        }
        let stored = self.media.find(&medium.task, medium.position)?;
        Ok(stored.ok_or_else(|| Reason::UnknownOutput.into()))
    }

    /// Returns the read of a task's record that is in progress, or starts one. It completes even if
    /// its callers go away.
    fn record_read(self: &Rc<Self>, owner: &Subject, task: &TaskRef) -> SharedRead {
        let name = TaskName::Upstream(task.clone());
        let key = ResultPlace::task_key(&name);
        if let Some(read) = self.record_reads.borrow().get(&key) {
            return read.clone();
        }
        let inner = Rc::clone(self);
        let owner = owner.clone();
        let task = task.clone();
        let key_of_read = key.clone();
        let read = async move {
            let read = inner.store_media_of_record(&owner, &task).await;
            inner.record_reads.borrow_mut().remove(&key_of_read);
            read
        };
        let read: SharedRead = read.boxed_local().shared();
        self.record_reads.borrow_mut().insert(key, read.clone());
        self.storage.wait_until(read.clone().map(drop));
        read
    }

    /// Reads a task's record, and stores its media. Fails as [`poll_media`] does, or with a 500 if
    /// the media can't be stored.
    async fn store_media_of_record(&self, owner: &Subject, task: &TaskRef) -> Result<(), Refusal> {
        let _turn = self.record_turn.lock().await;
        let upstream = Upstream::try_shared(&self.env)?;
        let upstream_ms = Cell::new(0.0);
        let client = upstream.client(owner, "", &upstream_ms);
        let media = poll_media(&self.env, client, task).await?;
        if media.iter().all(Option::is_none) {
            return Ok(());
        }
        let task = TaskName::Upstream(task.clone());
        let stored = self.store_media_of_task(&task, &media).await;
        stored.map_err(|_| Refusal::from(Reason::LedgerFailed))
    }

    /// Stores media for as long as the history has the task, or for a day if it no longer has it.
    async fn store_media_of_task(
        &self,
        task: &TaskName,
        media: &[Option<Medium>],
    ) -> worker::Result<()> {
        // Without an alarm they might never be removed.
        self.ensure_alarm().await?;
        let has_entry = self.results.source_of(task)?.is_some();
        let expires_at = (!has_entry).then_some(timestamp_ms() + RETENTION_MS);
        self.media.store(task, media, expires_at)
    }

    /// Returns a response with some bytes of a stored medium. They are read from the storage as the
    /// body is read, so that an unread body occupies one slice. The body breaks off after
    /// [`MAX_READ`], and if the client or its network has too many reads.
    pub(super) fn stream_medium(
        self: &Rc<Self>,
        medium: MediumRef,
        bytes: Range<u64>,
        client: Option<&StreamClient>,
    ) -> worker::Result<Response> {
        let stored = self.media.find(&medium.task, medium.position)?;
        if stored.is_none_or(|stored| stored.size < bytes.end) {
            // It was removed since the gateway found it.
            let init = ResponseInit::new();
            init.set_status(404);
            return Ok(Response::new_with_opt_str_and_init(None, &init)?);
        }
        let quotas = match client {
            Some(client) => output_quotas(
                client,
                &medium.owner,
                &Upstream::shared(&self.env)?.settings,
            ),
            None => Vec::new(),
        };
        let stream = body_stream(Some(bytes.end - bytes.start))?;
        let response = Response::new_with_opt_readable_stream(Some(&stream.readable()))?;
        let writer = stream.writable().get_writer()?;
        let read = Rc::new(MediumRead::default());
        let seat = Seat::take(&read, quotas);
        let inner = Rc::clone(self);
        self.storage.wait_until(async move {
            let sending = inner.send_medium(&medium, bytes, &read, &writer);
            let sent = within(MAX_READ, sending).await;
            if !matches!(sent, Some(Ok(()))) {
                // The client must see that the body is incomplete. If the client has closed the
                // body, there is nothing left to abort.
                let _ = JsFuture::from(writer.abort()).await;
            }
            drop(seat);
        });
        Ok(response)
    }

    /// Writes each slice after the reader has taken the one before. Fails if the reader closes the
    /// stream, if the medium is removed, or if another read takes the place of this one.
    async fn send_medium(
        &self,
        medium: &MediumRef,
        bytes: Range<u64>,
        read: &MediumRead,
        writer: &WritableStreamDefaultWriter,
    ) -> Result<(), JsValue> {
        let mut start = bytes.start;
        while start < bytes.end {
            // The platform turns to other callers only if it has nothing to do for a moment.
            worker::Delay::from(TURN).await;
            let slice = self.media.slice(&medium.task, medium.position, start)?;
            let slice = slice.ok_or_else(|| JsValue::from_str("the medium was removed"))?;
            let left = u32::try_from(bytes.end - start).unwrap_or(u32::MAX);
            let length = slice.length().min(left);
            start += u64::from(length);
            read.write(writer, &slice.subarray(0, length)).await?;
        }
        JsFuture::from(writer.close()).await?;
        Ok(())
    }
}
