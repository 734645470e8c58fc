/** The rules of the house, stated where breaking one is noticed: who may import whom, where clocks and environment are read, how files look. */
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { basename, dirname, join, matchesGlob, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";
import { ADVISORY_LOCKS } from "../db/sql/locks.ts";
import config, { ELSEWHERE } from "../vitest.config.ts";

/** The words that rules look for stand in this file. */
const SELF = "test/architecture.test.ts";
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROOMS = [
  "abis",
  "api",
  "bench",
  "card-renderer",
  "clients",
  "columns",
  "config",
  "contracts",
  "core",
  "db",
  "devnet",
  "doctor",
  "harness",
  "indexer",
  "ops",
  "payments",
  "runtime",
  "scripts",
  "src",
  "test",
  "wiring",
  "workers",
];

type Import = { from: string; target: string; typeOnly: boolean };
type Source = { path: string; text: string; lines: number; imports: Import[] };

const files: Source[] = globSync(
  ["*.ts", ...ROOMS.map((room) => `${room}/**/*.ts`), "web/*.ts", "web/src/**/*.{ts,tsx}", "sdk/*.ts", "sdk/src/*.ts"],
  { cwd: ROOT },
)
  .filter((path) => !path.includes("node_modules"))
  .map((path) => path.replaceAll("\\", "/"))
  .map((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    return { path, text, lines: text.split("\n").length, imports: importsOf(path, text) };
  });

/** Static and dynamic imports; relative ones as paths from the root. */
function importsOf(path: string, text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\s(?:(type\s)?[^;"']*?from\s*)?["']([^"']+)["']/gm);
  const calls = text.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g);
  const all = [
    ...[...statements].map(([, type, target]) => ({ target: target!, typeOnly: type !== undefined })),
    ...[...calls].map(([, target]) => ({ target: target!, typeOnly: false })),
  ];
  return all.map(({ target, typeOnly }) => ({
    from: path,
    target: target.startsWith(".") ? normalize(join(dirname(path), target)).replaceAll("\\", "/") : target,
    typeOnly,
  }));
}

const inRoom = (room: string) => files.filter(({ path }) => path.startsWith(`${room}/`));
const inRooms = (rooms: string) => rooms.split(" ").flatMap(inRoom);
/** What runs for users, without the browser. */
const SERVICE = "api columns db indexer ops payments runtime wiring workers";
const withoutComments = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
/** Paths of the files that have such words outside of comments. */
const having = (words: RegExp, sources: Source[]) =>
  sources.filter(({ text }) => words.test(withoutComments(text))).map(({ path }) => path);
const matches = (target: string, rules: (string | RegExp)[]) =>
  rules.some((rule) =>
    typeof rule === "string" ? target === rule || target.startsWith(`${rule}/`) : rule.test(target),
  );

/** Per room: what may be imported, and what may be imported for its types only. */
const RULES: Record<string, { any: (string | RegExp)[]; types?: (string | RegExp)[] }> = {
  abis: { any: [] },
  src: { any: ["src", "abis", /^ponder(:|$)/, "viem", "hono", "graphql"], types: ["ponder.schema.ts", "node:http"] },
  core: {
    any: [
      "core",
      "abis",
      "viem/utils",
      "viem/siwe",
      "zod",
      "@noble/hashes",
      "@noble/curves",
      "@noble/secp256k1",
      "@scure/base",
      "canonicalize",
      "structured-headers",
    ],
  },
  columns: {
    any: [
      "columns",
      "runtime/latch.ts",
      "pg",
      /^node:(url|child_process|events|net|os|stream|timers|util|v8|worker_threads)/,
    ],
  },
  db: {
    any: [
      "db",
      "columns",
      "core",
      "runtime/in-time.ts",
      "runtime/once.ts",
      "runtime/tracing.ts",
      "runtime/child-task.ts",
      "runtime/file-digest.ts",
      "runtime/processes.ts",
      "runtime/project-root.ts",
      "p-limit",
      "pg",
      "drizzle-orm",
      /^node:(crypto|path|util|timers|url|child_process|stream|net|events)/,
    ],
    types: ["ponder.schema.ts"],
  },
  "card-renderer": {
    any: ["card-renderer", "core", "runtime/project-root.ts", "@takumi-rs/core", "p-limit", /^node:/],
  },
  clients: {
    any: [
      "clients",
      "core",
      "runtime/tracing.ts",
      "runtime/redis.ts",
      "abis",
      "viem",
      "undici",
      "aws4fetch",
      "ipaddr.js",
      "zod",
      "jose",
      "ioredis",
      "p-limit",
      "secp256k1",
      /^@x402\//,
      "mppx",
      /^node:/,
    ],
  },
  ops: {
    any: [
      "ops",
      "core",
      "db",
      "runtime/listen-address.ts",
      "runtime/tracing.ts",
      "prom-client",
      /^@opentelemetry\//,
      /^@bull-board\//,
      "hono",
      "@hono/node-server",
      /^node:/,
    ],
    types: [
      "api/deps.ts",
      "clients/ports.ts",
      "columns",
      "config",
      "indexer/run.ts",
      "workers",
      "pg",
      "pino",
      "bullmq",
    ],
  },
  doctor: {
    any: ["doctor", "core", "db", "p-limit", "viem/utils", "zod", "node:util"],
    types: ["clients/ports.ts", "config"],
  },
  payments: { any: ["payments", "core", "db", "node:crypto"], types: ["clients/ports.ts", "runtime/faults.ts", "pg"] },
  workers: {
    any: [
      "workers",
      "core",
      "runtime/in-time.ts",
      "runtime/latch.ts",
      "runtime/once.ts",
      "runtime/tracing.ts",
      "runtime/child-task.ts",
      "runtime/file-digest.ts",
      "runtime/lines-file.ts",
      "db",
      "payments",
      "abis",
      "runtime/faults.ts",
      "runtime/redis.ts",
      "@duckdb/node-api",
      "bullmq",
      "pg",
      "p-limit",
      "viem/utils",
      "zod",
      /^node:/,
    ],
    types: ["clients/ports.ts", "config", "ponder.schema.ts", "ioredis", "pino", "viem"],
  },
  api: {
    any: [
      "api",
      "core",
      "runtime/in-time.ts",
      "runtime/once.ts",
      "runtime/listen-address.ts",
      "runtime/project-root.ts",
      "runtime/tracing.ts",
      "db",
      "payments",
      "abis",
      "runtime/faults.ts",
      "hono",
      "negotiator",
      "@hono/node-server",
      "@modelcontextprotocol/server",
      "@noble/hashes",
      "ipaddr.js",
      "p-limit",
      "secp256k1",
      "viem/utils",
      "zod",
      /^node:/,
    ],
    types: ["clients/ports.ts", "config", "pg", "pino", "viem"],
  },
  // What runs in a browser: itself, its libraries, and of the domain only what is pure; of the API its shapes.
  "web/src": {
    any: [
      ...["web/src", "core", "react", "react-dom", "wouter", "@tanstack/react-query", "@tanstack/react-virtual"],
      ...["eventsource-parser", "virtual:bodies"],
    ],
    types: ["api/schemas", "zod"],
  },
  // The SDK is published: it takes nothing of the service.
  "sdk/src": { any: ["sdk/src", "openapi-fetch", "eventsource-parser"] },
};

/** Where a process begins, it reads its configuration and asks wiring/ for its parts. */
const ENTRIES: Record<string, string[]> = {
  "api/main.ts": ["wiring", "config", "runtime/lifecycle.ts"],
  "workers/main.ts": ["wiring", "config", "runtime/lifecycle.ts"],
  "workers/readers.ts": ["wiring", "config", "runtime/lifecycle.ts"],
  "db/schema/migrate.ts": ["node:fs"],
  "db/snapshots/folder.ts": ["node:fs"],
  "db/snapshots/bucket.ts": ["node:fs"],
  // Certificates that the URL of the database names.
  "db/sql/server-connection.ts": ["node:fs", "node:tls"],
  // One form for both sides: the service imports it from what is published.
  "core/offers/offer-versions.ts": ["sdk/src/offer-form.ts"],
  "core/preflight/receipt.ts": ["sdk/src/verdict-types.ts"],
  // What pays only where it is asked to pay.
  "sdk/src/cred.ts": ["viem"],
  "sdk/src/preflight.ts": ["viem"],
  "sdk/src/x402.ts": ["@x402/evm", "@x402/fetch"],
  "sdk/src/mpp.ts": ["mppx"],
};

/** The folders of db/, each importing only from those before it; what all rest on comes first. Those of workers/ have the same names. */
const SUBJECTS = [
  ...["sql", "schema", "operations", "transactions", "callers", "payments", "agents", "mints", "cred", "events"],
  ...["messages", "webhooks", "directory", "income", "commerce", "reviews", "principals", "offers", "discovery"],
  ...["lists", "replicas", "snapshots"],
];

/** What starts, lists and carries the work of every subject: all that lies in workers/ itself. */
const OF_ALL_WORK = "chain-ranges context contract-reads job jobs loop main readers run steps within-time"
  .split(" ")
  .map((name) => `workers/${name}.ts`);

/** The folder of db/ or workers/ that a file is in, at any depth. */
const subjectOf = (path: string) => /^(?:db|workers)\/([\w-]+)\/.*\.ts$/.exec(path)?.[1] ?? "none";

/** Paths of files that have one name in two subjects. */
function namedTwice(sources: Source[]): string[][] {
  const byName = Map.groupBy(sources, ({ path }) => basename(path));
  return [...byName.values()]
    .map((all) => all.map(({ path }) => path))
    .filter((paths) => new Set(paths.map(subjectOf)).size > 1);
}

/**
 * Files that import each other, directly or through others: Tarjan's strongly connected components of two files or more.
 * @param imports files that each file imports; targets that are no key are left out
 */
function cyclesIn(imports: Map<string, string[]>): string[][] {
  const cycles: string[][] = [];
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const lower = (path: string, to: number) => lowest.set(path, Math.min(lowest.get(path)!, to));
  const visit = (path: string) => {
    index.set(path, index.size);
    lowest.set(path, index.get(path)!);
    stack.push(path);
    for (const target of imports.get(path)!) {
      if (!imports.has(target)) continue;
      if (!index.has(target)) {
        visit(target);
        lower(path, lowest.get(target)!);
      } else if (stack.includes(target)) lower(path, index.get(target)!);
    }
    if (lowest.get(path) !== index.get(path)) return;
    const component = stack.splice(stack.indexOf(path));
    if (component.length > 1) cycles.push(component.sort());
  };
  for (const path of imports.keys()) if (!index.has(path)) visit(path);
  return cycles;
}

describe("imports", () => {
  it.each(Object.entries(RULES))("of %s/ stay within the room's rules", (room, { any, types = [] }) => {
    const sources = inRoom(room);
    expect(sources).not.toEqual([]);
    const outside = sources
      .flatMap(({ imports }) => imports)
      .filter(({ target, typeOnly }) => !matches(target, any) && !(typeOnly && matches(target, types)))
      .filter(({ from, target }) => !matches(target, ENTRIES[from] ?? []));
    expect(outside).toEqual([]);
  });

  it("bring no package of the service into the browser, however far one follows them", () => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const reached = new Set<string>();
    const packages = new Set<string>();
    const follow = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const { target, typeOnly } of byPath.get(path)?.imports ?? []) {
        if (typeOnly) continue;
        if (byPath.has(target)) follow(target);
        else if (!target.endsWith(".css")) packages.add(`${target} in ${path}`);
      }
    };
    for (const { path } of inRoom("web/src")) follow(path);
    const pure = [...RULES["web/src"]!.any, ...RULES.core!.any];
    expect([...packages].filter((found) => !matches(found.split(" ")[0]!, pure))).toEqual([]);
    expect(reached.has("core/cred/cred.ts")).toBe(true);
  });

  it("of db/ are of its subjects in their order, and no two subjects have a file of one name", () => {
    const inDb = inRoom("db").filter(({ path }) => path.endsWith(".ts"));
    expect(inDb.filter(({ path }) => !SUBJECTS.includes(subjectOf(path))).map(({ path }) => path)).toEqual([]);
    const upwards = inDb.flatMap(({ path, imports }) =>
      imports.filter(
        ({ target }) =>
          target.startsWith("db/") && SUBJECTS.indexOf(subjectOf(target)) > SUBJECTS.indexOf(subjectOf(path)),
      ),
    );
    expect(upwards).toEqual([]);
    // The files of schema/ have the names of the subjects whose tables they hold.
    expect(namedTwice(inDb.filter(({ path }) => subjectOf(path) !== "schema"))).toEqual([]);
  });

  it("form no cycle, imports of types included", () => {
    const product = files.filter(({ path }) => !/^test\//.test(path));
    const cycles = cyclesIn(new Map(product.map(({ path, imports }) => [path, imports.map(({ target }) => target)])));
    expect(cycles).toEqual([]);
    expect(cyclesIn(new Map(Object.entries({ a: ["b"], b: ["c", "d"], c: ["a"], d: [] })))).toEqual([["a", "b", "c"]]);
  });

  it("construct clients in wiring/ only", () => {
    const constructors = files
      .flatMap(({ imports }) => imports)
      .filter(({ from }) => !/^(clients|test|harness|devnet|bench|scripts|indexer|wiring)\//.test(from))
      .filter(({ target }) => target.startsWith("clients/") && target !== "clients/ports.ts");
    expect(constructors).toEqual([]);
  });

  it("of ponder stay in the indexer: it costs 280 MB", () => {
    const users = files
      .flatMap(({ imports }) => imports)
      .filter(({ from }) => !/^((src|indexer|test|harness|bench|scripts)\/|ponder)/.test(from))
      .filter(({ target, typeOnly }) => !typeOnly && /^ponder(:|$|\.)/.test(target));
    expect(users).toEqual([]);
  });
});

