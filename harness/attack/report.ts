/** A report as tables of text. */
import { quantile, table } from "../figures.ts";
import type { Report } from "./run.ts";

export function tablesOf({ phase, seconds, attacks, honest, verdicts, broken, breaches, warnings }: Report): string {
  const tried = table(
    ["attack", "tried", "refused", "succeeded"],
    [...attacks].map(([name, { tried, refused, succeeded }]) => [name, tried, refused, succeeded.length]),
  );
  const done = table(
    ["honest people", "times", "p50 s", "p95 s", "max s", "failures"],
    [...honest]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([what, { ms, failures }]) => [
        what,
        ms.length,
        ...[0.5, 0.95, 1].map((share) => (ms.length > 0 ? (quantile(ms, share) / 1000).toFixed(2) : "–")),
        failures.length,
      ]),
  );
  const truths = table(
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
