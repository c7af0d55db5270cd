//! One run of a command: started in a process group of its own, fed the task's text, read to its end in bounded
//! memory, and ended with all its children when it is asked to stop, when it has exited, or when this is dropped.

use baton_core::limits;
use futures_util::FutureExt;
use futures_util::future::FusedFuture;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::group::Group;
use super::guard::{Guard, GuardedGroup};
use super::output::{Output, OutputError, OutputRoom};
use super::tail::Tail;

/// A running command.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Group,
    _guarded: GuardedGroup,
}

/// How a run came to its end.
#[derive(Debug)]
pub(super) enum Ended {
    /// By itself, or by a signal that was not ours.
    Exited(io::Result<ExitStatus>),
    /// It was asked to stop.
    Stopped,
    /// It printed more than can be kept.
    OutputError(OutputError),
}

/// A run that is over, with all its processes.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) ended: Ended,
    /// What it printed on stdout.
    pub(super) output: Output,
}

/// What a command has printed recently, for its followers.
#[derive(Debug)]
pub(super) struct Printed {
    /// Both streams, as they came.
    both: Mutex<OutputTail>,
    stderr: Mutex<Tail>,
}

/// The last of both streams, and how much of it nobody has been shown.
#[derive(Debug)]
struct OutputTail {
    tail: Tail,
    unsent: usize,
    /// How much was shown.
    sent: u64,
}

/// What a command printed since it was asked for the last time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NewOutput {
    pub(super) text: String,
    bytes: usize,
}

impl Printed {
    pub(super) fn new() -> Self {
        let both = OutputTail { tail: Tail::of_bytes(limits::TASK_OUTPUT_KEPT_BYTES), unsent: 0, sent: 0 };
        let stderr = Tail::of_chars(limits::OUTPUT_KEPT_CHARS);
        Self { both: Mutex::new(both), stderr: Mutex::new(stderr) }
    }

    /// What came since this was asked for the last time; of very much, the last. A character whose end has not come yet
    /// stays for the next time.
    pub(super) fn take_news(&self) -> Option<NewOutput> {
        let mut both = self.both.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = both.tail.last_bytes(both.unsent);
        let unfinished = unfinished_bytes(&fresh);
        let (bytes, all) =
            (fresh.len() - unfinished, String::from_utf8_lossy(&fresh[..fresh.len() - unfinished]));
        // Text that is not UTF-8 needs more room than it had.
        let lost = both.unsent.saturating_sub(fresh.len());
        let gap = if lost > 0 { format!("[baton: {lost} bytes are not shown]\n") } else { String::new() };
        let excess = (all.len() + gap.len()).saturating_sub(limits::PROGRESS_OUTPUT_MAX_BYTES);
        let text = gap + &all[all.ceil_char_boundary(excess)..];
        both.unsent = unfinished;
        both.sent += bytes as u64;
        (bytes > 0).then_some(NewOutput { text, bytes })
    }

    /// What was taken last reached nobody: it is news still.
    pub(super) fn put_back(&self, news: &NewOutput) {
        let mut both = self.both.lock().unwrap_or_else(PoisonError::into_inner);
        both.unsent += news.bytes;
        both.sent -= news.bytes as u64;
    }

    /// Whether some of it was shown while the command ran.
    pub(super) fn was_shown(&self) -> bool {
        self.both.lock().unwrap_or_else(PoisonError::into_inner).sent > 0
    }

    /// The last of stderr, or of both if it is empty.
    pub(super) fn last_words(&self) -> String {
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let words = stderr.last_chars(limits::OUTPUT_KEPT_CHARS);
        if !words.trim().is_empty() {
            return words;
        }
        let both = self.both.lock().unwrap_or_else(PoisonError::into_inner);
        both.tail.last_chars(limits::OUTPUT_KEPT_CHARS)
    }

    /// Another run begins: the stderr of the one before is not its own.
    pub(super) fn begin_again(&self) {
        *self.stderr.lock().unwrap_or_else(PoisonError::into_inner) =
            Tail::of_chars(limits::OUTPUT_KEPT_CHARS);
    }

    fn push(&self, chunk: &[u8]) {
        let mut both = self.both.lock().unwrap_or_else(PoisonError::into_inner);
        both.tail.push(chunk);
        both.unsent += chunk.len();
    }

    fn push_stderr(&self, chunk: &[u8]) {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
        self.push(chunk);
    }
}

