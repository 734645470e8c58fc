/**
 * What metrics are made of here: numbers that the service's own code counts, written in Prometheus' format at
 * a scrape. On the path of a request a metric costs an addition; prom-client does nothing before a scrape of `/metrics`.
 */
import { type Metric, Registry } from "prom-client";

export type Labels = Record<string, string>;
export type Sample = { labels?: Labels; value: number };

export type MetricHead = {
  name: string;
  help: string;
  /** A counter only ever grows while the process lives. */
  type: "gauge" | "counter";
};

/** @param role of the process: a label of all its metrics */
export function openRegistry(role: "api" | "workers" | "indexer" | "readers"): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ role });
  return registry;
}

/** A metric whose values are read at each scrape; without samples it is absent: an unknown value is never 0. */
export function onScrape(registry: Registry, head: MetricHead, read: () => Sample[] | Promise<Sample[]>): void {
  register(registry, {
    ...head,
    async get() {
      const samples = await read();
      return { ...head, values: samples.map(({ labels = {}, value }) => ({ labels, value })) };
    },
  });
}

/** What a metric shows of what was read: samples, or the value of the only one; without a value it is absent. */
type Shown = Sample[] | number | boolean | null | undefined;

/** Metrics of one reading by name, each with its help as operators see it and what it shows; gauges but where said. */
export type MetricsOf<Read> = Record<string, [help: string, shown: (read: Read) => Shown, type?: "counter"]>;

/** @param read null or undefined: nothing is known, and all of them are absent */
export function showOnScrape<Read>(
  registry: Registry,
  read: () => Read | null | undefined | Promise<Read | null | undefined>,
  metrics: MetricsOf<Read>,
): void {
  for (const [name, [help, shown, type = "gauge"]] of Object.entries(metrics))
    onScrape(registry, { name, help, type }, async () => {
      const value = await read();
      return value === null || value === undefined ? [] : samplesOf(shown(value));
    });
}

/** What a metric shows as samples. */
export function samplesOf(shown: Shown): Sample[] {
  if (Array.isArray(shown)) return shown;
  return shown === null || shown === undefined ? [] : [{ value: Number(shown) }];
}

/** A sample for each word of a label. */
export const samplesBy = (label: string, values: Record<string, number | boolean>): Sample[] =>
  Object.entries(values).map(([word, value]) => ({ labels: { [label]: word }, value: Number(value) }));

/**
 * A read of the database that is kept for a time: the number of scrapes does not change the number of reads. Null when the
 * database did not answer.
 * @param now milliseconds, monotonic
 */
export function cachedRead<T>(
  read: () => Promise<T>,
  maxMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T | null> {
  let at = Number.NEGATIVE_INFINITY;
  let last: Promise<T | null> = Promise.resolve(null);
  return () => {
    if (now() - at >= maxMs) {
      at = now();
      last = read().catch(() => null);
    }
    return last;
  };
}

/** Counts by label, each made at its first use. */
export class Counts {
  readonly #values = new Map<string, number>();

  /** @param label a word of the code, never one that a caller sent */
  constructor(registry: Registry, head: Omit<MetricHead, "type">, label: string) {
    onScrape(registry, { ...head, type: "counter" }, () => samplesBy(label, Object.fromEntries(this.#values)));
  }

  add(word: string): void {
    this.#values.set(word, (this.#values.get(word) ?? 0) + 1);
  }
}

/** Durations of one kind, in buckets. */
export type Durations = { observe(ms: number): void };

/** Seconds: an answer from memory takes less than the first, one that waits for a block less than the last. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const BOUNDS_MS = Float64Array.from(BOUNDS, (seconds) => seconds * 1_000);

/** A histogram of durations: callers take a `series` first, so that observing is a short loop and two additions. */
export class Histogram {
  readonly #series: { labels: Labels; counts: Float64Array; sumMs: number }[] = [];

  constructor(registry: Registry, head: Omit<MetricHead, "type">) {
    register(registry, { ...head, type: "histogram", get: async () => ({ ...head, ...this.#read(head.name) }) });
  }

  /** Durations under these labels; shown from the first one on. */
  series(labels: Labels): Durations {
    const one = { labels, counts: new Float64Array(BOUNDS.length + 1), sumMs: 0 };
    this.#series.push(one);
    return {
      observe(ms) {
        let bucket = 0;
        while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]!) bucket++;
        one.counts[bucket]!++;
        one.sumMs += ms;
      },
    };
  }

  #read(name: string) {
    const values = this.#series.flatMap(({ labels, counts, sumMs }) => {
      let below = 0;
      const buckets = BOUNDS.map((le, i) => {
        below += counts[i]!;
        return { metricName: `${name}_bucket`, labels: { ...labels, le: String(le) }, value: below };
      });
      const count = below + counts[BOUNDS.length]!;
      if (count === 0) return [];
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { ...labels, le: "+Inf" }, value: count },
        { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
    return { type: "histogram", values };
  }
}

/** A histogram whose series are made at their first use. @returns a function that observes; labels are words of the code */
export function durationsBy<Name extends string>(
  registry: Registry,
  head: Omit<MetricHead, "type">,
): (labels: Record<Name, string>, ms: number) => void {
  const histogram = new Histogram(registry, head);
  const series = new Map<string, Durations>();
  return (labels, ms) => {
    const key = JSON.stringify(labels);
    const sample = series.get(key);
    const one = sample ?? histogram.series(labels);
    if (!sample) series.set(key, one);
    one.observe(ms);
  };
}

/** Prom-client asks a metric for nothing but its name and `get`. */
function register(registry: Registry, metric: { name: string; help: string; type: string; get(): Promise<object> }) {
  registry.registerMetric(metric as unknown as Metric);
}
