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
export async function inProject<T>(
  files: Record<string, string>,
  use: (run: Run, folder: string) => Promise<T>,
): Promise<T> {
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

export const bin = (name: string) => join(MODULES, ".bin", name);
const documentOf = ({ apiUrl }: World) => `${apiUrl}/api/v2/openapi.json`;

export const TSCONFIG = JSON.stringify({
  compilerOptions: {
    ...{ strict: true, noUncheckedIndexedAccess: true, noImplicitOverride: true, skipLibCheck: false },
    ...{ target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [] },
    ...{ module: "ESNext", moduleResolution: "Bundler", allowImportingTsExtensions: true, noEmit: true },
  },
  include: ["**/*.ts"],
});

type Parameter = { $ref?: string; name: string; in: string; schema: object };
type PathItem = Record<string, { parameters?: Parameter[] }>;
type Document = { paths: Record<string, PathItem>; components: { parameters?: Record<string, Parameter> } };

/**
 * Kiota makes one tree of all paths, in which a segment is one member with one name and one type: two operations that
 * differ in the name or the schema of a parameter at the same place are merged into one, or refused.
 * @returns the places where they differ
 */
function mergedSegments({ paths, components }: Document): string[] {
  const at = new Map<string, Set<string>>();
  for (const [path, item] of Object.entries(paths)) {
    const given = Object.values(item).flatMap(({ parameters }) => parameters ?? []);
    const known = given.map((each) => (each.$ref ? components.parameters![each.$ref.split("/").at(-1)!]! : each));
    let place = "";
    for (const segment of path.split("/").slice(1)) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1];
      place += `/${name === undefined ? segment : "{}"}`;
      if (name === undefined) continue;
      const schemas = known.filter((each) => each.in === "path" && each.name === name).map(({ schema }) => schema);
      const ways = at.get(place) ?? new Set();
      for (const schema of schemas) ways.add(`${name} ${JSON.stringify(schema)}`);
      at.set(place, ways);
    }
  }
  return [...at].filter(([, ways]) => ways.size > 1).map(([place, ways]) => `${place}: ${[...ways].join(" or ")}`);
}

/** A program that asks for an agent. */
const program = (imports: string, ask: string) => `${imports}
declare const process: { argv: string[] };
const [, , baseUrl = "", ref = ""] = process.argv;
${ask}
console.log(agent.name, agent.tokenId === Number(ref), agent.personality?.humor ?? "");
`;
/** It does not compile where the types forget that a profile may be null. */
const NO_PROFILE = `// @ts-expect-error There may be none.
const profile: { humor: string } = agent.personality;`;

const reads = (of: string, run: (world: World) => Promise<string>): Client => ({
  ...{ package: of, timeoutMs: TIMEOUT_MS, run },
});

/** Has a generator write its code into the folder of a program that uses it, compiles both and runs the program. */
const generates = (
  of: string,
  files: (world: World) => Record<string, string>,
  generate: (run: Run, document: string) => Promise<unknown>,
): Client =>
  reads(of, (world) => {
    const project = { ...files(world), "tsconfig.json": TSCONFIG, "package.json": '{"type":"module"}' };
    return inProject(project, async (run, folder) => {
      await generate(run, documentOf(world));
      await run(bin("tsc"), "-p", ".");
      const said = await run(join(folder, "use.ts"), world.apiUrl, String(world.agent));
      assert.match(said, /^First true/);
      return "its code compiles under strict and reads an agent";
    });
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
  generates(
    "openapi-typescript",
    () => ({
      "use.ts": program(
        'import createClient from "openapi-fetch";\nimport type { paths } from "./api.ts";',
        `const client = createClient<paths>({ baseUrl });
const { data: agent } = await client.GET("/api/v2/agent/{ref}", { params: { path: { ref } } });
if (!agent) throw new Error("no agent");
${NO_PROFILE}`,
      ),
    }),
    (run, document) => run(bin("openapi-typescript"), document, "-o", "api.ts"),
  ),
  generates(
    "@hey-api/openapi-ts",
    (world) => ({
      // Its client holds every answer to the document.
      "openapi-ts.config.mjs": `export default ${JSON.stringify({
        input: documentOf(world),
        output: { path: "api", module: { extension: ".ts" } },
        plugins: ["@hey-api/client-fetch", "zod", { name: "@hey-api/sdk", validator: true }],
      })};`,
      "use.ts": program(
        'import { client } from "./api/client.gen.ts";\nimport { getAgent } from "./api/sdk.gen.ts";',
        `client.setConfig({ baseUrl });
const { data: agent } = await getAgent({ path: { ref }, throwOnError: true });
${NO_PROFILE}`,
      ),
    }),
    (run) => run(bin("openapi-ts"), "--no-log-file"),
  ),
  generates(
    "orval",
    (world) => ({
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
const agent = answer.data;
${NO_PROFILE}`,
      ),
    }),
    (run) => run(bin("orval"), "--config", "orval.config.mjs"),
  ),
  // It reads the null of a reference as never, so that its types forget it.
  generates(
    "@kubb/cli",
    (world) => ({
      "kubb.config.mjs": `import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
export default {
  input: { path: ${JSON.stringify(documentOf(world))} },
  output: { path: "./api", extension: { ".ts": ".ts" } },
  plugins: [
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: "types" } }),
    pluginClient({ output: { path: "clients" }, client: "fetch", bundle: true, baseURL: ${JSON.stringify(world.apiUrl)} }),
  ],
};`,
      "use.ts": program('import { getAgent } from "./api/clients/getAgent.ts";', "const agent = await getAgent(ref);"),
    }),
    (run) => run(bin("kubb"), "generate", "--config", "kubb.config.mjs"),
  ),
  {
    name: "Kiota's tree of paths",
    package: null,
    async run(world) {
      const document = (await (await fetch(documentOf(world))).json()) as Document;
      assert.deepEqual(mergedSegments(document), []);
      return `each segment of ${Object.keys(document.paths).length} paths has one name and one schema`;
    },
  },
];
