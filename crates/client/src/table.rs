//! What the engine keeps, by id.

use alloc::vec::Vec;

use crate::platform::Id;

/// Values by their ids, in the order in which they were inserted. There are few at a time, so that a search is a walk.
pub(crate) struct Table<T>(Vec<(Id, T)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table(Vec::new())
    }
}

impl<T: Copy> Table<T> {
    /// Inserts a value.
    #[inline(never)]
    pub(crate) fn insert(&mut self, id: Id, value: T) {
        self.0.push((id, value));
    }

    /// The value with this id.
    #[inline(never)]
    pub(crate) fn get(&mut self, id: Id) -> Option<&mut T> {
        self.0.iter_mut().find(|it| it.0 == id).map(|it| &mut it.1)
    }

    /// Whether there is a value with this id.
    pub(crate) fn has(&self, id: Id) -> bool {
        self.iter().any(|it| it.0 == id)
    }

    /// Takes the value with this id out.
    #[inline(never)]
    pub(crate) fn take(&mut self, id: Id) -> Option<T> {
        let mut found = None;
        let mut left = 0;
        for index in 0..self.0.len() {
            let Some(&it) = self.0.get(index) else { break };
            if it.0 == id {
                found = Some(it.1);
            } else if let Some(place) = self.0.get_mut(left) {
                *place = it;
                left += 1;
            }
        }
        self.0.truncate(left);
        found
    }

    /// The id of the first value for which the test is true.
    #[inline(never)]
    pub(crate) fn find(&self, test: &dyn Fn(Id, &T) -> bool) -> Option<Id> {
        self.iter().find(|it| test(it.0, it.1)).map(|it| it.0)
    }

    /// The ids of all values for which the test is true.
    #[inline(never)]
    pub(crate) fn ids(&self, ids: &mut Vec<Id>, test: &dyn Fn(&T) -> bool) {
        for it in &self.0 {
            if test(&it.1) {
                ids.push(it.0);
            }
        }
    }

    /// The values with their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Id, &T)> {
        self.0.iter().map(|it| (it.0, &it.1))
    }
}
