//! Lines from standard input to the hub's MCP door, answers to standard output. Calls run side by side; a call that
//! its client cancels is dropped, which the hub receives as a hang-up.

use baton_core::limits;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::door::send_line;
use super::message::Message;
use super::route::Route;

/// A call's number, and what cancels it by being dropped.
type NumberedCall = (u64, oneshot::Sender<()>);

/// Calls in progress, by the JSON of their ids. A client may use an id again once its call was answered, which can be before
/// that call is forgotten here.
#[derive(Debug, Clone, Default)]
struct CallsInFlight(Arc<Mutex<HashMap<String, NumberedCall>>>);

impl CallsInFlight {
    /// Keeps what calls a cancel. A message without an id is cancelled by nobody, so it gets its end back to hold.
    fn note(
        &self,
        id: Option<&str>,
        number: u64,
        call_off: oneshot::Sender<()>,
    ) -> Option<oneshot::Sender<()>> {
        let Some(id) = id else { return Some(call_off) };
        self.lock().insert(id.to_owned(), (number, call_off)).map(|(_, earlier)| earlier)
    }

    /// Dropping its end cancels a call.
    fn call_off(&self, id: &str) {
        self.lock().remove(id);
    }

    /// Forgets a call that has ended, unless a later one has its id.
    fn forget(&self, id: Option<&str>, number: u64) {
        let mut calls = self.lock();
        if let Some(id) = id.filter(|id| calls.get(*id).is_some_and(|(of, _)| *of == number)) {
            calls.remove(id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, NumberedCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bridges until the input ends or the output is closed.
pub(super) async fn run(
    route: &Arc<Route>,
    input: impl tokio::io::AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<()> {
    let (answers, mut told) = channel::<String>(limits::MCP_ANSWERS_WAITING_MAX_COUNT);
    let writing = tokio::spawn(async move {
        while let Some(answer) = told.recv().await {
            output.write_all(format!("{answer}\n").as_bytes()).await?;
            output.flush().await?;
        }
        io::Result::Ok(())
    });
    let mut calls = JoinSet::new();
    let read = read_all(route, BufReader::new(input), &answers, &mut calls).await;
    // A client that has gone for good closes the output too, and then nobody waits here for long.
    let _ = timeout(limits::MCP_LAST_ANSWERS_MAX, async { while calls.join_next().await.is_some() {} }).await;
    calls.shutdown().await;
    drop(answers);
    match writing.await {
        Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => read,
    }
}

async fn read_all(
    route: &Arc<Route>,
    mut input: impl AsyncBufRead + Unpin,
    answers: &Sender<String>,
    calls: &mut JoinSet<()>,
) -> io::Result<()> {
    let slots = Arc::new(Semaphore::new(limits::MCP_CALLS_AT_ONCE));
    let under_way = CallsInFlight::default();
    let mut number = 0;
    while let Some(line) = tokio::select! {
        line = next_line(&mut input) => line?,
        () = answers.closed() => None,
    } {
        if line.trim().is_empty() {
            continue;
        }
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(answer) => {
                send_line(answers, answer).await;
                continue;
            }
        };
        if let Some(id) = message.cancels() {
            under_way.call_off(&id);
        }
        let slot = slots.clone().acquire_owned().await;
        // Noted before the next line is read, which may cancel it.
        let (call_off, called_off) = oneshot::channel();
        let id = message.awaited_id().map(ToString::to_string);
        number += 1;
        let kept = under_way.note(id.as_deref(), number, call_off);
        let (route, answers, noted, sent) =
            (route.clone(), answers.clone(), under_way.clone(), message.clone());
        let call = async move {
            tokio::select! {
                () = route.pass(sent, &answers) => {}
                _ = called_off => {}
            }
            drop(kept);
            noted.forget(id.as_deref(), number);
        };
        if message.is_initialize() {
            // What is agreed on there holds for what follows.
            call.await;
        } else {
            calls.spawn(async move {
                call.await;
                drop(slot);
            });
        }
        while calls.try_join_next().is_some() {}
    }
    Ok(())
}

/// The next line; none at the end. One longer than the hub takes is cut there, so that it is refused and not kept.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let max = limits::JSON_BODY_MAX_BYTES as u64;
    if (&mut *input).take(max).read_until(b'\n', &mut line).await? == 0 {
        return Ok(None);
    }
    let mut is_cut = line.last() != Some(&b'\n') && line.len() as u64 == max;
    while is_cut {
        let mut rest = Vec::new();
        let count = (&mut *input).take(max).read_until(b'\n', &mut rest).await?;
        is_cut = count > 0 && rest.last() != Some(&b'\n');
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    #[test]
    fn a_call_that_ended_is_forgotten_and_not_the_next_one_with_its_id() {
        let calls = CallsInFlight::default();
        let [(first, mut ended), (second, mut runs)] = [oneshot::channel(), oneshot::channel()];
        assert!(calls.note(Some("1"), 1, first).is_none());
        let earlier = calls.note(Some("1"), 2, second);
        assert!(earlier.is_some() && ended.try_recv() == Err(TryRecvError::Empty), "nobody cancelled it");
        calls.forget(Some("1"), 1);
        assert_eq!(runs.try_recv(), Err(TryRecvError::Empty));
        calls.call_off("1");
        assert_eq!(runs.try_recv(), Err(TryRecvError::Closed));
    }

    #[tokio::test]
    async fn a_line_too_long_is_cut_and_the_next_one_is_whole() {
        let long = "x".repeat(3 * limits::JSON_BODY_MAX_BYTES);
        let bytes = format!("one\n{long}\ntwo");
        let mut input = BufReader::new(bytes.as_bytes());
        assert_eq!(next_line(&mut input).await.unwrap().as_deref(), Some("one\n"));
        assert_eq!(next_line(&mut input).await.unwrap().unwrap().len(), limits::JSON_BODY_MAX_BYTES);
        assert_eq!(next_line(&mut input).await.unwrap().as_deref(), Some("two"));
        assert_eq!(next_line(&mut input).await.unwrap(), None);
    }
}
