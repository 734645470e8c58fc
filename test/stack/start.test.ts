/** `npm start`: what it refuses, what it keeps, and that it leaves nothing behind. */
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import { dataDir } from "../../devnet/data-dir.ts";
import { isAlive } from "../../devnet/start-program.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { commandLine, processesBelow } from "../../harness/running-processes.ts";
import { runStart, type Stack, startStack } from "../../harness/stack.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { entryOf } from "../../runtime/processes.ts";
import { folderOfTest } from "../support/folders.ts";
import { patientFetch } from "../support/patient-fetch.ts";
import { isDeep } from "../support/share.ts";
import { endedPerTest } from "../support/started.ts";

/** What an operator gets who sets no phase. */
const DEFAULT_PHASE = { PRICING_PHASE: "" };

const ended = endedPerTest();
const emptyDirectory = () => folderOfTest("start in a path with blanks", { onDisk: true });

const descendants = (pid: number): { pid: number; command: string }[] =>
  processesBelow(pid)
    .slice(1)
    .map((child) => ({ pid: child, command: commandLine(child) }));

describe("a start that cannot work", () => {
  it("says in one sentence that the port is taken, ends with 1 and leaves nothing running", async () => {
    const port = await freePort();
    const squatter = await new Promise<Server>((done) => {
      const server = createServer().listen(port, "0.0.0.0", () => done(server));
    });
    ended(squatter);
    const directory = emptyDirectory();
    const run = await runStart({ directory, env: { PORT: String(port) } });
    expect(await run.ended).toBe(1);
    expect(run.output()).toContain(`Port ${port} is taken`);
    expect(run.output()).not.toMatch(/\n\s+at /);
    expect(existsSync(dataDir(directory).supervisor)).toBe(false);
  });

  it("names every bad variable", async () => {
    const run = await runStart({ directory: emptyDirectory(), env: { BLOCK_TIME: "soon", PRICING_PHASE: "later" } });
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/BLOCK_TIME .*\n.*PRICING_PHASE /);
  });
});

it("asks for money on another's chain only for addresses that were named", async () => {
  const env = { RPC_URL: "http://127.0.0.1:9", ...DEFAULT_PHASE };
  const run = await runStart({ directory: emptyDirectory(), env });
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain("PRICING_PHASE is paid: set PAY_TO_DEPLOYER and PAY_TO_TREASURY");
});

describe("a running stack", () => {
  it("keeps its data over a restart, restarts what crashes, and ends with everything it started", async () => {
    // A path with a space on purpose.
    const directory = emptyDirectory();
    const options = { directory, env: { BLOCK_TIME: "0.3", MINT_WAIT_MS: "120000", ...DEFAULT_PHASE } };
    let stack: Stack = await startStack(options);
    ended(() => stack.remove());
    const api = () => stack.devnet.apiUrl;

    const second = await runStart({ directory });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("already running");

    // Registration costs 1 USDC unless the operator says otherwise, and the accounts of devnet.json can pay for it.
    const { privateKey } = stack.devnet.accounts[0]!;
    const wallet = agentWallet({ host: new URL(api()).host, privateKey });
    const mint = async (how: typeof fetch) =>
      how(`${api()}/api/v2/mint`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: await wallet.siwa() },
        body: JSON.stringify({ name: "Keeper" }),
      });
    expect(await (await patientFetch(`${api()}/api/v2/pricing`)).json()).toMatchObject({
      phase: "paid",
      agentMint: "1.00",
    });
    expect((await mint(patientFetch)).status).toBe(402);
    const payer = new x402Client().setSpendControls(false);
    payer.register("eip155:8453", new ExactEvmScheme(privateKeyToAccount(privateKey)));
    const created = await mint(wrapFetchWithPayment(patientFetch, payer));
    expect(created.status).toBe(201);
    expect(created.headers.get("payment-response")).not.toBeNull();
    const { tokenId } = (await created.json()) as { tokenId: number };

    const listed = await (await patientFetch(`${api()}/api/v2/agents?search=keeper`)).json();
    expect(listed).toMatchObject({ total: 1, agents: [{ tokenId, name: "Keeper" }] });
    const log = () => readFileSync(join(dataDir(directory).logs, "api.log"), "utf8");
    await until("lists are answered from memory", () => log().includes("loaded into memory"));
    expect(stack.output()).toContain(`${stack.devnet.indexUrl}/graphql`);
    await until("GraphQL knows the agent", async () => {
      const response = await fetch(`${stack.devnet.indexUrl}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "{ agents { items { tokenId name } } }" }),
      });
      return (await response.text()).includes('"name":"Keeper"');
    });

    await fetch(`${stack.devnet.simulatorUrl}/_control/x/users/keeper`, {
      method: "PUT",
      body: JSON.stringify({ id: "1", description: `helixa:${tokenId}` }),
    });
    const proven = await patientFetch(`${api()}/api/v2/agent/${tokenId}/verify/x`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: await wallet.siwa() },
      body: JSON.stringify({ handle: "keeper" }),
    });
    expect(await proven.json()).toMatchObject({ success: true, trait: "x-verified" });

    const apiPid = descendants(stack.process.pid!).find(({ command }) => command.includes(entryOf("api")))!.pid;
    process.kill(apiPid, "SIGKILL");
    await until("the API is back", async () => (await fetch(`${api()}/ready`)).ok && !isAlive(apiPid));

    const family = descendants(stack.process.pid!);
    expect(family.length).toBeGreaterThanOrEqual(5);
    expect(await stack.stop()).toBe(0);
    await until("every process has ended", () => family.every(({ pid }) => !isAlive(pid)));
    expect(existsSync(dataDir(directory).devnet)).toBe(false);

    stack = await startStack(options);
    const kept = await patientFetch(`${api()}/api/v2/agent/${tokenId}`);
    expect(await kept.json()).toMatchObject({ tokenId, name: "Keeper", agentAddress: wallet.address });

    // The simulators know the account still: its proof is confirmed, not lapsed.
    const restartedAt = Date.now();
    await until("the proof is looked at again", async () => {
      const { x } = (await (await patientFetch(`${api()}/api/v2/agent/${tokenId}/verifications`)).json()) as {
        x: { status: string; checkedAt: string };
      };
      return Date.parse(x.checkedAt) > restartedAt && x.status;
    }).then((status) => expect(status).toBe("verified"));

    if (!isDeep()) return;
    // The supervisor itself is killed: what it started follows, and the next start finds database and chain whole.
    const orphans = descendants(stack.process.pid!);
    const commands = orphans.map(({ command }) => command).join("\n");
    for (const name of ["api", "workers", "indexer", "simulators", "ponder", "postgres", "anvil"])
      expect(commands).toContain(name);
    stack.process.kill("SIGKILL");
    await until("everything that it started has ended", () => orphans.every(({ pid }) => !isAlive(pid)));
    stack = await startStack(options);
    expect((await patientFetch(`${api()}/api/v2/agent/${tokenId}`)).status).toBe(200);

    // Who read what it prints has gone, and it has something to print.
    const all = descendants(stack.process.pid!);
    const code = new Promise((exited) => stack.process.once("exit", exited));
    for (const output of [stack.process.stdout!, stack.process.stderr!]) output.destroy();
    process.kill(all.find(({ command }) => command.includes(entryOf("api")))!.pid, "SIGKILL");
    expect(await code).toBe(0);
    await until("every process has ended", () => all.every(({ pid }) => !isAlive(pid)));
  });
});
