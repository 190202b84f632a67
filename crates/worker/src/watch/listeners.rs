//! Those who listen to one task.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::{Receiver, Sender, channel};

use super::events::HEARTBEAT;

/// Most who listen at once. One more ends the stream of the first, who comes back with `Last-Event-ID`.
const MOST: usize = 2_000;
/// Events that wait for one who is slow; then their stream ends, and they come back for what they missed.
const MOST_WAITING: usize = 8;

/// One text for all.
pub(super) type Text = Rc<[u8]>;

/// Somebody who is told.
struct Listener {
    sender: Sender<Text>,
    /// The number of the last event that they were told.
    seen: u64,
    until: i64,
}

/// All of them. Dropping one ends its stream.
#[derive(Default)]
pub(super) struct Listeners(RefCell<Vec<Listener>>);

/// What there is to tell: the number of the last event, and its text where there is one.
pub(super) struct News {
    pub(super) version: u64,
    pub(super) text: Option<Text>,
}

impl Listeners {
    /// One more, who has seen the event of a number and listens until a moment; first they are told these.
    pub(super) fn add(&self, seen: u64, until: i64, hello: &str, news: &News) -> Receiver<Text> {
        let (sender, receiver) = channel(MOST_WAITING);
        let mut listener = Listener { sender, seen, until };
        listener.say(&Rc::from(hello.as_bytes()));
        listener.tell(news);
        let mut all = self.0.borrow_mut();
        if all.len() >= MOST {
            all.remove(0);
        }
        all.push(listener);
        receiver
    }

    /// Drops those whose time is over, and those who are known to be gone.
    pub(super) fn tidy(&self, now: i64) {
        self.0.borrow_mut().retain(|it| it.until > now && !it.sender.is_closed());
    }

    /// Tells everyone what is new to them, or at least that somebody is here.
    pub(super) fn tell(&self, news: &News) {
        self.0.borrow_mut().retain_mut(|it| it.tell(news));
    }

    /// Tells everyone the same, and that was it.
    pub(super) fn end(&self, text: Option<&Text>) {
        for mut listener in self.0.take() {
            if let Some(text) = text {
                listener.say(text);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

impl Listener {
    /// Whether they are still with us. A number that was never told, as after all was forgotten, counts as none.
    fn tell(&mut self, news: &News) -> bool {
        match &news.text {
            Some(text) if self.seen != news.version => {
                self.seen = news.version;
                self.say(text)
            }
            _ => self.say(&Rc::from(HEARTBEAT.as_bytes())),
        }
    }

    fn say(&mut self, text: &Text) -> bool {
        self.sender.try_send(Rc::clone(text)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(version: u64, text: &str) -> News {
        News { version, text: Some(Rc::from(text.as_bytes())) }
    }

    fn heard(receiver: &mut Receiver<Text>) -> Vec<String> {
        let next = || receiver.try_recv().ok();
        std::iter::from_fn(next).map(|it| String::from_utf8_lossy(&it).into_owned()).collect()
    }

    #[test]
    fn each_is_told_what_is_new_to_them() {
        let all = Listeners::default();
        let mut new = all.add(0, 10, "hello", &news(2, "two"));
        let mut back = all.add(2, 10, "hello", &news(2, "two"));
        let mut ahead = all.add(9, 10, "hello", &news(2, "two"));
        all.tell(&news(3, "three"));
        all.tell(&news(3, "three"));
        assert_eq!(heard(&mut new), ["hello", "two", "three", HEARTBEAT]);
        assert_eq!(heard(&mut back), ["hello", HEARTBEAT, "three", HEARTBEAT]);
        assert_eq!(heard(&mut ahead), ["hello", "two", "three", HEARTBEAT]);
        all.tidy(10);
        assert!(all.is_empty());
    }

    #[test]
    fn who_does_not_read_is_let_go() {
        let all = Listeners::default();
        let _slow = all.add(0, 10, "hello", &news(1, "one"));
        for version in 2..40 {
            all.tell(&news(version, "more"));
        }
        assert!(all.is_empty());
        let streams: Vec<_> = (0..MOST + 5).map(|_| all.add(0, 10, "hello", &news(1, "one"))).collect();
        assert_eq!(all.0.borrow().len(), MOST);
        drop(streams);
        all.tidy(0);
        assert!(all.is_empty(), "gone");
    }
}
