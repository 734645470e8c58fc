/** Prometheus' text, read as strictly as a server would: families with help and type, samples below their family, no series twice. */

type Series = { name: string; labels: Record<string, string>; value: number };
export type Family = { name: string; type: string; help: string; series: Series[] };

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(,|$)/gy;
const SUFFIXES = { histogram: ["_bucket", "_sum", "_count"], summary: ["", "_sum", "_count"] } as Record<
  string,
  string[]
>;

/** @throws Error at the first line that is not in the format */
export function parseMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: Family | undefined;
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const head = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (head) {
      const [, kind, name, rest] = head as unknown as [string, string, string, string];
      if (kind === "HELP") {
        if (families.has(name)) throw new Error(`the family ${name} stands twice`);
        current = { name, type: "untyped", help: rest, series: [] };
        families.set(name, current);
      } else if (current?.name === name) current.type = rest;
      else throw new Error(`a type without its family: ${line}`);
      continue;
    }
    const sample = SAMPLE.exec(line);
    if (!sample) throw new Error(`no sample: ${line}`);
    const [, name, labels = "", value] = sample as unknown as [string, string, string, string];
    if (seen.has(`${name}{${labels}}`)) throw new Error(`a series stands twice: ${line}`);
    seen.add(`${name}{${labels}}`);
    if (!current || !(SUFFIXES[current.type] ?? [""]).some((suffix) => name === current!.name + suffix))
      throw new Error(`a sample outside its family: ${line}`);
    current.series.push({ name, labels: parseLabels(labels), value: Number(value.replace("Inf", "Infinity")) });
  }
  return families;
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let end = 0;
  LABEL.lastIndex = 0;
  for (let found = LABEL.exec(text); found; found = LABEL.exec(text)) {
    labels[found[1]!] = found[2]!;
    end = LABEL.lastIndex;
  }
  if (end !== text.length) throw new Error(`labels that cannot be read: ${text}`);
  return labels;
}

/** The value of the series with all these labels; undefined when there is none. */
export function sampleOf(
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  for (const { series } of families.values())
    for (const one of series)
      if (one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value))
        return one.value;
  return undefined;
}
