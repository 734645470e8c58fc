/** `npm run pull -- <source> [--full]`: pulls one registry into the directory now, with a progress bar. */
import { composeWorkers } from "../compose.ts";
import { ConfigError, loadConfig } from "../config.ts";
import { Failure } from "../core/errors.ts";
import { OWN_PLATFORM } from "../core/terminal/platforms.ts";
import { SOURCES } from "../core/terminal/sources.ts";
import { pullRegistry } from "../workers/directory-pull.ts";
import type { Job } from "../workers/job.ts";
import { directoryOwn } from "../workers/jobs/directory-own.ts";
import { erc8004Files } from "../workers/jobs/erc8004-files.ts";

const JOBS: Record<string, Job> = { [OWN_PLATFORM]: directoryOwn, erc8004: erc8004Files };
const names = [...Object.keys(JOBS), ...SOURCES.map(({ key }) => key)];

const BAR = 30;
/** One line that is drawn over itself; on no terminal, nothing. */
function draw(source: string, { done, expected }: { done: number; expected: number | null }): void {
  if (!process.stdout.isTTY) return;
  const share = expected ? Math.min(1, done / expected) : 0;
  const bar = expected
    ? `[${"█".repeat(Math.round(share * BAR)).padEnd(BAR, "·")}] ${Math.floor(share * 100)} %, ${done} of ${expected}`
    : `${done} items`;
  process.stdout.write(`\r\x1b[2K${source} ${bar}`);
}

const [source, ...options] = process.argv.slice(2);
if (source === undefined || !names.includes(source) || options.some((option) => option !== "--full")) {
  console.error(`Usage: npm run pull -- <source> [--full]\nSources: ${names.join(", ")}`);
  process.exit(1);
}
try {
  const config = loadConfig();
  config.logLevel = "silent";
  const { value: context, close } = await composeWorkers(config);
  try {
    const reader = SOURCES.find(({ key }) => key === source);
    const began = performance.now();
    const changed = reader
      ? await pullRegistry(
          { ...context, exchangeSchema: config.attestationSchemas[0]!, everyMs: config.upstreams.pullMs },
          context.registries[reader.key]!,
          reader,
          { full: options.includes("--full"), onPage: (progress) => draw(source, progress) },
        )
      : await JOBS[source]!.run(context, {});
    if (process.stdout.isTTY) process.stdout.write("\n");
    console.log(`${source}: ${changed} rows changed in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  } finally {
    await close();
  }
  process.exit(0);
} catch (error) {
  const plain = error instanceof Failure || error instanceof ConfigError || error instanceof Error;
  console.error(`\nThe pull stopped: ${plain ? error.message : String(error)}`);
  console.error("What was read is kept; the next pull goes on from there.");
  process.exit(1);
}
