//! The parts that came with tasks' events, at hand while a log is walked: those of a task are read once, not once for each
//! of its events. Bounded by their number; the tasks that were read first make room.

use baton_core::limits;
use baton_store::Error;
use baton_store::rows::RecordedPart;
use std::collections::{HashMap, VecDeque};

/// The parts of some tasks, by the task's place.
#[derive(Debug)]
pub(super) struct Parts {
    tasks: HashMap<i64, Vec<(i64, RecordedPart)>>,
    /// The tasks in the order they were read.
    order: VecDeque<i64>,
    count: usize,
    most: usize,
}

impl Default for Parts {
    fn default() -> Self {
        Self::keeping(limits::PARTS_CHECKED_COUNT)
    }
}

impl Parts {
    fn keeping(most: usize) -> Self {
        Self { tasks: HashMap::new(), order: VecDeque::new(), count: 0, most }
    }

    /// What came with an event of a task, in order; `read` gives all that came with the task's events.
    pub(super) fn of_event(
        &mut self,
        task: i64,
        event: i64,
        read: impl FnOnce() -> Result<Vec<(i64, RecordedPart)>, Error>,
    ) -> Result<impl Iterator<Item = &RecordedPart>, Error> {
        if !self.tasks.contains_key(&task) {
            let parts = read()?;
            self.make_room(parts.len());
            self.count += parts.len();
            self.order.push_back(task);
            self.tasks.insert(task, parts);
        }
        let parts = self.tasks.get(&task).map(Vec::as_slice).unwrap_or_default();
        Ok(parts.iter().filter(move |(number, _)| *number == event).map(|(_, part)| part))
    }

    fn make_room(&mut self, wanted: usize) {
        while self.count + wanted > self.most {
            let Some(first) = self.order.pop_front() else { return };
            self.count -= self.tasks.remove(&first).map_or(0, |parts| parts.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::{ArtifactHash, MediaType};

    fn part(n: u8) -> RecordedPart {
        RecordedPart { hash: ArtifactHash::new([n; 32]), size: n.into(), media_type: MediaType::default() }
    }

    #[test]
    fn the_parts_of_a_task_are_read_once_for_all_of_its_events() {
        let (mut parts, mut reads) = (Parts::keeping(4), 0);
        let mut sizes = |parts: &mut Parts, task, event| -> Vec<u64> {
            let found = parts.of_event(task, event, || {
                reads += 1;
                Ok(vec![(1, part(1)), (3, part(2)), (3, part(3))])
            });
            found.unwrap().map(|part| part.size).collect()
        };
        for _ in 0..2 {
            assert_eq!(sizes(&mut parts, 7, 1), [1]);
            assert_eq!(sizes(&mut parts, 7, 2), [0; 0]);
            assert_eq!(sizes(&mut parts, 7, 3), [2, 3]);
        }
        assert_eq!(sizes(&mut parts, 8, 3), [2, 3], "for which the first makes room");
        assert_eq!((parts.count, parts.tasks.len()), (3, 1));
        assert_eq!(sizes(&mut parts, 7, 1), [1]);
        assert_eq!(reads, 3);
    }

    #[test]
    fn a_task_with_more_parts_than_are_kept_is_read_all_the_same() {
        let mut parts = Parts::keeping(1);
        for task in [1, 2] {
            let found = parts.of_event(task, 1, || Ok(vec![(1, part(1)), (1, part(2))]));
            assert_eq!(found.unwrap().count(), 2);
        }
        assert_eq!((parts.count, parts.order.len()), (2, 1));
    }
}