/// How many bytes at the end are a character that is not all there.
fn unfinished_bytes(bytes: &[u8]) -> usize {
    let behind = bytes.len().saturating_sub(3);
    let cut = bytes[behind..].utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    // A lead byte that promises more than there is; anything else is not UTF-8 and never will be.
    let is_cut = cut > 0
        && std::str::from_utf8(&bytes[bytes.len() - cut..]).is_err_and(|error| error.error_len().is_none());
    if is_cut { cut } else { 0 }
}

impl Process {
    /// Starts the command in a group of its own that the guard ends if this process dies. Killed between the start and
    /// the word to the guard, the command continues by itself; its lease lapses anyway.
    pub(super) fn start(command: &mut Command, guard: &Guard) -> io::Result<Self> {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let group = child.id().and_then(Group::led_by).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { child, group, _guarded: guard.watch(group) })
    }

    /// Runs it to its end, or until `stop` comes; then TERM, and KILL after the grace, to the whole group.
    pub(super) async fn run(
        mut self,
        text: &str,
        room: OutputRoom,
        printed: &Printed,
        grace: Duration,
        stop: impl Future<Output = ()> + Send,
    ) -> Finished {
        let mut output = Output::new(room);
        let (stdin, stdout, stderr) =
            (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take());
        let ended = {
            let out = read_stdout(stdout, printed, &mut output);
            let err = read_stderr(stderr, printed);
            let streams = async { tokio::try_join!(feed(stdin, text), out, err).map(|_| ()) };
            self.finish(pin!(streams.fuse()), grace, pin!(stop)).await
        };
        Finished { ended, output }
    }

    /// Until it exits or has to stop; then until its group is gone. The pipes are read all the while, so that
    /// nothing waits in a full one.
    async fn finish(&mut self, mut streams: Streams<'_>, grace: Duration, mut stop: Stop<'_>) -> Ended {
        let mut ended = loop {
            tokio::select! {
                status = self.child.wait() => break Ended::Exited(status),
                read = &mut streams => if let Err(full) = read { break Ended::OutputError(full) },
                () = &mut stop => break Ended::Stopped,
            }
        };
        let group = self.group;
        // A leader that nobody waits for would stay in its group.
        let mut gone = pin!(async { tokio::join!(group.end(grace), self.child.wait()) });
        let mut read = Ok(());
        loop {
            tokio::select! {
                _ = &mut gone => break,
                all = &mut streams => read = all,
            }
        }
        if matches!(ended, Ended::Exited(_)) && read.is_ok() && !streams.is_terminated() {
            read = timeout(limits::OUTPUT_REST_MAX, streams).await.unwrap_or(Ok(()));
        }
        if let (Ended::Exited(_), Err(full)) = (&ended, read) {
            ended = Ended::OutputError(full);
        }
        ended
    }
}

type Streams<'a> = Pin<&'a mut (dyn FusedFuture<Output = Result<(), OutputError>> + Send + 'a)>;
type Stop<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send + 'a)>;

/// Gives the command its text. One that does not read it has closed the pipe, which is not an error.
async fn feed(stdin: Option<ChildStdin>, text: &str) -> Result<(), OutputError> {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(text.as_bytes()).await;
    }
    Ok(())
}

/// Reads to the end what may become the result.
async fn read_stdout(
    mut stream: Option<ChildStdout>,
    printed: &Printed,
    output: &mut Output,
) -> Result<(), OutputError> {
    let mut buffer = vec![0; limits::OUTPUT_CHUNK_BYTES];
    while let Some(chunk) = next_chunk(&mut stream, &mut buffer).await {
        printed.push(chunk);
        output.push(chunk).await?;
    }
    Ok(())
}

async fn read_stderr(mut stream: Option<ChildStderr>, printed: &Printed) -> Result<(), OutputError> {
    let mut buffer = vec![0; limits::OUTPUT_CHUNK_BYTES];
    while let Some(chunk) = next_chunk(&mut stream, &mut buffer).await {
        printed.push_stderr(chunk);
    }
    Ok(())
}

/// What comes next. A pipe that cannot be read has no more to say.
async fn next_chunk<'a>(
    stream: &mut Option<impl AsyncRead + Unpin>,
    buffer: &'a mut [u8],
) -> Option<&'a [u8]> {
    let count = stream.as_mut()?.read(buffer).await.ok()?;
    Some(&buffer[..count]).filter(|chunk| !chunk.is_empty())
}

impl Drop for Process {
    fn drop(&mut self) {
        // Reached with processes left only if the run itself was dropped.
        if self.child.id().is_some() {
            self.group.signal(rustix::process::Signal::KILL);
        }
    }
}
