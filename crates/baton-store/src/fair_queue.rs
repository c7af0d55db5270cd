//! Start-time fair queueing: of all lines with something waiting, the one that has used the least time is served next.
//! Time is charged as it was measured, so nobody has to guess what a job will cost. A line that was away comes back
//! where the others are now: it has saved nothing up, and owes nothing for the time it asked for nothing.

use foldhash::HashMap;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Bound;
use std::time::Duration;

use crate::share::Share;

/// What may wait, and how much of it may run at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// In all lines together.
    pub(crate) waiting: usize,
    /// In one line.
    pub(crate) waiting_per_share: usize,
    /// Taken and not done, of one line.
    pub(crate) running_per_share: usize,
}

#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    bounds: Bounds,
    lines: HashMap<Share, Line<T>>,
    /// Every line, the one that has used the least first.
    order: BTreeSet<(u64, Share)>,
    /// What the line served last had used by then, in microseconds.
    now: u64,
    waiting: usize,
    running: usize,
}

#[derive(Debug)]
struct Line<T> {
    waiting: VecDeque<T>,
    running: usize,
    /// Microseconds, divided by the share's weight.
    used: u64,
}

impl<T> Line<T> {
    const fn new(used: u64) -> Self {
        Self { waiting: VecDeque::new(), running: 0, used }
    }
}