describe("the support side", () => {
  const importing = (room: string, targets: RegExp, except: string[] = []) =>
    inRoom(room).flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => targets.test(target) && !except.includes(target))
        .map(({ target }) => [path, target]),
    );

  it("is harness/ beneath all, bench/ upon it, and scripts/ upon both; nothing of it rests on a test", () => {
    expect(importing("harness", /^(test|bench|scripts)\//)).toEqual([]);
    // What a benchmark measures is built first.
    expect(importing("bench", /^(test|scripts)\//, ["scripts/build.ts"])).toEqual([]);
    expect(importing("scripts", /^test\//)).toEqual([]);
  });

  it("has tests of what it judges by, and of nothing else in bench/ and scripts/", () => {
    const judged = ["discover", "events", "load", "reads", "reviews", "roots", "soak", "web"];
    const inBench = importing("test", /^bench\//).filter(
      ([, target]) => !judged.some((folder) => target!.startsWith(`bench/${folder}`)),
    );
    expect(inBench).toEqual([]);
    const inScripts = importing("test", /^scripts\//, ["scripts/build.ts"]);
    expect(inScripts.filter(([, target]) => !/^scripts\/(backfill|census)\//.test(target!))).toEqual([]);
  });

  it("computes figures, starts the service, listens and asks for what is under way in one place each", () => {
    const places = (words: RegExp) => having(words, inRooms("harness bench scripts"));
    expect(places(/\b(?:function|const) (?:quantile|median|percentile)\b/)).toEqual(["harness/figures.ts"]);
    expect(places(/\bstartProgram\(process\.execPath, command/)).toEqual(["harness/service-process.ts"]);
    // The bare server is what the service is compared with.
    const bare = "bench/reads/reference-server.ts";
    expect(places(/import [^;]*\bcreateServer\b[^;]* from "node:http"/)).toEqual(["harness/listen.ts", bare]);
    expect(places(/interval '25 hours'/)).toEqual(["harness/under-way.ts"]);
    expect(places(/\bsignTransaction\(/)).toEqual(["harness/transactions.ts"]);
  });
});

describe("workers/", () => {
  it("has the subjects of db/, and beside them only what all work rests on; no two subjects have a file of one name", () => {
    const workers = inRoom("workers");
    const outside = workers.map(({ path }) => path).filter((path) => !SUBJECTS.includes(subjectOf(path)));
    expect(outside.toSorted()).toEqual(OF_ALL_WORK);
    expect(namedTwice(workers.filter(({ path }) => !OF_ALL_WORK.includes(path)))).toEqual([]);
  });
});

describe("the network", () => {
  it("is reached through clients/ only, where limits and guards are", () => {
    const callers = files.filter(
      ({ path, text, imports }) =>
        /^(api|workers|core|db|columns|card-renderer)\//.test(path) &&
        (/\bfetch\(/.test(withoutComments(text)) ||
          imports.some(({ target, typeOnly }) => !typeOnly && /^(undici|node:(https?|net|tls|dns))/.test(target))),
    );
    expect(callers.map(({ path }) => path).filter((path) => !SERVERS.has(path))).toEqual([]);
  });
});

describe("the terminal", () => {
  const inBrowser = (words: RegExp, ...except: string[]) =>
    having(words, inRoom("web/src")).filter((path) => !except.includes(path));

  it("writes no markup from text, and runs none", () => {
    expect(
      inBrowser(/dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function/),
    ).toEqual([]);
  });

  it("calls the API in one place, follows it in one place and keeps things in one place", () => {
    // The identity provider is no part of the API.
    const calling = ["web/src/api/answer.ts", "web/src/people/provider.ts"];
    expect(inBrowser(/\bfetch\(|XMLHttpRequest|WebSocket\(/, ...calling)).toEqual([]);
    expect(inBrowser(/EventSource\(/, "web/src/api/events.ts")).toEqual([]);
    expect(inBrowser(/localStorage|sessionStorage|indexedDB|document\.cookie/, "web/src/stored.ts")).toEqual([]);
  });
});

describe("waiting for a receipt", () => {
  const rooms = inRooms("bench devnet harness test").filter(({ path }) => path !== SELF);

  it("is devnet/receipts.ts's: viem's own waits for a further block, and a development chain may make none", () => {
    const viems =
      /\bcreatePublicClient\b|\.extend\(\s*publicActions,?\s*\)(?!\s*\.extend\(receiptActions\))|import [^;]*\bwaitForTransactionReceipt\b/;
    // What a client library of others does is its own, and its stack makes blocks by the clock.
    expect(having(viems, rooms).filter((path) => !path.startsWith("harness/client-libraries/entries/"))).toEqual([]);
    expect(rooms.filter(({ text }) => text.includes(".extend(receiptActions)")).length).toBeGreaterThan(2);
  });
});

describe("files of tests", () => {
  type Project = { test: { name: string; include: string[]; exclude?: string[] } };
  const projects = config.test!.projects as unknown as Project[];
  const matchesOne = (path: string, patterns: string[] = []) => patterns.some((pattern) => matchesGlob(path, pattern));

  it("are each run by one project, so that none is left out and none runs twice", () => {
    const runBy = inRoom("test")
      .filter(({ path }) => path.endsWith(".test.ts") && !ELSEWHERE.includes(path))
      .map(({ path }) => ({
        path,
        by: projects
          .filter(({ test }) => matchesOne(path, test.include) && !matchesOne(path, test.exclude))
          .map(({ test }) => test.name),
      }));
    expect(runBy.length).toBeGreaterThan(250);
    expect(runBy.filter(({ by }) => by.length !== 1)).toEqual([]);
  });
});

describe("waiting in tests", () => {
  const tests = inRoom("test").filter(({ path }) => path !== SELF);
  const found = (rule: RegExp) =>
    tests.flatMap(({ path, text }) => [...withoutComments(text).matchAll(rule)].map(([words]) => `${path}: ${words}`));

  it("is LONG for what happens and NEVER for what does not: a number below ten seconds bounds good answers too", () => {
    const limits = "(?:timeout|max|total|headers|body|quiet|take|stall|silence|connect|wait|query)Ms";
    expect(found(new RegExp(`\\b${limits}\\??:\\s*[1-9](?:_?\\d){0,3}(?!_?\\d| \\*)`, "g"))).toEqual([]);
    // The storm takes "not yet" for an answer, and asks again.
    const short = found(/\b[A-Z]+_WAIT_MS["']?:\s*["'`][1-9]\d{0,3}["'`]/g);
    expect(short.filter((one) => !one.startsWith("test/payments/support/storm.ts: "))).toEqual([]);
    expect(found(/performance\.now\(\) - \w+\)?\.?(?:toBeLess| <)/g)).toEqual([]);
  });

  it("is bounded by what is waited for, not by a number of the test's own", () => {
    const own = /^( *)(?:it|test|deepIt|before(?:All|Each)|after(?:All|Each))\b.*\n(?:(?!\1\S).*\n)*\1\}, [\d_]+\);$/gm;
    expect(found(own)).toEqual([]);
    expect(found(/^ *(?:it|test|deepIt)\b.*\{ timeout: [\d_]+/gm)).toEqual([]);
  });

  it("looks at the test's own database: others wait on the same server", () => {
    expect(
      found(/\bfrom pg_(?:locks|stat_activity)\b(?![^`"]*(?:current_database\(\)|\]))/g).filter(
        // What readers are refused; a server of the test's own.
        (words) => !/^test\/(indexer\/(sql-guard|queries)|topologies\/parts)\b.*: from pg_stat_activity$/.test(words),
      ),
    ).toEqual([]);
  });

  it("draws random cases from the seed of the run", () => {
    expect(found(/\bseed\b[^\n]*Date\.now|Date\.now\(\) %/g)).toEqual([]);
  });
});

describe("HTTP servers of tests", () => {
  it("keep connections open that a client may use again", () => {
    const servers = [...inRoom("harness"), ...inRoom("test")].filter(
      ({ path, text }) => path !== SELF && /import [^;]*\bcreateServer\b[^;]* from "node:http"/.test(text),
    );
    const closing = servers.filter(({ text }) =>
      /(?<!typeof )\bcreateServer\((?!KEPT_ALIVE|\{ \.\.\.KEPT_ALIVE)/.test(text),
    );
    expect(closing.map(({ path }) => path)).toEqual([]);
    expect(servers.map(({ path }) => path)).toContain("harness/listen.ts");
  });
});

describe("what runs by itself", () => {
  /** Transactions a second of a service at rest, with a block a second; 0 for what runs while there is something to do. */
  const AT_REST: Record<string, number> = {
    "api/http/event-stream.ts": 0,
    "api/http/event-feed.ts": 0,
    "api/idempotency.ts": 0,
    "payments/collect.ts": 0,
    "api/server.ts": 0,
    "db/replicas/read-pool.ts": 0,
    "indexer/preload/report-nodes.ts": 0,
    "runtime/lifecycle.ts": 0,
    "workers/loop.ts": 0,
    // While a snapshot is made.
    "db/snapshots/folder.ts": 0,
    // While endpoints are asked.
    "workers/offers/own-faults.ts": 0,
    // Prices without a request: every 10 s.
    "api/payment-service.ts": 0.1,
    // Two tables without readers: every 10 s.
    "columns/live-table.ts": 0.2,
    // Blocks with changes come with their notifications; for others the state is read, every 10 s while nobody asks.
    "db/operations/index-state.ts": 0.1,
    // Every 30 s: four statements of a round without changes; two, and the next time.
    "workers/discovery/search-documents.ts": 0.13,
    "workers/webhooks/deliver.ts": 0.1,
    // Whether there is work, every 40 s; a round of the sender, once a minute.
    "workers/transactions/sender.ts": 0.18,
    // Whether there is work, and a pass, every 30 s.
    "workers/events/dispatcher.ts": 0.07,
    // When blocks are settled, every 10 s.
    "workers/events/event-log.ts": 0.13,
    // Two processes: what has moved, every 10 s; jobs that are lost, of three queues; the storage's mark.
    "workers/operations/job-moves.ts": 0.2,
    "workers/operations/queue-stores.ts": 0.3,
    "workers/run.ts": 0.1,
    // A claim and a record of all jobs once a minute, in two processes; their own statements come in addition.
    "workers/operations/schedules.ts": 0.1,
  };

  it("is listed with what it costs at rest: a new poller is a new cost", () => {
    const own = having(/\b(setInterval|runLoop|Latch)\(/, inRooms(SERVICE));
    expect(own.toSorted()).toEqual(Object.keys(AT_REST).toSorted());
    expect(Object.values(AT_REST).reduce((sum, each) => sum + each)).toBeLessThanOrEqual(5);
  });
});

describe("determinism", () => {
  it.each(["core", "src", "abis"])("%s/ has no clock, no randomness, no timers", (room) => {
    const bad =
      /\bDate\.now\b|\bnew Date\(\)|Math\.random|performance\.now|randomBytes|randomUUID|getRandomValues|setTimeout|setInterval/;
    // Ponder's server is beside the index and no part of its build.
    expect(having(bad, inRoom(room)).filter((path) => !path.startsWith("src/api/"))).toEqual([]);
  });

  it("the environment is read in config/ only", () => {
    const readers = having(/\bprocess\.env\b/, files).filter((path) => !/^(config|test|harness)\//.test(path));
    expect(readers).toEqual([]);
  });
});

describe("readers", () => {
  it("know the index by its views only, never by a schema of the indexer's own", () => {
    expect(having(/["'`\s]index_[a-z0-9]*_?\w*\./, inRooms("api workers db core"))).toEqual([]);
  });
});

describe("SQL", () => {
  const product = inRooms(SERVICE);

  it("is declared with its types: db/sql/statement.ts alone runs a statement that the query builder did not write", () => {
    const untyped = having(/(?<!\breq)\.query[<(]|\.execute\(\s*(sql`|["'`])/, product);
    expect(untyped.filter((path) => !WITHOUT_ROWS.has(path))).toEqual([]);
  });

  it("gives each declared statement a name of its own: two of one name end every process at its start", () => {
    const names = product.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(?:statement|family)(?:<[^()]*>)?\(\{\s*name: "([^"]+)"/g)].map(([, name]) => ({
        name,
        path,
      })),
    );
    const twice = Map.groupBy(names, ({ name }) => name)
      .values()
      .filter((same) => same.length > 1);
    expect([...twice].map((same) => `${same[0]!.name}: ${same.map(({ path }) => path).join(", ")}`)).toEqual([]);
    expect(names.length).toBeGreaterThan(250);
  });

  it("leaves to one place which server a request reads from: a route uses the pool it is given", () => {
    const own = ["api/deps.ts", "api/handler-deps.ts", "api/app.ts", "api/request-handler.ts"];
    // They show, and judge, the servers that reads use.
    own.push("api/routes/health.ts");
    const choosing = having(/\breplicas\b|\breadDeps\b|\bdepsForReads\b/, inRoom("api"));
    expect(choosing.filter((path) => !own.includes(path))).toEqual(["api/schemas/operator.ts"]);
    const openers = files.filter(({ path, imports }) =>
      imports.some(
        ({ target, typeOnly }) =>
          !typeOnly && target.startsWith("db/replicas/") && !/^(test|bench|db\/replicas)\//.test(path),
      ),
    );
    expect(openers.map(({ path }) => path)).toEqual(["wiring/connections.ts"]);
  });

  it("runs on connections that db/sql/connect.ts makes: they read an int8 as a number", () => {
    const makers = having(/new pg\.(Pool|Client)\(/, files);
    expect(makers.filter((path) => path !== SELF)).toEqual([]);
  });
});

describe("texts of strangers", () => {
  it("are normalised in one place, which bounds what that costs", () => {
    const product = inRooms(`${SERVICE} card-renderer clients core doctor sdk src web`);
    expect(having(/\.normalize\(/, product)).toEqual(["core/normal-form.ts"]);
  });
});

describe("files", () => {
  /** Tests are as long as what they tell. */
  const product = files.filter(({ path }) => !/^test\//.test(path));

  it("are read by Node as they stand, whose reader of types refuses some of what the compiler takes", () => {
    for (const { path, text } of files.filter(({ path }) => path.endsWith(".ts")))
      expect(() => stripTypeScriptTypes(text), path).not.toThrow();
  });

  it("open with a sentence on what they own", () => {
    const bare = files.filter(({ text }) => !/^(#!.*\n)?\/\*\*\s*\S/.test(text)).map(({ path }) => path);
    expect(bare.filter((path) => !path.endsWith(".d.ts"))).toEqual([]);
  });

  it("of tests lie where harness/scratch.ts put them: what a killed run left is removed by its name", () => {
    const makers = having(/\bmkdtemp(Sync)?\(/, inRooms("bench harness test"));
    expect(makers).toEqual(["harness/scratch.ts", "test/runtime/scratch.test.ts"]);
  });

  it("are of a size a reader can hold", () => {
    const long = product.filter(({ path, lines }) => lines > MAX_FILE_LINES && !LONG.has(path));
    expect(long.map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  it("have no function that a reader must scroll through", () => {
    const long = product.flatMap(({ path, text }) =>
      functionsOf(path, text)
        .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
        .map(({ line, lines }) => `${path}:${line}: ${lines} lines`),
    );
    expect(long).toEqual([]);
  });

  it("take the numbers of advisory locks from one list, each once", () => {
    const numbers = Object.values(ADVISORY_LOCKS);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(having(/\b(7_?401_?0\d\d|4_?411_?972)\b/, files)).toEqual(["db/sql/locks.ts"]);
    const inTriggers = `(${ADVISORY_LOCKS.credHistory}::int8 << 40)`;
    expect(readFileSync(join(ROOT, "db/triggers.sql"), "utf8")).toContain(inTriggers);
  });

  it("are named by the thing or the verb, in kebab-case", () => {
    const odd = files.filter(({ path }) => {
      const name = basename(path).replace(/(\.deep|\.nightly)?(\.test|\.schema|\.config)?(\.d)?\.tsx?$/, "");
      return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || /^(utils?|helpers?|common|manager|misc|shared)$/.test(name);
    });
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  it("name commands that run on the Node that npm installs: an older one of the host loads no TypeScript", () => {
    const patterns = ["*.md", "{docs/**,sdk,examples,test/**,harness/**}/*.md", "examples/*.ts"];
    const pages = globSync(patterns, { cwd: ROOT }).filter((path) => !path.includes("node_modules"));
    const commands = pages.flatMap(
      (path) => readFileSync(join(ROOT, path), "utf8").match(/(?:npx )?\bnode [\w./-]+\.ts\b/g) ?? [],
    );
    expect(commands.length).toBeGreaterThan(9);
    expect(commands.filter((command) => !command.startsWith("npx "))).toEqual([]);
  });

  it("ask nothing of the Node that npm itself runs on but what package.json does: npm would warn for each package", () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
    const asking = Object.keys(packages).filter((path) => packages[path].engines);
    expect(asking).toEqual([""]);
    // A workspace asks too. The client library names the Node it runs on, which is no newer than the project's own by much.
    const { engines } = JSON.parse(readFileSync(join(ROOT, "sdk/package.json"), "utf8"));
    expect(engines).toEqual({ node: ">=20.3" });
  });

  it("name the digest of every package that npm installs", () => {
    for (const lock of ["package-lock.json", "harness/client-libraries/packages/package-lock.json"]) {
      const { packages } = JSON.parse(readFileSync(join(ROOT, lock), "utf8"));
      const installed = Object.keys(packages).filter((path) => path.includes("node_modules/") && !packages[path].link);
      expect(installed.length).toBeGreaterThan(100);
      expect(installed.filter((path) => !/^sha512-/.test(packages[path].integrity))).toEqual([]);
    }
  });

  it("hold nothing unfinished, and tests leave nothing out", () => {
    const marks = /\b(TODO|FIXME|XXX|HACK)\b/;
    const left = /\b(it|test|describe|deepIt|deepDescribe)\.(only|skip|todo|fails|skipIf)\b/;
    expect(
      files.filter(({ path, text }) => path !== SELF && (marks.test(text) || left.test(text))).map(({ path }) => path),
    ).toEqual([]);
  });
});

/** Where plain statements run that have no rows: begin and commit, DDL, LISTEN, SET. */
const WITHOUT_ROWS = new Set([
  "db/sql/statement.ts",
  "db/sql/connect.ts",
  "db/sql/transaction.ts",
  // Passes on what a statement says.
  "db/sql/read-route.ts",
  "db/sql/batches.ts",
  "db/schema/migrate.ts",
  // DDL of an index and a function.
  "db/schema/meaning-index.ts",
  "db/sql/notifications.ts",
  "db/operations/index-state.ts",
  // Begin, LISTEN and COPY; the statements with rows are their sources', in db/lists.
  "columns/follow-connection.ts",
  "columns/build-table.ts",
  "columns/copy-rows.ts",
  // DDL of views, copies and triggers; the statements with rows are declared.
  "indexer/views.ts",
  // Runs the statements of readers, on Ponder's own pool.
  "indexer/preload/reader-queries.ts",
]);

/** They listen, read addresses, write to the pipe of their parent, or write programs for others; one dials the database. */
const SERVERS = new Set([
  "db/sql/server-connection.ts",
  ...["api/server.ts", "api/http/client-network.ts", "columns/load-process.ts"],
  "core/request-samples.ts",
]);

/** Max lines of a file of the product: beyond it a file is two things. The median is below a hundred. */
const MAX_FILE_LINES = 350;
/** Max lines of a function of the product, docstring not included. */
const MAX_FUNCTION_LINES = 80;
/** Lists that are long because what they list is. */
const LONG = new Set([...["sdk/src/openapi.ts", "ponder.schema.ts", "bench/discover/tasks.ts"]]);
/** Every function of a file with its first line and its number of lines. */
function functionsOf(path: string, text: string): { line: number; lines: number }[] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset) + 1;
  const found: { line: number; lines: number }[] = [];
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== "object") return;
    if (
      "type" in node &&
      /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(String(node.type))
    ) {
      const { start, end } = node as unknown as { start: number; end: number };
      found.push({ line: lineAt(start), lines: lineAt(end) - lineAt(start) + 1 });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(path, text).program);
  return found;
}
