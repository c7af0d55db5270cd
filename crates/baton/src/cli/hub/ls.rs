//! `baton hub ls`: which hubs run on a database, where they listen, their versions, and since when. On PostgreSQL every hub has
//! a row with its heartbeat; a data folder has at most one hub, which is asked itself.

use baton_core::UnixMillis;
use baton_store::HubRow;
use clap::Args;
use serde::Serialize;
use std::process::ExitCode;

use super::Trouble;
use super::folder::Folder;
use super::store_option::{StoreOption, StorePlace};
use crate::cli::failure::Failure;
use crate::cli::moment;
use crate::cli::screen::Screen;
use crate::cli::table::Table;
use crate::control::{Answer, Command, Control, ControlError};
use crate::data_folder::DataFolder;
use crate::service::WireTime;

/// List the hubs on a database; exit code 0 if one is alive, 1 if none is
///
/// A hub that was killed is listed as lost for a day.
#[derive(Debug, Args)]
pub(crate) struct Ls {
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    store: StoreOption,
    /// Answer one JSON array
    #[arg(long)]
    json: bool,
}

/// A hub in the list.
#[derive(Debug, Serialize)]
struct Listed {
    address: String,
    version: String,
    is_alive: bool,
    started_at: WireTime,
    /// Its last heartbeat.
    seen_at: WireTime,
}

impl Ls {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let folder = self.folder.find()?;
        let place = self.store.find()?;
        let hubs = match &place {
            StorePlace::Folder => of_folder(&folder)?,
            StorePlace::Postgres(settings) => {
                let found = baton_store::list_hubs(settings);
                let found = found.map_err(|error| place.trouble(&folder, error))?;
                found.into_iter().map(Listed::from).collect()
            }
        };
        self.print(&hubs)?;
        let is_alive = hubs.iter().any(|hub| hub.is_alive);
        Ok(if is_alive { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn print(&self, hubs: &[Listed]) -> Result<(), Failure> {
        let screen = Screen::stdout();
        if self.json {
            return screen.json(hubs);
        }
        if hubs.is_empty() {
            return screen.print("no hub is running\n");
        }
        let mut table = Table::new(&["ADDRESS", "VERSION", "STATUS", "STARTED", "LAST SEEN"]);
        for hub in hubs {
            let status = if hub.is_alive { "alive" } else { "lost" };
            table.row([
                (&hub.address).into(),
                (&hub.version).into(),
                status.into(),
                moment::date_time(hub.started_at).into(),
                moment::ago(hub.seen_at).into(),
            ]);
        }
        screen.table(&table)
    }
}

/// The hub that runs in a data folder, if one does.
fn of_folder(folder: &DataFolder) -> Result<Vec<Listed>, Trouble> {
    let Some(mut control) = Control::connect(&folder.socket())? else { return Ok(Vec::new()) };
    let Answer::Status(hub) = control.ask(&Command::Status)? else {
        return Err(ControlError::Unexpected.into());
    };
    let now = moment::now();
    let uptime = i64::try_from(hub.uptime_seconds).unwrap_or(i64::MAX).saturating_mul(1000);
    let started_at = WireTime(UnixMillis::new(now.get().saturating_sub(uptime)));
    let (address, version) = (hub.address, hub.version);
    Ok(vec![Listed { address, version, is_alive: true, started_at, seen_at: WireTime(now) }])
}

impl From<HubRow> for Listed {
    fn from(hub: HubRow) -> Self {
        Self {
            address: hub.address,
            version: hub.version,
            is_alive: hub.is_alive,
            started_at: WireTime(hub.started_at),
            seen_at: WireTime(hub.seen_at),
        }
    }
}
