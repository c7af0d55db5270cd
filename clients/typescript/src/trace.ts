// OpenTelemetry, if the program has it. Only these few functions of `@opentelemetry/api` are used, and they are handed in:
// this library does not import the package.

/** What is used of `@opentelemetry/api`; the module itself fits. */
export interface OpenTelemetry<Context = unknown> {
  readonly context: {
    active(): Context;
    with<R>(context: Context, run: () => R): R;
  };
  readonly propagation: {
    inject(context: Context, carrier: Record<string, string>): void;
    extract(context: Context, carrier: Record<string, string>): Context;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the context is opaque here, and its type is the package's own
export type AnyOpenTelemetry = OpenTelemetry<any>;

/** The headers that carry the current trace. */
export function traceHeaders(api: AnyOpenTelemetry | undefined): Record<string, string> {
  const carrier: Record<string, string> = {};
  api?.propagation.inject(api.context.active(), carrier);
  // Other headers of a propagator (baggage) would not pass the hub's CORS rules, and it does not read them.
  const kept = ["traceparent", "tracestate"].flatMap((name) => {
    const value = carrier[name];
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(kept);
}

/** Runs something within the trace that a task was sent in. */
export function withinTrace<R>(
  api: AnyOpenTelemetry | undefined,
  traceparent: string | null | undefined,
  run: () => R,
): R {
  if (api === undefined || !traceparent) return run();
  return api.context.with(api.propagation.extract(api.context.active(), { traceparent }), run);
}
