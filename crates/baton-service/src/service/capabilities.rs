//! What an agent says it is and can do: in its session, or through a worker, whose words are kept with the alias. A session
//! that reports it itself counts first; the last reporter changes both. Every change of the skills goes into the evidence.

use baton_core::{Alias, NetworkId};
use baton_store::Transaction;
use baton_store::rows::{AliasProfile, SessionRow};

use super::Error;
use super::evidence::packet::Packet;
use super::evidence::record::observed;
use super::skills;
use super::stamp::Stamp;

/// The skills that count, as they are stored; none if none were ever named.
pub(super) fn skills_of<'a>(session: Option<&'a SessionRow>, profile: &'a AliasProfile) -> Option<&'a str> {
    session.and_then(|session| session.skills.as_deref()).or(profile.skills.as_deref())
}

/// Records an agent's first report, and every change of its skills. `before` is none for the first.
pub(super) fn write_down(
    tx: &mut dyn Transaction,
    network: &NetworkId,
    alias: &Alias,
    before: Option<Option<&str>>,
    now: Option<&str>,
) -> Result<(), Error> {
    let ids = skills::ids(&skills::of_row(now)?);
    if let Some(before) = before
        && (before == now || skills::ids(&skills::of_row(before)?) == ids)
    {
        return Ok(());
    }
    let packet = Packet::of_capabilities(tx.time().now, alias.as_str(), &ids);
    let index = tx.log_size(network)?;
    observed(tx, network, index, None, &packet)
}

/// Keeps what a worker says again of its agent.
pub(super) fn keep(
    tx: &mut dyn Transaction,
    stamp: &Stamp,
    network: &NetworkId,
    alias: &Alias,
    said: &AliasProfile,
) -> Result<(), Error> {
    let (profile, session) = (tx.alias_profile(network, alias)?, tx.session(network, alias)?);
    let kept = AliasProfile {
        description: said.description.clone().or(profile.description.clone()),
        skills: said.skills.clone().or(profile.skills.clone()),
    };
    if kept != profile {
        tx.set_alias_profile(network, alias, &kept)?;
    }
    let mut reported = session.clone();
    if let Some(reported) = &mut reported {
        // Its own words are replaced; where it has none, those of the alias count.
        let replaced = |own: &mut Option<String>, said: &Option<String>| {
            if own.is_some() && said.is_some() {
                own.clone_from(said);
            }
        };
        replaced(&mut reported.description, &said.description);
        replaced(&mut reported.skills, &said.skills);
    }
    if reported != session
        && let Some(reported) = &reported
    {
        tx.put_session(reported)?;
    }
    if stamp.records_evidence && said.skills.is_some() {
        let is_first = session.is_none() && profile.skills.is_none();
        let before = (!is_first).then(|| skills_of(session.as_ref(), &profile));
        write_down(tx, network, alias, before, skills_of(reported.as_ref(), &kept))?;
    }
    Ok(())
}
