//! The numbered migrations of the SQLite file, built into the program. They are listed by hand because refinery's macro,
//! which reads the folder while compiling, builds forty more crates for the compiler; a test compares list and folder.

use refinery_core::{Migration, Runner};

use crate::error::Error;

macro_rules! files {
    ($($version:literal $name:literal,)*) => {
        &[$((
            $version,
            concat!("V", $version, "__", $name),
            include_str!(concat!("../../migrations/V", $version, "__", $name, ".sql")),
        )),*]
    };
}

/// Each file of `migrations/`, in order: its number, its name, and its SQL.
const FILES: &[(u32, &str, &str)] = files![
    1 "hub",
    2 "evidence",
    3 "conversations",
    4 "cards",
    5 "outside",
    6 "browsers",
    7 "figures",
    8 "errands",
    9 "answers",
    10 "retention",
    11 "traces",
    12 "probe",
    13 "quotas",
    14 "consent",
    15 "actor_tokens",
    16 "numbers",
    18 "removals",
    19 "entry_tiles",
    20 "lean_tables",
    21 "figures",
    22 "chains",
    23 "shared_state",
    24 "appended",
    25 "conversation",
    26 "while_running",
    27 "artifacts",
    28 "workers",
    29 "shared_parts",
    30 "artifact_place",
    32 "oauth",
    33 "public_cards",
    34 "remote_keys",
    35 "zstd_bundles",
];

/// The numbers of all migrations, in order.
pub(crate) fn versions() -> Vec<u32> {
    FILES.iter().map(|(version, ..)| *version).collect()
}

/// Runs the migrations that a database does not have yet.
pub(crate) fn runner() -> Result<Runner, Error> {
    let migrations = FILES.iter().map(|(_, name, sql)| Migration::unapplied(name, sql));
    let migrations = migrations.collect::<Result<Vec<_>, _>>();
    Ok(Runner::new(&migrations.map_err(|error| Error::Unavailable(format!("migration: {error}")))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_file_of_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let wanted = refinery_core::load_sql_migrations(folder).unwrap();
        let listed = runner().unwrap();
        let numbers = wanted.iter().map(|one| u32::try_from(one.version()).unwrap());
        assert_eq!(versions(), numbers.collect::<Vec<_>>());
        // Name, number and SQL: the checksum is over all three.
        let checksums =
            |all: &[Migration]| all.iter().map(|one| (one.version(), one.checksum())).collect::<Vec<_>>();
        assert_eq!(checksums(listed.get_migrations()), checksums(&wanted));
    }
}
