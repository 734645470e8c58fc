/** What reads the OpenAPI document: linters by their recommended rules, and generators, whose code is type-checked strictly and then run. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { LONG } from "../../patience.ts";
import { scratchDirectory } from "../../scratch.ts";
import { type Client, PACKAGES } from "../client.ts";
import type { World } from "../world.ts";

const MODULES = join(PACKAGES, "node_modules");
/** For reading a document of 12,000 lines, and for the types of 90 operations. */
const TIMEOUT_MS = 4 * LONG;

/** A folder that finds the packages, as a user's project does. */
async function inProject<T>(files: Record<string, string>, use: (run: Run, folder: string) => Promise<T>): Promise<T> {
  const folder = scratchDirectory("openapi");
  try {
    await symlink(MODULES, join(folder, "node_modules"), "junction");
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return await use((program, ...args) => run(folder, program, args), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Run = (program: string, ...args: string[]) => Promise<string>;

/** @throws Error with what it printed when it does not end well */
async function run(cwd: string, program: string, args: string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" };
  try {
    return (await promisify(execFile)(process.execPath, [program, ...args], { cwd, env, maxBuffer: 64e6 })).stdout;
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${program.split("/").at(-1)}: ${`${stdout}${stderr}`.slice(0, 2_000) || message}`);
  }
}

const bin = (name: string) => join(MODULES, ".bin", name);
const documentOf = ({ apiUrl }: World) => `${apiUrl}/api/v2/openapi.json`;

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ strict: true, noUncheckedIndexedAccess: true, noImplicitOverride: true, skipLibCheck: false },
    ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [] },
    ...{ module: "ESNext", moduleResolution: "Bundler", allowImportingTsExtensions: true, noEmit: true },
  },
  include: ["**/*.ts"],
});

/** A program that asks for an agent; it does not compile where the types forget that a profile may be null. */
const program = (imports: string, ask: string) => `${imports}
declare const process: { argv: string[] };
const [, , baseUrl = "", ref = ""] = process.argv;
${ask}
// @ts-expect-error There may be none.
const profile: { humor: string } = agent.personality;
console.log(agent.name, agent.tokenId === Number(ref), profile?.humor ?? "");
`;

/** Has a generator write its code into the folder of a program that uses it, compiles both and runs the program. */
async function generates(world: World, files: Record<string, string>, generate: (run: Run) => Promise<unknown>) {
  return inProject(
    { ...files, "tsconfig.json": TSCONFIG, "package.json": '{"type":"module"}' },
    async (run, folder) => {
      await generate(run);
      await run(bin("tsc"), "-p", ".");
      const said = await run(join(folder, "use.ts"), world.apiUrl, String(world.agent));
      assert.match(said, /^First true/);
      return "its code compiles under strict and reads an agent";
    },
  );
}

const reads = (of: string, run: (world: World) => Promise<string>): Client => ({
  ...{ package: of, timeoutMs: TIMEOUT_MS, run },
});

export const OPENAPI_CLIENTS: Client[] = [
  reads("@redocly/cli", (world) =>
    inProject({}, async (run) => {
      // Its warnings are errors here. One rule refuses what is served at localhost, as all of this is.
      const rules = ["--extends=recommended-strict", "--skip-rule=no-server-example.com"];
      await run(bin("redocly"), "lint", documentOf(world), ...rules);
      return "finds nothing by its recommended rules";
    }),
  ),
  reads("@stoplight/spectral-cli", (world) =>
    inProject({ ".spectral.yaml": "extends: spectral:oas\n" }, async (run) => {
      await run(bin("spectral"), "lint", "--fail-severity=hint", documentOf(world));
      return "finds nothing by its recommended rules";
    }),
  ),
  reads("openapi-typescript", (world) =>
    generates(
      world,
      {
        "use.ts": program(
          'import createClient from "openapi-fetch";\nimport type { paths } from "./api.ts";',
          `const client = createClient<paths>({ baseUrl });
const { data: agent } = await client.GET("/api/v2/agent/{ref}", { params: { path: { ref } } });
if (!agent) throw new Error("no agent");`,
        ),
      },
      (run) => run(bin("openapi-typescript"), documentOf(world), "-o", "api.ts"),
    ),
  ),
  reads("@hey-api/openapi-ts", (world) =>
    generates(
      world,
      {
        // Its client holds every answer to the document.
        "openapi-ts.config.mjs": `export default ${JSON.stringify({
          input: documentOf(world),
          output: { path: "api", module: { extension: ".ts" } },
          plugins: ["@hey-api/client-fetch", "zod", { name: "@hey-api/sdk", validator: true }],
        })};`,
        "use.ts": program(
          'import { client } from "./api/client.gen.ts";\nimport { getAgent } from "./api/sdk.gen.ts";',
          `client.setConfig({ baseUrl });
const { data: agent } = await getAgent({ path: { ref }, throwOnError: true });`,
        ),
      },
      (run) => run(bin("openapi-ts"), "--no-log-file"),
    ),
  ),
  reads("orval", (world) =>
    generates(
      world,
      {
        "orval.config.mjs": `export default ${JSON.stringify({
          api: {
            input: documentOf(world),
            output: { target: "api.ts", mode: "single", client: "fetch", baseUrl: world.apiUrl },
          },
        })};`,
        "use.ts": program(
          'import { getAgent } from "./api.ts";',
          `const answer = await getAgent(ref);
if (answer.status !== 200) throw new Error("no agent");
const agent = answer.data;`,
        ),
      },
      (run) => run(bin("orval"), "--config", "orval.config.mjs"),
    ),
  ),
];
