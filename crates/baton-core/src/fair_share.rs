//! Shares of something scarce (bytes in flight, password hashes, exports), handed out in turns. A group is a tenant or
//! a client address, a member one of its tokens or accounts. Waiting groups take turns, and so do members within a
//! group, so a long queue of one never delays another. Pure: it returns who was granted what; the caller wakes them.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// How much there is, and how much of it one may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// The total.
    pub total: u64,
    /// The part of the total that is granted only to groups that hold nothing.
    pub kept_for_newcomers: u64,
    /// The most one group may hold.
    pub per_group: u64,
    /// The most one member may hold. A larger request is cut down to this.
    pub per_member: u64,
    /// Asks of one member that may wait.
    pub waiting_per_member: usize,
    /// Asks of one group that may wait.
    pub waiting_per_group: usize,
    /// Asks that may wait in all.
    pub waiting: usize,
}

/// An ask that waits, or waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket(u64);

/// What came of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareRequest {
    /// It has been granted.
    Granted,
    /// It waits its turn.
    Waiting(Ticket),
    /// Too many asks of this member, of its group or of all wait already.
    Refused,
}

/// Who holds what, and who waits.
#[derive(Debug)]
pub struct FairShare<G, M> {
    shares: Shares,
    held: u64,
    waiting: usize,
    groups: HashMap<G, Group<M>>,
    /// Groups with an ask that may be within their share, in turn.
    ready: VecDeque<G>,
    last_ticket: u64,
}

#[derive(Debug)]
struct Group<M> {
    held: u64,
    waiting: usize,
    is_ready: bool,
    members: HashMap<M, Member>,
    /// Members with an ask that may be within their share, in turn.
    ready: VecDeque<M>,
}

#[derive(Debug, Default)]
struct Member {
    held: u64,
    is_ready: bool,
    asks: VecDeque<(Ticket, u64)>,
}

impl<M> Default for Group<M> {
    fn default() -> Self {
        Self { held: 0, waiting: 0, is_ready: false, members: HashMap::new(), ready: VecDeque::new() }
    }
}

impl<G: Eq + Hash + Clone, M: Eq + Hash + Clone> FairShare<G, M> {
    /// Nobody holds anything yet.
    pub fn new(shares: Shares) -> Self {
        let (groups, ready) = (HashMap::new(), VecDeque::new());
        Self { shares, held: 0, waiting: 0, groups, ready, last_ticket: 0 }
    }

    /// What an ask for this amount is granted.
    pub fn clamped(&self, amount: u64) -> u64 {
        amount.min(self.shares.per_member).min(self.shares.per_group).min(self.shares.total)
    }

    /// What is held in all.
    pub const fn held(&self) -> u64 {
        self.held
    }

    /// How many asks wait.
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Asks for an amount.
    pub fn ask(&mut self, group: &G, member: &M, amount: u64) -> ShareRequest {
        let amount = self.clamped(amount);
        let shares = self.shares;
        let entry = self.groups.entry(group.clone()).or_default();
        let asker = entry.members.entry(member.clone()).or_default();
        let fits_member = asker.asks.is_empty() && asker.held + amount <= shares.per_member;
        let fits_group = entry.ready.is_empty() && entry.held + amount <= shares.per_group;
        let room = shares.total - if entry.held > 0 { shares.kept_for_newcomers } else { 0 };
        if fits_member && fits_group && self.ready.is_empty() && self.held + amount <= room {
            asker.held += amount;
            entry.held += amount;
            self.held += amount;
            return ShareRequest::Granted;
        }
        let is_full = asker.asks.len() >= shares.waiting_per_member
            || entry.waiting >= shares.waiting_per_group
            || self.waiting >= shares.waiting;
        if is_full {
            self.forget(group, member);
            return ShareRequest::Refused;
        }
        self.last_ticket += 1;
        let ticket = Ticket(self.last_ticket);
        asker.asks.push_back((ticket, amount));
        entry.waiting += 1;
        self.waiting += 1;
        self.make_ready(group, member);
        // Everything that waits exceeded some share; this ask may not.
        if self.grant().contains(&ticket) { ShareRequest::Granted } else { ShareRequest::Waiting(ticket) }
    }

