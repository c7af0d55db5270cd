//! The result of a task, whole: one that is too long for a reply is an artifact of it, and is fetched. What cannot be fetched
//! is an error: a beginning is never taken for the whole.

use std::io::{self, Write};

use crate::cli::failure::Failure;
use crate::cli::plain;
use crate::cli::screen::{Screen, note};
use crate::cli::tasks::HubOutage;
use crate::cli::transfer::{Download, NotDownloaded, WHOLE_RESULT};
use crate::client::Client;
use crate::client::artifacts::Artifact;
use crate::client::tasks::Task;

/// Prints the result of a task that has one, and names the other artifacts of its reply on stderr.
pub(super) async fn print(client: &Client, task: &Task, is_quiet: bool) -> Result<(), Failure> {
    let Some(result) = &task.result else { return Ok(()) };
    let (screen, whole) = (Screen::stdout(), task.artifacts.iter().find(|artifact| is_whole(artifact)));
    match whole {
        Some(artifact) => fetch(client, task, artifact, screen.is_terminal()).await?,
        None if result.is_empty() => {}
        None => screen.content(result)?,
    }
    for artifact in task.artifacts.iter().filter(|artifact| artifact.is_of_reply() && !is_quiet) {
        if !is_whole(artifact) {
            let Artifact { sha256, name, size, .. } = artifact;
            note(&format!("artifact {name} ({size} bytes): baton artifact get {sha256} -o {name}"));
        }
    }
    Ok(())
}

fn is_whole(artifact: &Artifact) -> bool {
    artifact.is_of_reply() && artifact.description.as_deref() == Some(WHOLE_RESULT)
}

async fn fetch(client: &Client, task: &Task, artifact: &Artifact, is_terminal: bool) -> Result<(), Failure> {
    let download = Download::new(client, Some(&task.network_id), &artifact.sha256);
    let mut away = HubOutage::default();
    let written = match is_terminal {
        true => {
            let mut text = PlainText::on(io::stdout());
            let written = download.write_to(&mut text, &mut away).await;
            written.and_then(|_| text.finish().map_err(NotDownloaded::Write))
        }
        // Into a file or a pipe it goes as it is.
        false => download.write_to(&mut io::stdout(), &mut away).await.map(drop),
    };
    written.map_err(|error| error.of("the whole result"))
}

/// Text that comes in pieces, made harmless for a terminal. A piece may end within a character or between the two of a
/// line break: that end waits for the next piece.
struct PlainText<W> {
    screen: W,
    /// At most a line break's first character and three bytes of a character.
    cut_off: Vec<u8>,
}

impl<W: Write> PlainText<W> {
    const fn on(screen: W) -> Self {
        Self { screen, cut_off: Vec::new() }
    }

    fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.screen.write_all(plain::block(&String::from_utf8_lossy(bytes)).as_bytes())
    }

    /// Shows what still waits: nothing comes any more.
    fn finish(mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.cut_off);
        self.show(&rest)?;
        self.screen.flush()
    }
}

impl<W: Write> Write for PlainText<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.cut_off);
        text.extend_from_slice(bytes);
        self.cut_off = text.split_off(whole_until(&text));
        self.show(&text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.screen.flush()
    }
}

/// How many bytes are whole, whatever follows them.
fn whole_until(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
    let is_cut_off = std::str::from_utf8(last).is_err_and(|error| error.error_len().is_none());
    let end = bytes.len() - if is_cut_off { last.len() } else { 0 };
    end - usize::from(bytes[..end].ends_with(b"\r"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_show_what_the_whole_text_shows() {
        let texts: [&[u8]; 4] = [
            "a€\r\n😀\r\n\ré".as_bytes(),
            "\u{1b}[31mred\u{9b}2J\u{202e}\r".as_bytes(),
            b"broken \xe2\x82, \xf0\x9f\r\n\xff\xfe\xe2\x28\xa1, and cut off \xf0\x9f\x98",
            b"\r\r\n\n\xc3",
        ];
        for text in texts {
            let whole = plain::block(&String::from_utf8_lossy(text));
            for size in 1..=text.len() {
                let mut shown = Vec::new();
                let mut screen = PlainText::on(&mut shown);
                text.chunks(size).for_each(|piece| screen.write_all(piece).unwrap());
                screen.finish().unwrap();
                assert_eq!(String::from_utf8(shown).unwrap(), whole, "in pieces of {size}");
            }
        }
    }

    #[test]
    fn nothing_waits_that_is_whole() {
        let cases: [(&[u8], usize); 6] =
            [(b"", 0), (b"ab", 2), ("a€".as_bytes(), 4), (b"a\xe2\x82", 1), (b"a\r", 1), (b"a\xff", 2)];
        for (bytes, whole) in cases {
            assert_eq!(whole_until(bytes), whole, "{bytes:?}");
        }
    }
}
