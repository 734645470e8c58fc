/** A report as tables of text. */
import type { Report } from "./run.ts";

export function tablesOf({ phase, seconds, attacks, honest, verdicts, broken, breaches, warnings }: Report): string {
  const tried = rows(
    ["attack", "tried", "refused", "succeeded"],
    [...attacks].map(([name, { tried, refused, succeeded }]) => [name, tried, refused, succeeded.length]),
  );
  const done = rows(
    ["honest people", "times", "p50 s", "p95 s", "max s", "failures"],
    [...honest]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([what, { ms, failures }]) => [
        what,
        ms.length,
        ...[0.5, 0.95, 1].map((share) => (quantile(ms, share) / 1000).toFixed(2)),
        failures.length,
      ]),
  );
  const truths = rows(
    ["after it", "holds", "after s"],
    verdicts.map(({ what, wrong, seconds }) => [what, wrong.length === 0 ? "yes" : "NO", seconds.toFixed(1)]),
  );
  const answers = [...attacks].flatMap(([name, line]) => {
    const counted = Object.entries(line.answers).toSorted((a, b) => b[1] - a[1]);
    return counted.length > 0 ? [`${name}: ${counted.map(([answer, times]) => `${answer} ${times}×`).join(", ")}`] : [];
  });
  const lists = [
    ...(answers.length > 0 ? ["", "answers to attacks:", ...answers] : []),
    ...(broken.length > 0 ? ["", "plays that broke by themselves:", ...new Set(broken)] : []),
    ...(breaches.length > 0 ? ["", "BREACHES:", ...breaches] : []),
    ...(warnings.length > 0 ? ["", "warnings of the logs:", ...warnings] : []),
  ];
  return [`phase ${phase}, ${seconds.toFixed(0)} s`, "", tried, "", done, "", truths, ...lists, ""].join("\n");
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function rows(head: readonly string[], body: readonly (readonly (string | number)[])[]): string {
  const table = [head, ...body].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join("  "),
    )
    .join("\n");
}