impl<T> FairQueue<T> {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, lines: HashMap::default(), order: BTreeSet::new(), now: 0, waiting: 0, running: 0 }
    }

    /// Puts an item at the end of its share's line; given back if the line, or the queue, is full.
    pub(crate) fn push(&mut self, share: Share, item: T) -> Result<(), T> {
        let own = self.lines.get(&share).map_or(0, |line| line.waiting.len());
        // A share that has nothing waiting gets its place, however much the others have.
        let is_crowded = self.waiting >= self.bounds.waiting && own > 0 && share != Share::Hub;
        if own >= self.bounds.waiting_per_share || is_crowded {
            return Err(item);
        }
        self.waiting += 1;
        let now = self.now;
        match self.lines.get_mut(&share) {
            Some(line) => {
                line.waiting.push_back(item);
                if line.used < now && line.waiting.len() == 1 {
                    let place = (line.used, share);
                    self.order.remove(&place);
                    line.used = now;
                    self.order.insert((now, place.1));
                }
            }
            None => {
                self.order.insert((now, share.clone()));
                self.lines.insert(share, Line { waiting: VecDeque::from([item]), ..Line::new(now) });
            }
        }
        Ok(())
    }

    /// Takes the next item; `done` is to be called for it.
    pub(crate) fn pop(&mut self) -> Option<(Share, T)> {
        let mut after = Bound::Unbounded;
        let (used, share) = loop {
            let place = self.order.range((after, Bound::Unbounded)).next()?.clone();
            let line = &self.lines[&place.1];
            if !line.waiting.is_empty() && line.running < self.bounds.running_per_share {
                break place;
            }
            after = Bound::Excluded(place);
        };
        self.now = self.now.max(used);
        self.forget_idle();
        let line = self.lines.get_mut(&share)?;
        let item = line.waiting.pop_front()?;
        line.running += 1;
        self.running += 1;
        self.waiting -= 1;
        Some((share, item))
    }

    /// An item of this share has run for so long.
    pub(crate) fn done(&mut self, share: &Share, took: Duration) {
        self.charge(share, took);
        if let Some(line) = self.lines.get_mut(share) {
            line.running -= 1;
            self.running -= 1;
        }
        // Nobody waited for anybody: what was used so far does not matter any more.
        if self.waiting == 0 && self.running == 0 {
            self.lines.clear();
            self.order.clear();
        }
    }

    /// Counts time to a share.
    pub(crate) fn charge(&mut self, share: &Share, took: Duration) {
        if self.waiting == 0 && self.running == 0 {
            return; // nobody waited for it
        }
        // Whatever is asked costs something, or a line of the cheapest calls would always be first.
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        let more = micros.div_ceil(share.weight());
        let place = match self.lines.get_mut(share) {
            Some(line) => {
                let place = (line.used, share.clone());
                self.order.remove(&place);
                line.used = line.used.saturating_add(more);
                (line.used, place.1)
            }
            None => {
                let used = self.now.saturating_add(more);
                self.lines.insert(share.clone(), Line::new(used));
                (used, share.clone())
            }
        };
        self.order.insert(place);
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Lines with nothing to do that owe nothing any more: a new one would begin at the same place.
    fn forget_idle(&mut self) {
        while let Some(first) = self.order.first() {
            let line = &self.lines[&first.1];
            if first.0 > self.now || !line.waiting.is_empty() || line.running > 0 {
                return;
            }
            if let Some((_, share)) = self.order.pop_first() {
                self.lines.remove(&share);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_core::NetworkId;

    const BOUNDS: Bounds = Bounds { waiting: 1_000, waiting_per_share: 600, running_per_share: 1 };

    fn network(n: u8) -> Share {
        Share::Network(NetworkId::from_random([n; 6]))
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_newcomer_is_served_next_however_long_another_line_is() {
        let mut queue = FairQueue::new(BOUNDS);
        for n in 0..500 {
            queue.push(network(1), n).unwrap();
        }
        for _ in 0..10 {
            let (share, _) = queue.pop().unwrap();
            queue.done(&share, millis(5));
        }
        queue.push(network(2), 1_000).unwrap();
        assert_eq!(queue.pop(), Some((network(2), 1_000)));
    }

    #[test]
    fn time_is_shared_by_what_each_job_took_not_by_the_number_of_jobs() {
        let mut queue = FairQueue::new(BOUNDS);
        for n in 0..500 {
            queue.push(network(1), n).unwrap();
            queue.push(network(2), n).unwrap();
        }
        let (mut dear, mut cheap) = (0, 0);
        for _ in 0..202 {
            let (share, _) = queue.pop().unwrap();
            let is_dear = share == network(1);
            *(if is_dear { &mut dear } else { &mut cheap }) += 1;
            queue.done(&share, millis(if is_dear { 100 } else { 1 }));
        }
        assert!((1..=3).contains(&dear), "{dear} dear and {cheap} cheap ones");
    }

    #[test]
    fn a_line_that_was_away_has_saved_nothing_up() {
        let mut queue = FairQueue::new(BOUNDS);
        queue.push(network(1), 0).unwrap();
        let (share, _) = queue.pop().unwrap();
        queue.done(&share, millis(1));
        for n in 0..100 {
            queue.push(network(2), n).unwrap();
            let (share, _) = queue.pop().unwrap();
            queue.done(&share, millis(10));
        }
        for n in 0..10 {
            queue.push(network(1), n).unwrap();
            queue.push(network(2), n).unwrap();
        }
        let first: Vec<Share> = (0..6)
            .map(|_| {
                let (share, _) = queue.pop().unwrap();
                queue.done(&share, millis(10));
                share
            })
            .collect();
        let of_the_first = first.iter().filter(|share| **share == network(1)).count();
        assert_eq!(of_the_first, 3, "{first:?}");
    }

    #[test]
    fn a_share_runs_no_more_at_once_than_it_may_and_others_pass_it() {
        let mut queue = FairQueue::new(BOUNDS);
        queue.push(network(1), 1).unwrap();
        queue.push(network(1), 2).unwrap();
        queue.push(network(2), 3).unwrap();
        assert_eq!(queue.pop(), Some((network(1), 1)));
        assert_eq!(queue.pop(), Some((network(2), 3)));
        assert_eq!(queue.pop(), None);
        queue.done(&network(1), millis(1));
        assert_eq!(queue.pop(), Some((network(1), 2)));
    }

    #[test]
    fn a_full_line_refuses_its_own_and_nobody_elses() {
        let mut queue = FairQueue::new(Bounds { waiting: 5, waiting_per_share: 3, running_per_share: 1 });
        for n in 0..3 {
            queue.push(network(1), n).unwrap();
        }
        assert_eq!(queue.push(network(1), 9), Err(9));
        queue.push(network(2), 0).unwrap();
        queue.push(Share::Hub, 0).unwrap();
        // All lines together are full: those who wait keep waiting, newcomers and the hub are let in.
        assert_eq!(queue.push(network(2), 1), Err(1));
        queue.push(network(3), 0).unwrap();
        queue.push(Share::Hub, 1).unwrap();
    }

    #[test]
    fn the_hub_counts_as_several_shares() {
        let mut queue = FairQueue::new(BOUNDS);
        for n in 0..400 {
            queue.push(network(1), n).unwrap();
            queue.push(Share::Hub, n).unwrap();
        }
        let of_the_hub = (0..90)
            .filter(|_| {
                let (share, _) = queue.pop().unwrap();
                queue.done(&share, millis(8));
                share == Share::Hub
            })
            .count();
        assert_eq!(of_the_hub, 80);
    }

    #[test]
    fn a_share_pays_for_what_was_done_for_it_while_it_had_nothing_waiting() {
        let mut queue = FairQueue::new(BOUNDS);
        for n in 0..3 {
            queue.push(network(1), n).unwrap();
        }
        let (share, _) = queue.pop().unwrap();
        queue.charge(&network(2), millis(50));
        queue.done(&share, millis(1));
        queue.push(network(2), 9).unwrap();
        let order: Vec<_> = std::iter::from_fn(|| {
            let (share, n) = queue.pop()?;
            queue.done(&share, millis(1));
            Some(n)
        })
        .collect();
        assert_eq!(order, [1, 2, 9]);
    }

    #[test]
    fn lines_that_ended_are_forgotten() {
        let mut queue = FairQueue::new(BOUNDS);
        for n in 0..200 {
            queue.push(network(n), n).unwrap();
            let (share, _) = queue.pop().unwrap();
            queue.done(&share, millis(1));
        }
        assert!(queue.lines.len() < 3, "{}", queue.lines.len());
        assert_eq!(queue.lines.len(), queue.order.len());
    }
}
