/** The SDK as a package: built, packed, unpacked elsewhere, imported and type-checked there, without a network. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { folderPerFile } from "../support/folders.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TSC = join(ROOT, "sdk/node_modules/typescript/bin/tsc");
const MODULES = join(ROOT, "node_modules");

const LEFT_OUT =
  /(^|[\\/])(node_modules|dist|\.git|\.data|\.ponder|generated|gate-log)([\\/]|$)|sdk[\\/]src[\\/]openapi\.ts$/;

const directory = folderPerFile("sdk-package");
/** Where somebody has installed it, with the packages that it names. */
const project = join(directory, "project");
const installed = join(project, "node_modules/agent-cred-sdk");

const run = async (file: string, args: string[], cwd: string) =>
  (await promisify(execFile)(file, args, { cwd, env: { PATH: `${join(MODULES, ".bin")}:${process.env.PATH}` } }))
    .stdout;

beforeAll(async () => {
  // A fresh clone, as far as its files go: nothing generated, nothing built. What npm installs is shared.
  const tree = join(directory, "tree");
  const source = join(tree, "sdk");
  cpSync(ROOT, tree, { recursive: true, filter: (path) => !LEFT_OUT.test(path.slice(ROOT.length)) });
  symlinkSync(join(ROOT, "sdk/node_modules"), join(source, "node_modules"));
  symlinkSync(MODULES, join(tree, "node_modules"));
  await run("npm", ["pack", "--offline", "--loglevel", "error", "--pack-destination", directory], source);
  const [tarball] = readdirSync(directory).filter((name) => name.endsWith(".tgz"));
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", join(directory, tarball!), "-C", installed, "--strip-components", "1"], directory);
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    mkdirSync(join(project, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(MODULES, name), join(project, "node_modules", name));
  }
});

it("holds what is needed and nothing else", () => {
  expect(readdirSync(installed).toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  const built = readdirSync(join(installed, "dist"));
  const sources = readdirSync(join(ROOT, "sdk/src")).map((name) => name.replace(/\.ts$/, ""));
  expect(built.toSorted()).toEqual(sources.flatMap((name) => [`${name}.d.ts`, `${name}.js`]).toSorted());
  for (const name of built.filter((file) => file.endsWith(".js")))
    expect(readFileSync(join(installed, "dist", name), "utf8")).not.toMatch(/from "[^"]*\.ts"|from "node:|process\./);
});

it("is imported from where it is installed", async () => {
  writeFileSync(
    join(project, "use.mjs"),
    `import { ApiError, createClient } from "agent-cred-sdk";
     import { mpp } from "agent-cred-sdk/mpp";
     import { paymentRequired } from "agent-cred-sdk/seller";
     import { verifyWebhook } from "agent-cred-sdk/webhooks";
     import { x402 } from "agent-cred-sdk/x402";
     const fetch = async () => Response.json({ error: "None.", code: "not_found", requestId: "r" }, { status: 404 });
     const client = createClient({ baseUrl: "https://agents.example", fetch, pay: mpp({ methods: [] }) });
     const error = await client.get("/api/v2/stats").catch((error) => error);
     console.log(error instanceof ApiError, error.code, typeof x402({ address: "0x" }), typeof verifyWebhook, typeof paymentRequired);`,
  );
  expect(await run(process.execPath, ["use.mjs"], project)).toBe("true not_found function function function\n");
});

it("is typed where it is installed", async () => {
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(project, "use.ts"),
    `import { createClient, type Schemas } from "agent-cred-sdk";
     import { createWalletClient, http } from "viem";
     import { privateKeyToAccount } from "viem/accounts";
     import { base } from "viem/chains";

     const account = privateKeyToAccount("0x01");
     const client = createClient({ baseUrl: "x", wallet: createWalletClient({ account, chain: base, transport: http() }) });
     createClient({ baseUrl: "x", wallet: account });
     const agent: Schemas["Agent"] = await client.get("/api/v2/agent/{ref}", { params: { path: { ref: "0" } } });
     const registered = await client.post("/api/v2/mint", { body: { name: "Ada" } });
     const tokenId: number | undefined = "mintId" in registered ? undefined : registered.tokenId;
     const csv: string = await client.get("/api/terminal/agents.csv", { parseAs: "text" });
     for await (const { credScore } of client.agents({ sort: "credScore" })) credScore satisfies number;
     for await (const { data } of client.events({ types: ["cred.changed"] })) data.tokenId satisfies number | null;
     // @ts-expect-error a required parameter is missing
     await client.get("/api/v2/agent/{ref}");
     // @ts-expect-error there is no such parameter
     await client.get("/api/v2/agents", { params: { query: { sorted: "name" } } });
     // @ts-expect-error there is no such member
     await client.post("/api/v2/mint", { body: { name: "Ada", nickname: "A" } });
     // @ts-expect-error nothing is posted there
     await client.post("/api/v2/stats");
     // @ts-expect-error there is no such event
     client.events({ types: ["cred.vanished"] });
     console.log(agent.name, tokenId, csv);`,
  );
  const options = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, types: [] },
    ...{ module: "nodenext", target: "es2023", lib: ["es2023", "dom", "dom.asynciterable"] },
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }));
  // What it complains about is on its standard output.
  const complaints = await run(process.execPath, [TSC], project).catch(({ stdout }) => stdout);
  expect(complaints).toBe("");
});
