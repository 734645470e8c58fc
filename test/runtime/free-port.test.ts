/** Ports for processes that are yet to start: no two processes are given the same one. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { startProgram } from "../../devnet/start-program.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";

/** So many of two processes meet seven times where neither minds the other. */
const PORTS = 200;

const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => void child.kill()));

/** The ports that a process was given, which goes on running. */
async function givenToAnother(): Promise<number[]> {
  const module = pathToFileURL(join(PROJECT_ROOT, "runtime/free-port.ts")).href;
  const script = `
    import { freePort } from ${JSON.stringify(module)};
    const ports = [];
    while (ports.length < ${PORTS}) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    setInterval(() => {}, 60_000);`;
  const child = startProgram(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout! }), "line");
  return JSON.parse(line);
}

it("are given to one process alone, and those next to them to none", async () => {
  const ports = (await Promise.all([givenToAnother(), givenToAnother()])).flat();
  expect(ports).toHaveLength(2 * PORTS);
  expect(new Set(ports).size).toBe(2 * PORTS);
  const taken = new Set(ports);
  expect(ports.filter((port) => [1, 2, 3].some((next) => taken.has(port + next)))).toEqual([]);
});
