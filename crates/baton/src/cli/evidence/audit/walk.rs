//! A walk over the whole log, page by page, each event checked by itself and hashed into the tree. Nothing of it stays
//! in memory but the tree's right edge and what does not agree.

use baton_core::limits::EVIDENCE_PAGE_MAX;
use baton_evidence::canonical::Writer;
use baton_evidence::event_line::{EventLine, Stamp};
use baton_evidence::export::{Origin, Tally};
use baton_evidence::log::{Frontier, Hash, leaf_hash};

use super::finding::Finding;
use super::memory::{Leaves, NewLeaves};
use crate::cli::connection::Link;
use crate::cli::evidence::reading;
use crate::cli::failure::Failure;
use crate::client::evidence::PageArgs;

/// A log being walked.
pub(super) struct Walk<'a> {
    network: &'a str,
    /// The size of the checkpoint seen last, and the hashes under it where they are known.
    seen_size: Option<u64>,
    seen_leaves: Option<Leaves>,
    new_leaves: NewLeaves,
    values: Writer,
    line: Writer,
    walked: Walked,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) tree: Frontier,
    /// How many events the hub has, those not signed for yet too.
    pub(super) size: u64,
    /// The root over as many events as the checkpoint seen last has.
    pub(super) seen_root: Option<Hash>,
    /// The first event that is another than the one seen.
    pub(super) first_difference: Option<u64>,
    pub(super) hub: Tally,
    pub(super) reported: Tally,
    /// The first event that breaks a rule of its own.
    pub(super) broken: Option<(u64, String)>,
    /// How many more do.
    pub(super) broken_others: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        network: &'a str,
        seen_size: Option<u64>,
        seen_leaves: Option<Leaves>,
        new_leaves: NewLeaves,
    ) -> Self {
        let (values, line) = (Writer::new(), Writer::new());
        let mut walk =
            Self { network, seen_size, seen_leaves, new_leaves, values, line, walked: Walked::default() };
        walk.look_back(); // the empty log may be what was seen
        walk
    }

    /// Walks up to this size, or as far as the hub shows events.
    pub(super) async fn run(mut self, link: &Link, size: u64) -> Result<(Walked, NewLeaves), Failure> {
        loop {
            let next = self.walked.tree.size();
            let left = usize::try_from(size - next).unwrap_or(usize::MAX);
            let args = PageArgs {
                network_id: self.network,
                task_id: None,
                after: next.checked_sub(1),
                limit: left.clamp(1, EVIDENCE_PAGE_MAX), // also for an empty log: a caller that may not read it gets the error
            };
            let page = link.client.evidence(&args).await.map_err(reading::failed)?.into_value();
            self.walked.size = page.size;
            if next == size || page.events.is_empty() {
                return Ok((self.walked, self.new_leaves));
            }
            for event in page.events.iter().take(left) {
                self.event(event.get())?;
            }
        }
    }

    fn event(&mut self, event: &str) -> Result<(), Failure> {
        let index = self.walked.tree.size();
        if let Err(what) = self.check(index, event) {
            match &self.walked.broken {
                None => self.walked.broken = Some((index, what)),
                Some(_) => self.walked.broken_others += 1,
            }
        }
        let leaf = leaf_hash(event.as_bytes());
        let seen = self.seen_leaves.as_mut().map(Leaves::next).transpose()?.flatten();
        if seen.is_some_and(|seen| seen != leaf) && self.walked.first_difference.is_none() {
            self.walked.first_difference = Some(index);
        }
        self.new_leaves.push(&leaf)?;
        self.walked.tree.push(leaf);
        self.look_back();
        Ok(())
    }

    fn look_back(&mut self) {
        if self.seen_size == Some(self.walked.tree.size()) {
            self.walked.seen_root = Some(self.walked.tree.root());
        }
    }

    /// The rules of one event: canonical, numbered for its place, hashed, and of a known origin.
    fn check(&mut self, index: u64, text: &str) -> Result<(), String> {
        let event = EventLine::read(&mut self.values, text).map_err(|error| error.to_string())?;
        self.line.clear();
        event.write(&mut self.line);
        if self.line.bytes() != text.as_bytes() {
            return Err("its JSON is not canonical".into());
        }
        let stamp = Stamp { run_id: self.network, seq: index };
        if event.run_id != stamp.run_id {
            return Err(format!("its run id is {:?}", event.run_id));
        }
        if event.seq != stamp.seq {
            return Err(format!("its number is {}", event.seq));
        }
        if event.id != stamp.to_string() {
            return Err(format!("its id is {:?}", event.id));
        }
        if event.content_hash.as_deref() != Some(event.compute_content_hash().tagged().as_str()) {
            return Err("its content is not what its content hash says".into());
        }
        let tally = match Origin::of(&event) {
            Origin::Hub if event.member("batonreporter").is_none() => &mut self.walked.hub,
            Origin::Reported { by: Some(_) } => &mut self.walked.reported,
            _ => return Err("it does not say who it comes from".into()),
        };
        tally.events += 1;
        tally.handoffs_visible += u64::from(event.handoff_visible() == Some(true));
        Ok(())
    }
}

impl Walked {
    /// What does not agree with the checkpoint the hub shows.
    pub(super) fn findings(&self, signed_size: u64, signed_root: Hash) -> Vec<Finding> {
        let mut findings = Vec::new();
        if let Some((index, what)) = self.broken.clone() {
            findings.push(Finding::Event { index, what, others: self.broken_others });
        }
        let (shown, root) = (self.tree.size(), self.tree.root());
        if shown < signed_size {
            findings.push(Finding::Missing { signed: signed_size, shown });
        } else if root != signed_root {
            findings.push(Finding::OtherRoot { shown: root, signed: signed_root });
        }
        findings
    }
}
