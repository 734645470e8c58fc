/** `npm run pull -- <registry> [--full]`: pulls one registry into the directory now, with a progress bar. */
import { loadConfig } from "../config/config.ts";
import { OWN_PLATFORM } from "../core/directory/platforms.ts";
import { REGISTRY_READERS } from "../core/directory/registry-readers.ts";
import { withVisibleControls } from "../core/quoted.ts";
import { ERC8004 } from "../db/directory/erc8004.ts";
import { type PullProgress, pullProgress } from "../db/directory/pulls.ts";
import { wireWorkers } from "../wiring/workers.ts";
import type { JobContext } from "../workers/context.ts";
import { directoryOwn } from "../workers/directory/directory-own.ts";
import { erc8004Files } from "../workers/directory/erc8004-files.ts";
import { pullRegistry } from "../workers/directory/pull-registry.ts";
import type { Job } from "../workers/job.ts";

const JOBS: Record<string, Job> = { [OWN_PLATFORM]: directoryOwn, [ERC8004]: erc8004Files };
const names = [...Object.keys(JOBS), ...REGISTRY_READERS.map(({ key }) => key)];

const DRAW_MS = 100;
const BAR = 30;

/** How far a pull is, as one line. @param speed items a second */
function line(registry: string, { done, expected }: PullProgress, perSecond: number): string {
  const speed = `, ${Math.round(perSecond)} items/s`;
  if (!expected) return `${registry} ${done} items${speed}`;
  const share = Math.min(1, done / expected);
  const bar = "█".repeat(Math.round(share * BAR)).padEnd(BAR, "·");
  return `${registry} [${bar}] ${Math.floor(share * 100)} %, ${done} of ${expected}${speed}`;
}

/** Draws one line over itself, from what the pull stores; on no terminal, nothing. @returns draws it the last time */
function follow({ db }: JobContext, registry: string): () => Promise<void> {
  if (!process.stdout.isTTY) return async () => {};
  let first: { done: number; at: number } | undefined;
  let drawing: Promise<void> | undefined;
  const draw = async () => {
    const pull = (await pullProgress(db)).find(({ key }) => key === registry);
    // Until it runs, what is stored is of the pull before; and one that was cut off has done some already.
    if (!pull || (!first && !pull.running)) return;
    first ??= { done: pull.done, at: performance.now() };
    const seconds = (performance.now() - first.at) / 1000;
    process.stdout.write(`\r\x1b[2K${line(registry, pull, seconds > 0 ? (pull.done - first.done) / seconds : 0)}`);
  };
  const timer = setInterval(() => {
    // The pull itself reports a database that does not answer.
    drawing ??= draw()
      .catch(() => {})
      .finally(() => {
        drawing = undefined;
      });
  }, DRAW_MS);
  return async () => {
    clearInterval(timer);
    await drawing;
    await draw().catch(() => {});
    process.stdout.write("\n");
  };
}

async function run(context: JobContext, registry: string, full: boolean): Promise<number | null> {
  const reader = REGISTRY_READERS.find(({ key }) => key === registry);
  if (!reader) return JOBS[registry]!.run(context, {});
  const { attestationSchemas, chain, upstreams } = context.config;
  const parts = { ...context, exchangeSchema: attestationSchemas[0]!, chainId: chain.id, everyMs: upstreams.pullMs };
  return pullRegistry(parts, context.registries[reader.key]!, reader, { full });
}

const [registry, ...options] = process.argv.slice(2);
if (registry === undefined || !names.includes(registry) || options.some((option) => option !== "--full")) {
  console.error(`Usage: npm run pull -- <registry> [--full]\nRegistries: ${names.join(", ")}`);
  process.exit(1);
}
try {
  const config = loadConfig();
  config.logLevel = "silent";
  const { value: context, close } = await wireWorkers(config);
  try {
    const began = performance.now();
    const end = follow(context, registry);
    const changed = await run(context, registry, options.includes("--full")).finally(end);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(
      changed === null
        ? `${registry}: another process is pulling it now; GET /api/v2/status tells how far it is.`
        : `${registry}: ${changed} rows changed in ${seconds} s.`,
    );
  } finally {
    await close();
  }
  process.exit(0);
} catch (error) {
  const reason = withVisibleControls(error instanceof Error ? error.message : String(error));
  console.error(`\nThe pull stopped: ${reason}`);
  console.error("What was read is kept; the next pull goes on from there.");
  process.exit(1);
}