    /// Counts an amount that is held already, even beyond the shares; later asks wait for it.
    pub fn charge(&mut self, group: &G, member: &M, amount: u64) {
        let entry = self.groups.entry(group.clone()).or_default();
        entry.members.entry(member.clone()).or_default().held += amount;
        entry.held += amount;
        self.held += amount;
    }

    /// Gives an amount back; returns the asks that this lets through.
    pub fn give_back(&mut self, group: &G, member: &M, amount: u64) -> Vec<Ticket> {
        if let Some(entry) = self.groups.get_mut(group) {
            if let Some(holder) = entry.members.get_mut(member) {
                holder.held = holder.held.saturating_sub(amount);
            }
            entry.held = entry.held.saturating_sub(amount);
        }
        self.held = self.held.saturating_sub(amount);
        self.make_ready(group, member);
        let granted = self.grant();
        self.forget(group, member);
        granted
    }

    /// Withdraws an ask that waits. False if it was granted already: the caller must then give the amount back.
    pub fn withdraw(&mut self, group: &G, member: &M, ticket: Ticket) -> bool {
        let Some(entry) = self.groups.get_mut(group) else { return false };
        let Some(asker) = entry.members.get_mut(member) else { return false };
        let before = asker.asks.len();
        asker.asks.retain(|(other, _)| *other != ticket);
        let was_waiting = asker.asks.len() < before;
        if was_waiting {
            entry.waiting -= 1;
            self.waiting -= 1;
            self.forget(group, member);
        }
        was_waiting
    }

    /// Puts a group, and a member of it, back in turn if they wait for something.
    fn make_ready(&mut self, group: &G, member: &M) {
        let Some(entry) = self.groups.get_mut(group) else { return };
        if let Some(asker) = entry.members.get_mut(member).filter(|asker| !asker.asks.is_empty())
            && !asker.is_ready
        {
            asker.is_ready = true;
            entry.ready.push_back(member.clone());
        }
        if !entry.is_ready && !entry.ready.is_empty() {
            entry.is_ready = true;
            self.ready.push_back(group.clone());
        }
    }

    /// Grants what can be granted, a turn at a time.
    fn grant(&mut self) -> Vec<Ticket> {
        let mut granted = Vec::new();
        // Groups that wait only because the rest is kept for newcomers: passed over in this round.
        let mut passed_over = 0;
        while passed_over < self.ready.len() {
            let Some(group) = self.ready.pop_front() else { break };
            let Some(entry) = self.groups.get_mut(&group) else { continue };
            let Some((member, amount)) = entry.next(&self.shares) else {
                // Its own share is used up, or nobody waits any more; what it gives back puts it in turn again.
                entry.is_ready = false;
                continue;
            };
            let is_newcomer = entry.held == 0;
            let kept = if is_newcomer { 0 } else { self.shares.kept_for_newcomers };
            if self.held + amount > self.shares.total - kept {
                if is_newcomer {
                    // A large ask is not overtaken forever by small ones behind it.
                    self.ready.push_front(group);
                    break;
                }
                passed_over += 1;
                self.ready.push_back(group);
                continue;
            }
            granted.extend(entry.take(&member, amount));
            self.held += amount;
            self.waiting -= 1;
            entry.is_ready = !entry.ready.is_empty();
            if entry.is_ready {
                self.ready.push_back(group);
            }
            passed_over = 0;
        }
        granted
    }

    /// Forgets members and groups that hold nothing and wait for nothing.
    fn forget(&mut self, group: &G, member: &M) {
        let Some(entry) = self.groups.get_mut(group) else { return };
        let is_idle = |idle: &Member| idle.held == 0 && idle.asks.is_empty();
        if entry.members.get(member).is_some_and(is_idle) {
            entry.members.remove(member);
            entry.ready.retain(|other| other != member);
        }
        if entry.members.is_empty() && entry.held == 0 {
            self.groups.remove(group);
            self.ready.retain(|other| other != group);
        }
    }
}

