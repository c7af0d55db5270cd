//! How a hub is shipped: what `make install` lays down, what the systemd unit and the image start, and that everything they
//! name is there. No systemd runs here and no Docker: the same commands are run by hand. Packages are made by
//! `scripts/release` around the binary under test, and installed as a user would install them.

mod bill;
mod checksums;
mod clients;
mod crates;
mod deb;
mod files;
mod health;
mod image;
mod install;
mod makefile;
mod npm;
mod packages;
mod pages;
mod registry;
mod same_bytes;
mod stand_in;
mod tarball;
mod unit;
mod wheel;
