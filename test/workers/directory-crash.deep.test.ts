/** A pull that is killed after every page it takes in comes through all the same: rows as its source has them, none twice. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { simulatedUpstreams } from "../../devnet/simulators/upstreams.ts";
import { entryOf } from "../../runtime/processes.ts";
import { perFile } from "../support/started.ts";
import { registryWorld } from "./support/registries.ts";

const root = join(import.meta.dirname, "../..");
/** Two pages. */
const COUNT = 130;

const world = perFile(() => registryWorld({ registered: COUNT }));

/** One `npm run pull`. @returns how it ended, and what it said */
async function run(
  source: string,
  faultPoint?: string,
): Promise<{ signal: string | null; code: number | null; said: string }> {
  const child = spawn(process.execPath, [entryOf("pull"), source], {
    cwd: root,
    env: {
      ...simulatedUpstreams(world.simulators.url),
      DATABASE_URL: world.db.url,
      // Nothing of a pull asks the chain.
      RPC_URL: "http://127.0.0.1:9",
      DATA_DIR: "/nonexistent",
      ...(faultPoint && { FAULT_POINT: faultPoint }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const [code, signal] = await once(child, "exit");
  return { code, signal, said };
}
const killed = { signal: "SIGKILL", code: null };

it("from the stored cursor of a registry", async () => {
  await world.plant("virtuals", { generate: COUNT });
  for (const rows of [100, COUNT]) {
    expect(await run("virtuals", "pull.page")).toMatchObject(killed);
    expect(await world.rows("virtuals")).toHaveLength(rows);
  }
  expect(await run("virtuals", "pull.page")).toMatchObject({
    code: 0,
    said: expect.stringMatching(/^virtuals: 0 rows changed in [\d.]+ s\.\n$/),
  });
  expect(await world.rows("virtuals")).toEqual(await world.truth("virtuals"));
});

it("from what is missing of the ERC-8004 agents", async () => {
  expect(await run("erc8004", "pull.erc8004")).toMatchObject(killed);
  expect(await world.rows("8004scan")).toHaveLength(100);
  expect(await run("erc8004")).toMatchObject({ code: 0 });
  const rows = await world.rows("8004scan");
  expect(new Set(rows.map(({ agentId }) => agentId)).size).toBe(COUNT);
});