impl<M: Eq + Hash + Clone> Group<M> {
    /// The member whose turn it is, and what it asks for. Members beyond their share leave the turn.
    fn next(&mut self, shares: &Shares) -> Option<(M, u64)> {
        while let Some(member) = self.ready.front() {
            let asker = self.members.get_mut(member);
            let first = asker.as_ref().and_then(|asker| asker.asks.front().map(|(_, amount)| *amount));
            match (asker, first) {
                (Some(asker), Some(amount)) if asker.held + amount <= shares.per_member => {
                    return (self.held + amount <= shares.per_group).then(|| (member.clone(), amount));
                }
                (Some(asker), _) => asker.is_ready = false,
                (None, _) => {}
            }
            self.ready.pop_front();
        }
        None
    }

    /// Grants the first ask of the member whose turn it is.
    fn take(&mut self, member: &M, amount: u64) -> Option<Ticket> {
        self.ready.pop_front();
        let asker = self.members.get_mut(member)?;
        let (ticket, _) = asker.asks.pop_front()?;
        asker.held += amount;
        asker.is_ready = !asker.asks.is_empty();
        if asker.is_ready {
            self.ready.push_back(member.clone());
        }
        self.held += amount;
        self.waiting -= 1;
        Some(ticket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARES: Shares = Shares {
        total: 16,
        kept_for_newcomers: 4,
        per_group: 8,
        per_member: 4,
        waiting_per_member: 3,
        waiting_per_group: 5,
        waiting: 8,
    };

    fn fair() -> FairShare<&'static str, u32> {
        FairShare::new(SHARES)
    }

    /// The ticket of an ask that must wait.
    fn waits(
        fair: &mut FairShare<&'static str, u32>,
        group: &'static str,
        member: u32,
        amount: u64,
    ) -> Ticket {
        match fair.ask(&group, &member, amount) {
            ShareRequest::Waiting(ticket) => ticket,
            other => panic!("{group} {member} {amount}: {other:?}"),
        }
    }

    #[test]
    fn what_is_granted_follows_from_who_holds_what() {
        // (group, member, amount, granted), in order.
        let asks = [
            ("a", 1, 4, true),
            ("a", 1, 1, false), // the member's share
            ("a", 2, 9, true),  // an ask beyond a share is an ask for the share
            ("a", 3, 1, false), // the group's share
            ("b", 1, 4, true),
            ("b", 2, 1, false), // what is left is kept for newcomers
            ("c", 1, 4, true),
            ("d", 1, 1, false), // all of it
        ];
        let mut fair = fair();
        for (group, member, amount, granted) in asks {
            let asked = fair.ask(&group, &member, amount);
            assert_eq!(asked == ShareRequest::Granted, granted, "{group} {member} {amount}: {asked:?}");
        }
        assert_eq!((fair.held(), fair.waiting()), (16, 4));
    }

    #[test]
    fn groups_take_turns_and_members_within_a_group() {
        let mut fair = fair();
        for (group, member) in [("x", 1), ("x", 2), ("y", 1), ("y", 2)] {
            fair.charge(&group, &member, 4);
        }
        let first = waits(&mut fair, "a", 1, 4);
        let second = waits(&mut fair, "a", 1, 4);
        let third = waits(&mut fair, "a", 2, 4);
        let others = waits(&mut fair, "b", 1, 4);
        assert_eq!(fair.give_back(&"x", &1, 4), [first]);
        assert_eq!(fair.give_back(&"x", &2, 4), [others], "a group that holds nothing comes first");
        assert_eq!(fair.give_back(&"y", &1, 4), [], "the rest is kept for newcomers");
        assert_eq!(fair.give_back(&"y", &2, 4), [third], "another member before the first again");
        assert_eq!(fair.give_back(&"a", &1, 4), [second]);
    }

    #[test]
    fn a_full_queue_of_one_refuses_its_own_and_nobody_elses() {
        let mut fair = fair();
        fair.charge(&"x", &1, 16);
        (0..3).for_each(|_| _ = waits(&mut fair, "a", 1, 1));
        assert_eq!(fair.ask(&"a", &1, 1), ShareRequest::Refused, "the member's queue");
        (0..2).for_each(|_| _ = waits(&mut fair, "a", 2, 1));
        assert_eq!(fair.ask(&"a", &3, 1), ShareRequest::Refused, "the group's queue");
        (0..3).for_each(|_| _ = waits(&mut fair, "b", 1, 1));
        assert_eq!(fair.ask(&"c", &1, 1), ShareRequest::Refused, "the whole queue");
    }

    #[test]
    fn a_large_ask_is_not_overtaken_by_small_ones() {
        let mut fair = fair();
        fair.charge(&"x", &1, 15);
        let large = waits(&mut fair, "a", 1, 4);
        let small = waits(&mut fair, "b", 1, 1);
        assert_eq!(fair.give_back(&"x", &1, 2), []);
        assert_eq!(fair.give_back(&"x", &1, 1), [large]);
        assert_eq!(fair.give_back(&"x", &1, 1), [small]);
    }

    #[test]
    fn an_ask_that_is_withdrawn_holds_nobody_up_and_leaves_nothing_behind() {
        let mut fair = fair();
        fair.charge(&"x", &1, 16);
        let first = waits(&mut fair, "a", 1, 4);
        let second = waits(&mut fair, "b", 1, 4);
        assert!(fair.withdraw(&"a", &1, first));
        assert!(!fair.withdraw(&"a", &1, first), "once");
        assert_eq!(fair.give_back(&"x", &1, 16), [second]);
        assert!(!fair.withdraw(&"b", &1, second), "granted: to be given back");
        assert_eq!(fair.give_back(&"b", &1, 4), []);
        assert!(fair.groups.is_empty() && fair.ready.is_empty());
        assert_eq!((fair.held(), fair.waiting()), (0, 0));
    }

    #[test]
    fn whatever_is_asked_and_given_back_no_share_is_exceeded_and_nobody_is_left_waiting() {
        let mut seed = 7_u64;
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let names = ["a", "b", "c", "d"];
        let mut fair = fair();
        let (mut held, mut waiting) = (Vec::new(), HashMap::new());
        let note = |fair: &FairShare<&str, u32>, held: &[(usize, u32, u64)]| {
            for (group, name) in names.iter().enumerate() {
                let of_group = held.iter().filter(|held| held.0 == group);
                let sum: u64 = of_group.clone().map(|held| held.2).sum();
                assert_eq!(fair.groups.get(name).map_or(0, |group| group.held), sum);
                assert!(sum <= SHARES.per_group);
            }
            assert!(fair.held() <= SHARES.total);
        };
        for _ in 0..20_000 {
            if random(2) == 0 || held.is_empty() {
                let (group, member, amount) = (random(4) as usize, random(3) as u32, 1 + random(5));
                let amount = fair.clamped(amount);
                match fair.ask(&names[group], &member, amount) {
                    ShareRequest::Granted => held.push((group, member, amount)),
                    ShareRequest::Waiting(ticket) => drop(waiting.insert(ticket, (group, member, amount))),
                    ShareRequest::Refused => {}
                }
            } else {
                let (group, member, amount) = held.swap_remove(random(held.len() as u64) as usize);
                for ticket in fair.give_back(&names[group], &member, amount) {
                    held.push(waiting.remove(&ticket).unwrap());
                }
            }
            note(&fair, &held);
        }
        while let Some((group, member, amount)) = held.pop() {
            for ticket in fair.give_back(&names[group], &member, amount) {
                held.push(waiting.remove(&ticket).unwrap());
            }
        }
        assert!(
            waiting.is_empty() && fair.groups.is_empty() && fair.ready.is_empty(),
            "{waiting:?} {fair:?}"
        );
    }
}
