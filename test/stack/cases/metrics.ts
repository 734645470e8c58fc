/** Cases of service.test.ts: alerts and dashboard against the metrics that the service's real processes tell, and against the paragraphs that say what to do. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PROGRAMS } from "../../../harness/programs.ts";
import { until } from "../../../harness/until.ts";
import { type Family, parseMetrics, sampleOf } from "../../ops/support/exposition.ts";
import { namedIn } from "../../ops/support/promql.ts";

const ROOT = join(import.meta.dirname, "../../..");
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
};
const RULES = (parse(text("ops/alerts.yml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
type Panel = { id: number; title: string; targets?: { expr: string; legendFormat: string }[] };
const PANELS = (JSON.parse(text("ops/dashboard.json")) as { panels: Panel[] }).panels;

/** Made by Prometheus itself for every target. */
const OF_PROMETHEUS = new Map([["up", ["job", "instance"]]]);
/** Labels that Prometheus puts beside ours. */
const OF_TARGETS = ["instance", "job"];

export function metricsCases(opsPort: () => number): void {
  let families: Map<string, Family>;
  beforeAll(async () => {
    const port = opsPort();
    const scrape = async () => {
      const texts = await Promise.all(
        [0, 1, 2, 3].map(async (n) => (await fetch(`http://127.0.0.1:${port + n}/metrics`)).text()),
      );
      // Each by itself is whole; what several tell alike is one family here.
      const all = texts.map(parseMetrics);
      const merged = new Map<string, Family>();
      for (const [name, family] of all.flatMap((one) => [...one]))
        merged.set(name, { ...family, series: [...(merged.get(name)?.series ?? []), ...family.series] });
      return merged;
    };
    families = await until(
      "every process has something to tell",
      async () => {
        const read = await scrape();
        const ready =
          sampleOf(read, "agents_index_ready") === 1 &&
          sampleOf(read, "agents_indexer_published") === 1 &&
          sampleOf(read, "agents_sender_funded") !== undefined &&
          ["workers", "readers"].every((role) =>
            read.get("agents_job_duration_seconds")?.series.some(({ labels }) => labels.role === role),
          );
        return ready ? read : undefined;
      },
      { everyMs: 200 },
    );
  });

  /** Metrics and labels of an expression that nothing tells. */
  function unknownIn(expression: string): string[] {
    const named = namedIn(expression);
    const labelsOf = (metric: string): string[] | undefined => {
      const family = families.get(metric) ?? families.get(metric.replace(/_(bucket|sum|count)$/, ""));
      if (!family) return OF_PROMETHEUS.get(metric);
      return [...OF_TARGETS, "role", ...family.series.flatMap(({ labels }) => Object.keys(labels))];
    };
    const metrics = named.filter(({ metric }) => metric !== "");
    const known = metrics.flatMap(({ metric }) => labelsOf(metric) ?? []);
    // A metric that has no samples yet shows its name, and not its labels.
    const silent = metrics.some(({ metric }) => families.get(metric)?.series.length === 0);
    return [
      ...metrics.filter(({ metric }) => !labelsOf(metric)).map(({ metric }) => metric),
      ...(silent ? [] : named.flatMap(({ labels }) => labels).filter((label) => !known.includes(label))),
    ];
  }

  describe("alerts", () => {
    it.each(RULES.map(({ alert, expr }) => [alert, expr]))("%s asks for what the processes tell", (_, expr) => {
      expect(unknownIn(expr)).toEqual([]);
    });

    it("an unknown metric, label or function would be found", () => {
      expect(unknownIn("max(agents_no_such_metric) > 0")).toEqual(["agents_no_such_metric"]);
      expect(unknownIn('max by (nothing) (agents_queue_jobs{state="waiting"})')).toEqual(["nothing"]);
      expect(unknownIn('agents_queue_jobs{nothing="waiting"}')).toEqual(["nothing"]);
      expect(() => namedIn("maximum(agents_index_block)")).toThrow("maximum");
      expect(() => namedIn("max(agents_index_block")).toThrow("bracket");
      expect(() => namedIn("max(agents_index_block) § 2")).toThrow("cannot be read");
    });

    it("are named once, weighed, and each has a paragraph that says what to do", () => {
      const headings = [...text("docs/operate/alerts.md").matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, "")
          .replaceAll(" ", "-"),
      );
      expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length);
      for (const { alert, labels, annotations } of RULES) {
        expect(["critical", "warning"], alert).toContain(labels.severity);
        expect(annotations.summary, alert).toMatch(/\.$/);
        const [file, anchor] = annotations.runbook.split("#");
        expect(file, alert).toBe("docs/operate/alerts.md");
        expect(anchor, alert).toBe(alert.toLowerCase());
        expect(headings, alert).toContain(anchor);
      }
    });

    it("no quiet service fires one", () => {
      const critical = (name: string, labels = {}) => sampleOf(families, name, labels);
      expect(critical("agents_index_stale")).toBe(0);
      expect(critical("agents_nonce_gap")).toBe(0);
      expect(critical("agents_sender_funded")).toBe(1);
      expect(critical("agents_queue_up")).toBe(1);
      expect(critical("agents_tables_up")).toBe(1);
      expect(critical("agents_payments", { state: "lost" })).toBe(0);
    });

    const promtool = PROGRAMS.promtool.path;
    it.runIf(promtool)("fire when they should, as Prometheus' own tool computes them", () => {
      execFileSync(promtool!, ["check", "rules", "ops/alerts.yml"], { cwd: ROOT });
      execFileSync(promtool!, ["test", "rules", "test/ops/support/alerts-fire.yml"], { cwd: ROOT });
    });
  });

  describe("the dashboard", () => {
    it("shows what the processes tell, each panel something", () => {
      const shown = PANELS.filter(({ targets }) => targets);
      expect(shown.length).toBeGreaterThan(20);
      for (const { title, targets } of shown)
        for (const { expr, legendFormat } of targets!) {
          expect(unknownIn(expr), title).toEqual([]);
          const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
          for (const label of labels)
            expect(/^\w+$/.test(expr) || expr.includes(label!), `${title}: ${label}`).toBe(true);
        }
      expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length);
    });
  });

  it("metrics have names of one kind, a help, and labels with values of code and configuration only", () => {
    for (const { name, help, series } of families.values()) {
      if (!name.startsWith("agents_")) continue;
      expect(name).toMatch(/^agents_[a-z0-9_]+$/);
      expect(help.length, name).toBeGreaterThan(10);
      for (const { labels } of series)
        for (const value of Object.values(labels)) expect(value, name).not.toMatch(/0x[0-9a-f]{40}/i);
    }
  });
}
