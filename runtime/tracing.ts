/**
 * Traces as the service's parts see them: a span around a piece of work, and the trace that work belongs to. Nothing is
 * installed unless traces are collected (ops/traces.ts); without a collector, each call costs one comparison.
 */

export type SpanKind = "server" | "client" | "consumer" | "internal";
type SpanAttributes = Record<string, string | number | boolean>;

export type OpenSpan = {
  /** @param value never a secret, and nothing of a caller's that it would not want to see kept */
  set(name: string, value: string | number | boolean): void;
  failed(): void;
};

export type SpanOptions = {
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** W3C traceparent of what caused this; without one the span belongs to what runs now. */
  parent?: string | null | undefined;
  /** The span begins a trace of its own, also within another span. */
  root?: boolean;
};

export type Tracer = {
  span<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** The W3C traceparent of what runs now; null outside every span. */
  traceparent(): string | null;
  ids(): { trace_id: string; span_id: string } | undefined;
};

let tracer: Tracer | null = null;

const NO_SPAN: OpenSpan = { set() {}, failed() {} };

/** Collects traces from now on, or no more; the process's beginning and end. */
export function installTracer(installed: Tracer | null): void {
  tracer = installed;
}

/** Whether traces are collected; what is wrapped once at the start asks this. */
export const isTracing = (): boolean => tracer !== null;

/** Runs `work` in a span, which ends with it and fails with it. */
export const span = <T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T> =>
  tracer === null ? work(NO_SPAN) : tracer.span(name, options, work);

/** The W3C traceparent of what runs now, to be kept with what it causes; null without traces. */
export const traceparent = (): string | null => (tracer === null ? null : tracer.traceparent());

/** For log lines. */
export const traceIds = (): { trace_id: string; span_id: string } | undefined => tracer?.ids();
