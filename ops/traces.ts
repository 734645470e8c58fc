/** Traces by OpenTelemetry, sent to a collector by OTLP over HTTP. Loaded only where one is configured. */
import {
  type Attributes,
  type Context,
  context,
  SpanKind as OtelKind,
  type Tracer as OtelTracer,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "@opentelemetry/semantic-conventions";
import { installTracer, type SpanKind, type SpanOptions, type Tracer } from "../runtime/tracing.ts";

export type TraceOptions = {
  /** Where spans are posted. */
  url: string;
  headers: Record<string, string>;
  serviceName: string;
  version: string;
  /** Of the traces that begin here, 0 to 1; one begun elsewhere is kept when it is kept there. */
  share: number;
};

const KINDS: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};
/** Spans are sent in batches, every second; spans that exceed the queue are dropped and never delay the work. */
const BATCH = { scheduledDelayMillis: 1_000, maxQueueSize: 4_096, maxExportBatchSize: 512, exportTimeoutMillis: 5_000 };

/** Begins to collect. @returns sends what is left and ends it */
export function startTraces({ url, headers, serviceName, version, share }: TraceOptions): { close(): Promise<void> } {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName, [ATTR_SERVICE_VERSION]: version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, headers }), ...BATCH })],
  });
  installTracer(tracerOn(provider.getTracer("agents")));
  return {
    async close() {
      installTracer(null);
      await provider.shutdown().catch(() => {});
      context.disable();
      propagation.disable();
      manager.disable();
    },
  };
}

function tracerOn(tracer: OtelTracer): Tracer {
  const parentOf = ({ parent, root }: SpanOptions): Context => {
    if (parent) return propagation.extract(ROOT_CONTEXT, { traceparent: parent });
    return root ? ROOT_CONTEXT : context.active();
  };
  return {
    async span(name, options, work) {
      const within = parentOf(options);
      const attributes = options.attributes as Attributes | undefined;
      const span = tracer.startSpan(name, { kind: KINDS[options.kind], ...(attributes && { attributes }) }, within);
      const open = {
        set: (key: string, value: string | number | boolean) => void span.setAttribute(key, value),
        failed: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
      };
      try {
        return await context.with(trace.setSpan(within, span), work, undefined, open);
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
    traceparent() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent ?? null;
    },
    ids() {
      const span = trace.getSpanContext(context.active());
      return span && { trace_id: span.traceId, span_id: span.spanId };
    },
  };
}

/** An error's kind and nothing of its text, which may quote what a caller or an upstream has sent. */
function fail(span: Span, error: unknown): void {
  const code = (error as { code?: unknown } | null)?.code;
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute("error.type", typeof code === "string" ? code : error instanceof Error ? error.name : "unknown");
}
