//! Several lists, each newest first, walked as one: a heap holds the newest position of each, so a walk reads every
//! list once and then takes one step per row, however many lists there are. The walk is bounded: it stops after so many
//! rows, and the next page begins where it stopped.

use baton_core::limits;
use std::collections::{BinaryHeap, VecDeque};

use crate::error::Error;

/// Rows of a list below a place, newest first, at most so many; each with whether it is wanted.
pub(crate) type Fetch<'a, K> = Box<dyn Fn(K, usize) -> Result<Vec<(K, bool)>, Error> + 'a>;

/// Rows to walk.
struct List<'a, K> {
    fetch: Fetch<'a, K>,
    ahead: VecDeque<(K, bool)>,
    /// How many rows to read ahead next time.
    chunk: usize,
    is_at_end: bool,
}

/// A walk over lists.
pub(crate) struct Merge<'a, K> {
    lists: Vec<List<'a, K>>,
    newest: BinaryHeap<(K, usize)>,
    examined: usize,
    most_examined: usize,
    last: Option<K>,
    is_stopped: bool,
}

impl<'a, K: Ord + Copy> Merge<'a, K> {
    /// A walk from below `before`, that is likely to want so many rows and examines at most so many.
    pub(crate) fn new(
        lists: Vec<Fetch<'a, K>>,
        before: K,
        wanted: usize,
        most_examined: usize,
    ) -> Result<Self, Error> {
        let count = lists.len();
        let chunk = (wanted.saturating_add(1) / count.max(1)).clamp(1, limits::LIST_AHEAD_MAX_COUNT);
        let mut merge = Self {
            lists: Vec::with_capacity(count),
            newest: BinaryHeap::with_capacity(count),
            examined: 0,
            most_examined: most_examined
                .max(count.saturating_mul(chunk).saturating_add(limits::LIST_EXAMINED_MIN_COUNT)),
            last: None,
            is_stopped: false,
        };
        for (at, fetch) in lists.into_iter().enumerate() {
            merge.lists.push(List { fetch, ahead: VecDeque::new(), chunk, is_at_end: false });
            merge.read_ahead(at, before)?;
        }
        Ok(merge)
    }

    /// The next place that is wanted; none at the end, or where the walk stops.
    pub(crate) fn next(&mut self) -> Result<Option<K>, Error> {
        while !self.is_stopped {
            let Some((place, at)) = self.newest.pop() else { return Ok(None) };
            let is_wanted = self.lists[at].ahead.pop_front().is_some_and(|(_, is_wanted)| is_wanted);
            // One row may be in two lists.
            let is_repeated = self.last == Some(place);
            self.last = Some(place);
            match self.lists[at].ahead.front() {
                Some((next, _)) => self.newest.push((*next, at)),
                None if self.lists[at].is_at_end => {}
                None if self.examined >= self.most_examined => self.is_stopped = true,
                None => self.read_ahead(at, place)?,
            }
            if is_wanted && !is_repeated {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Where the walk stopped short of the end.
    pub(crate) fn stopped_at(&self) -> Option<K> {
        self.last.filter(|_| self.is_stopped)
    }

    fn read_ahead(&mut self, at: usize, before: K) -> Result<(), Error> {
        let list = &mut self.lists[at];
        let chunk = list.chunk.min(self.most_examined.saturating_sub(self.examined)).max(1);
        list.ahead = (list.fetch)(before, chunk)?.into();
        list.is_at_end = list.ahead.len() < chunk;
        list.chunk = (list.chunk * 2).min(limits::LIST_AHEAD_MAX_COUNT);
        self.examined += list.ahead.len();
        if let Some((next, _)) = list.ahead.front() {
            self.newest.push((*next, at));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn list<'a>(places: &'a [i64], looks: &'a Cell<usize>) -> Fetch<'a, i64> {
        Box::new(move |before, most| {
            looks.set(looks.get() + 1);
            let below = places.iter().filter(|place| **place < before).take(most);
            Ok(below.map(|place| (*place, place % 10 != 0)).collect())
        })
    }

    fn walk(merge: &mut Merge<'_, i64>, most: usize) -> Vec<i64> {
        std::iter::from_fn(|| merge.next().unwrap()).take(most).collect()
    }

    #[test]
    fn lists_are_walked_as_one_without_what_is_not_wanted_and_without_repeats() {
        let looks = Cell::new(0);
        let lists = vec![list(&[9, 7, 3], &looks), list(&[20, 8, 7, 1], &looks), list(&[], &looks)];
        let mut merge = Merge::new(lists, i64::MAX, 3, 1_000).unwrap();
        assert_eq!(walk(&mut merge, 99), [9, 8, 7, 3, 1]);
        assert_eq!(merge.stopped_at(), None);
    }

    #[test]
    fn a_page_of_many_lists_costs_a_look_at_each_and_a_step_a_row() {
        let looks = Cell::new(0);
        let places: Vec<Vec<i64>> = (0..5_000).map(|n| vec![1_000_001 + n * 2 - n % 2, 1]).collect();
        let lists = places.iter().map(|places| list(places, &looks)).collect();
        let mut merge = Merge::new(lists, i64::MAX, 50, 1_000).unwrap();
        assert_eq!(walk(&mut merge, 50).len(), 50);
        assert!(looks.get() <= 5_000 + 2 * 50, "{} looks", looks.get());
    }

    #[test]
    fn a_walk_that_stops_says_where_and_goes_on_from_there() {
        let looks = Cell::new(0);
        // Nothing is wanted but the last.
        let places: Vec<i64> = (0..2_000).map(|n| 20_000 - n * 10).chain([3]).collect();
        let (mut before, mut found, mut pages) = (i64::MAX, Vec::new(), 0);
        loop {
            let mut merge = Merge::new(vec![list(&places, &looks)], before, 5, 100).unwrap();
            found.extend(walk(&mut merge, 99));
            pages += 1;
            match merge.stopped_at() {
                Some(place) => before = place,
                None => break,
            }
        }
        assert_eq!(found, [3]);
        assert!(pages > 3, "{pages} pages");
    }
}
