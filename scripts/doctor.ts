/** `npm run doctor -- [--variables] [--json]`: examines configuration, nodes, contracts, money, upstreams and the running service. */
import { parseArgs } from "node:util";
import { ConfigError } from "../config/variable.ts";
import { forgivingConfig, variableValues } from "../config/variable-values.ts";
import { CHECKS } from "../doctor/checks.ts";
import { countsOf, jsonReport, textReport, variablesReport } from "../doctor/report.ts";
import { runChecks } from "../doctor/run.ts";
import { redactor } from "../runtime/log.ts";
import { wireDoctor } from "../wiring/doctor.ts";
import { operatorCommand } from "./operator-command.ts";

const USAGE = "Usage: npm run doctor -- [--variables] [--json]";

await operatorCommand(async (words) => {
  const { json, variables: showVariables } = optionsOf(words);
  const { config, problems } = forgivingConfig();
  const variables = variableValues();
  const hidden = redactor(config.secrets);
  const print = (text: string) => console.log(hidden(text));
  const colours = process.stdout.isTTY === true && process.stdout.hasColors();
  if (showVariables && !json) return print(variablesReport(variables, { colours }));
  const startedAt = performance.now();
  const { value: world, close } = await wireDoctor(config, { variables, problems });
  const results = await runChecks(CHECKS, world, json ? undefined : progress(CHECKS.length));
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1));
  print(
    json
      ? jsonReport(results, { variables, seconds })
      : textReport(results, { colours, width: process.stdout.columns, seconds }),
  );
  process.exitCode = countsOf(results).error > 0 ? 1 : 0;
  // A check that hangs may hold a connection: it does not keep the process.
  await Promise.race([close(), new Promise((done) => setTimeout(done, 2_000))]);
  process.exit();
});

function optionsOf(words: string[]) {
  try {
    const options = { json: { type: "boolean" }, variables: { type: "boolean" } } as const;
    return parseArgs({ args: words, options }).values;
  } catch {
    throw new ConfigError(USAGE);
  }
}

/** Counts the checks on a terminal while they run. */
function progress(all: number): () => void {
  let done = 0;
  return () => {
    done++;
    if (process.stderr.isTTY) process.stderr.write(done < all ? `\rchecking … ${done} of ${all}` : "\r\x1b[K");
  };
}
