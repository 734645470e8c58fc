/** The process of readers: which jobs it has, that the workers do without them, and what happens when it hangs or ends. */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { type TestLog, testLog } from "../../harness/log.ts";
import { until } from "../../harness/until.ts";
import { type Readers, startReaders } from "../../wiring/readers.ts";
import { defineJob, type Job } from "../../workers/job.ts";
import { openQueues, type Queues } from "../../workers/operations/queue.ts";
import { READERS, runReaders, runWorkers, type Workers } from "../../workers/run.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { folderOfTest } from "../support/folders.ts";

/** The parts of a context that others than the chain answer. */
const ASKED = "(?:documents|endpoints|registries|proofs|markets|ethos)";
const ASKS = new RegExp(
  `context\\.${ASKED}\\b|\\{[^{}]*\\b${ASKED}\\b[^{}]*\\}(?: = context\\b|: JobContext\\b|\\) \\{)`,
);

it("has every job that asks others than the chain for documents", () => {
  const asking = globSync("workers/*/*.ts").flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return text.includes("= defineJob") && ASKS.test(text) ? (/name: "([a-z0-9-]+)"/.exec(text)?.[1] ?? file) : [];
  });
  // What a stranger links is looked for among thousands of hashes; the two jobs of endpoints share the file that asks.
  expect([...asking, "token-ties", "offers", "endpoint-checks"].toSorted()).toEqual(
    READERS.map(({ name }) => name).toSorted(),
  );
});

let log: TestLog;
let readers: Readers | undefined;
beforeEach(() => {
  log = testLog();
});
afterEach(async () => {
  await readers?.stop();
  readers = undefined;
});

/** A process of readers. @param first what it does at its first start, when it has said that it is up; later ones live on */
function start(first: string): { again: () => boolean } {
  const folder = folderOfTest("readers");
  const file = join(folder, "readers.mjs");
  writeFileSync(
    file,
    `import { existsSync, writeFileSync } from "node:fs";
     const place = (name) => ${JSON.stringify(folder)} + "/" + name;
     process.on("disconnect", () => process.exit());
     process.send("up", () => {
       if (existsSync(place("first"))) {
         writeFileSync(place("again"), "");
         setInterval(() => process.send("up"), 10);
       } else {
         writeFileSync(place("first"), "");
         ${first}
       }
     });`,
  );
  readers = startReaders({ log, command: [file], silentMs: 500 });
  return { again: () => existsSync(join(folder, "again")) };
}
const said = () => log.lines.map((line) => JSON.parse(line).msg);

it("is killed when it is silent, and started again", async () => {
  const { again } = start("for (;;);");
  await until("it is started again", again);
  expect(said().slice(0, 2)).toEqual([
    "the readers are silent and are killed",
    "the readers ended and are started again",
  ]);
});

it("is started again when it ends, as where all its memory is taken, and not when it is stopped", async () => {
  const { again } = start("process.kill(process.pid, 'SIGKILL');");
  await until("it is started again", again);
  const before = said().length;
  await readers!.stop();
  expect(said().slice(before)).toEqual([]);
});

it("alone runs the jobs of readers: the workers do everything else", async () => {
  let database: TestDatabase | undefined;
  let queue: Queues | undefined;
  const running: Workers[] = [];
  try {
    database = await testDatabase({ indexed: true });
    queue = await openQueues({ databaseUrl: database.url, prefix: "readers", log });
    const ran: string[] = [];
    const job = (name: string, rest: Partial<Job> = {}) =>
      defineJob({
        ...{ name, concurrency: 1, schedule: { everyMs: 100 }, input: z.object({}), ...rest },
        run: async () => ran.push(name),
      });
    const reading = job("reading", { readsUntrusted: true });
    const context = { db: database.pool, queue, log, signer: null, clock: () => new Date(), fault: () => {} } as never;
    running.push(await runWorkers(context, [job("sending"), reading], [reading]));
    await until("the workers have worked", () => ran.filter((name) => name === "sending").length > 3);
    expect(ran).not.toContain("reading");
    running.push(runReaders(context, [reading]));
    await until("the readers have read what was scheduled", () => ran.includes("reading"));
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    await queue?.close();
    await database?.drop();
  }
});
