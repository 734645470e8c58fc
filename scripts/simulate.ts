/**
 * `npm run trial -- simulate [[--seed N] [--runs M | --seeds A,B] [--rows F13,F14] | --regressions] [--minutes T]`:
 * rounds of work under faults, each followed by the oracle. A seed is a round: the same seed draws the same plan.
 * `--regressions` runs those that have found a defect. Stops after M rounds, or before one that begins later than T
 * minutes from now.
 */
import { commandLine, refuse } from "../harness/options.ts";
import { REGRESSIONS, ROWS } from "../harness/simulation/plan.ts";
import { simulate } from "../harness/simulation/simulate.ts";

type Row = keyof typeof ROWS;
const { numbers, others } = commandLine(
  {
    seed: { absent: 1 + (Date.now() % 1_000_000), least: 1 },
    runs: { absent: 10, least: 1 },
    minutes: { absent: Number.MAX_SAFE_INTEGER, least: 1 },
  },
  { seeds: { type: "string" }, rows: { type: "string" }, regressions: { type: "boolean" } },
);
const { seed, runs, minutes } = numbers;
const seeds = others.seeds?.split(",").map(Number) ?? Array.from({ length: runs }, (_, i) => seed + i);
if (!seeds.every((each) => Number.isSafeInteger(each) && each >= 1)) refuse("--seeds takes whole numbers from 1 on.");
const rows = others.rows?.split(",") as Row[] | undefined;
const unknown = rows?.find((row) => !(row in ROWS));
if (unknown !== undefined) refuse(`--rows takes names out of ${Object.keys(ROWS).join(", ")}.`);

const say = (line: string) => console.log(line);
const drawn = others.regressions ? REGRESSIONS : seeds.map((each) => ({ seed: each, rows }));
const given = others.regressions
  ? "--regressions"
  : `--seeds ${seeds.join(",")}${rows ? ` --rows ${rows.join(",")}` : ""}`;
say(`npm run trial -- simulate ${given}`);
const { failures, rounds, covered, died } = await simulate({
  ...{ drawn, say },
  until: Date.now() + minutes * 60_000,
});
say(
  `${rounds} rounds, ${failures.length} wrong${failures.length ? `: ${failures.map((failure) => failure.seed).join(", ")}` : ""}`,
);
for (const [row, times] of Object.entries(covered))
  if (times > 0) say(`${row.padEnd(4)}${String(times).padStart(5)}  ${ROWS[row as Row]}`);
say(
  `processes that died at a fault point: ${Object.values(died).reduce((sum, times) => sum + times, 0)} (${Object.entries(
    died,
  )
    .toSorted()
    .map(([point, times]) => `${point} ${times}`)
    .join(", ")})`,
);
process.exit(failures.length > 0 ? 1 : 0);
