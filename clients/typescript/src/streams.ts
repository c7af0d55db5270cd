// Streams of events that outlive their connection: when it ends they come back with the last id that was passed on. Only
// the caller, the end of a task, or a hub that refuses ends one.

import { BatonError } from "./baton-error.js";
import { HubUnreachable, objectOf } from "./errors.js";
import type { Status } from "./generated/types.js";
import { STREAM_SILENT_MAX_MILLIS } from "./limits.js";
import { Backoff, LinkedAbort, pause } from "./pause.js";
import { type Frame, FrameParser } from "./sse.js";
import { isPassing, pieces, type Transport } from "./transport.js";

/** An event of an inbox or a network, as the hub sends it, with its id if it has one. */
export type HubEvent = { readonly id?: string } & (
  | { readonly type: "connected"; readonly session: string; readonly network_id: string; readonly inbox_count: number }
  | { readonly type: "reset" }
  | {
      readonly type: "new_task";
      readonly task_id: string;
      readonly inbox_count: number;
      readonly priority: string;
      readonly from: string;
    }
  | {
      readonly type: "new_message";
      readonly message_id: string;
      readonly from: string;
      readonly task_id?: string | null;
    }
  | {
      readonly type: "new_reply";
      readonly from: string;
      readonly message_id: string;
      readonly in_reply_to?: string | null;
      readonly status?: Status | null;
    }
  | { readonly type: "broadcast"; readonly message_id: string; readonly from: string }
  | { readonly type: "task_cancelled"; readonly task_id: string; readonly reason: string }
  | { readonly type: "task_reassigned"; readonly task_id: string }
  | {
      readonly type: "child_reply";
      readonly parent_task_id: string;
      readonly child_task_id: string;
      readonly status: Status;
    }
  | {
      readonly type: "status_update";
      readonly alias: string;
      readonly status: string;
      readonly progress?: number | null;
    }
  | { readonly type: "task_changed"; readonly task_id: string; readonly status: Status }
);

/** An event of one task. */
export type TaskStreamEvent = { readonly id?: string; readonly task_id: string } & (
  | {
      readonly type: "status";
      readonly status: Status;
      readonly event: number;
      readonly detail: string;
      readonly at: string;
    }
  | {
      readonly type: "progress";
      readonly percent?: number | null;
      readonly message?: string | null;
      readonly at: string;
    }
  | { readonly type: "output"; readonly offset: number; readonly text: string }
);

export interface FollowOptions {
  /** The id of the last event that was seen: those after it come first. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection is lost; it is made again by itself. */
  readonly onLost?: ((error: unknown) => void) | undefined;
}

const ENDS = new Set(["replied", "failed", "cancelled", "expired"]);

/** Whether a status is final. */
export const isEnd = (status: string): boolean => ENDS.has(status);

type Path = { readonly path: readonly string[]; readonly query?: Record<string, string | undefined> };

/**
 * Follows a channel from now on, or from after an event. A connection that is lost before the first numbered event has
 * no place to resume from: the caller gets a `reset` then, and finds what it may have missed in the inbox.
 */
export async function* followChannel(
  transport: Transport,
  where: Path,
  options: FollowOptions,
): AsyncGenerator<HubEvent, void, undefined> {
  let isPlaced = options.lastEventId !== undefined;
  for await (const { event, connection } of events(transport, where, options)) {
    const { type, id } = event as HubEvent;
    if (type === "connected" && connection > 1 && !isPlaced) yield { type: "reset" };
    isPlaced ||= id !== undefined;
    yield event as HubEvent;
  }
}

/** Follows one task until it has ended. */
export async function* followTask(
  transport: Transport,
  taskId: string,
  options: FollowOptions,
): AsyncGenerator<TaskStreamEvent, void, undefined> {
  for await (const { event } of events(transport, { path: ["events", "task", taskId] }, options)) {
    const told = event as TaskStreamEvent;
    yield told;
    if (told.type === "status" && isEnd(told.status)) return;
  }
}

/** The event of a frame, with its id; none if it cannot be read. */
function eventOf(frame: Frame): Readonly<Record<string, unknown>> | undefined {
  const event = objectOf(frame.data);
  return event === undefined || frame.id === undefined ? event : { ...event, id: frame.id };
}

interface Received {
  readonly event: unknown;
  /** Which connection it came over, from 1. */
  readonly connection: number;
}

async function* events(
  transport: Transport,
  where: Path,
  options: FollowOptions,
): AsyncGenerator<Received, void, undefined> {
  const backoff = new Backoff();
  let lastEventId = options.lastEventId;
  for (let connection = 1; ; connection += 1) {
    try {
      for await (const frame of oneConnection(transport, where, lastEventId, options.signal)) {
        // One that cannot be read would come again and be read no better.
        lastEventId = frame.id ?? lastEventId;
        const event = eventOf(frame);
        if (event === undefined) throw new BatonError("unexpected_answer", "a frame of the stream cannot be read");
        backoff.reset();
        yield { event, connection };
      }
      throw new HubUnreachable(transport.hub, "the stream ended", false);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
      options.onLost?.(error);
      const asked = error instanceof BatonError ? (error.retryAfterMillis ?? 0) : 0;
      await pause(Math.max(backoff.next(), asked), options.signal);
    }
  }
}

/** The frames of one connection, from its first byte to its last. */
async function* oneConnection(
  transport: Transport,
  where: Path,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame, void, undefined> {
  const abort = new LinkedAbort(signal);
  const silence = () =>
    setTimeout(
      () => abort.abort(new HubUnreachable(transport.hub, "the stream is silent", false)),
      STREAM_SILENT_MAX_MILLIS,
    );
  let timer = silence();
  try {
    const headers = {
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    const response = await transport.open({ method: "GET", ...where, headers, repeat: "always" }, abort.signal);
    if (!response.ok) throw await transport.errorOf(response, abort.signal);
    const parser = new FrameParser();
    const decoder = new TextDecoder();
    for await (const piece of pieces(response.body)) {
      clearTimeout(timer);
      // While the caller works on a frame nothing is read, and that is no silence of the hub's.
      yield* parser.push(decoder.decode(piece, { stream: true }));
      clearTimeout(timer);
      timer = silence();
    }
  } catch (error) {
    throw error instanceof RangeError
      ? new BatonError("unexpected_answer", "a frame of the stream does not end")
      : transport.unreachable(error, abort.signal);
  } finally {
    clearTimeout(timer);
    abort.abort(new HubUnreachable(transport.hub, "the stream was closed", false));
    abort.unlink();
  }
}
