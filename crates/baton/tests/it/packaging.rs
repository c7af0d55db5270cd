//! How a hub is shipped: what `make install` lays down, what the systemd unit and the image start, and that everything they
//! name is there. No systemd runs here and no Docker: the same commands are run by hand.

mod files;
mod health;
mod image;
mod install;
mod makefile;
mod pages;
mod unit;
