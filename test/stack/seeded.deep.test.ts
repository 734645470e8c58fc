/** `npm start` as a newcomer runs it, with nothing set: a world that has paid for itself, and examples that pay. */
import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { credGateAbi } from "../../abis/cred-roots.ts";
import { INDEXES, plainWays, type Way } from "../../bench/discover/plain-ways.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import type { CredLeaf } from "../../core/cred/tree/leaf.ts";
import { OWN_PLATFORM } from "../../core/directory/platforms.ts";
import { openClient, openPool } from "../../db/sql/connect.ts";
import { dataDir } from "../../devnet/data-dir.ts";
import { REGISTRY_SIMULATORS } from "../../devnet/simulators/upstreams.ts";
import { WORLD } from "../../devnet/world.ts";
import { testChain } from "../../harness/agent-wallet.ts";
import { snippetOf } from "../../harness/doc-snippets.ts";
import { type Stack, startStack } from "../../harness/stack.ts";
import { until } from "../../harness/until.ts";
import { specificationOnTheStack } from "../specification/specification.ts";
import { folderOfTest } from "../support/folders.ts";
import { patientFetch } from "../support/patient-fetch.ts";
import { flowsOnTheStack, questionsOnTheStack } from "../web/on-the-stack.ts";
import { pagesOfTheTerminal } from "../web/pages.ts";
import { referenceOnTheStack } from "../web/reference.ts";
import {
  judgeSeeded,
  plantPlainText,
  SEEDED_QUESTIONS,
  SEEDED_SPAM,
  type SeededRow,
  seededTable,
} from "./cases/seeded-questions.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ args: [], env: { PRICING_PHASE: "" } });
});
afterAll(() => stack?.remove());

const get = async (path: string) => (await (await patientFetch(stack.devnet.apiUrl + path)).json()) as never;

const run = async (example: string, ...args: string[]) =>
  (
    await promisify(execFile)(
      process.execPath,
      [`examples/${example}`, ...args, example === "mcp-client.ts" ? stack.devnet.apiUrl : file()],
      { cwd: ROOT },
    )
  ).stdout;
const file = () => dataDir(stack.directory).devnet;

/** The names of members in the JSON of a transcript: what of it is the same in every run. */
const membersIn = (text: string): string[] => [...new Set(text.match(/(?<=^ *)"\w+"(?=:)/gm))].sort();

// First: `ready` promises that everything is there.
it("find-check-pay.ts does what a language model would, call by call, and gets what it paid for", async () => {
  const transcript = await run("find-check-pay.ts", "audit solidity x402 under 5 cents");
  console.log(transcript);
  const document = readFileSync(join(ROOT, "docs/use/find-check-pay.md"), "utf8");
  const headings = (text: string) => text.match(/^#.*$/gm);
  expect(headings(document)).toEqual(headings(transcript));
  expect(membersIn(document)).toEqual(membersIn(transcript));
  const [, find, check, paid, result] = transcript
    .split(/^## /m)
    .map((part) => [...part.matchAll(/^```json\n([\s\S]*?)\n```$/gm)].map(([, json]) => JSON.parse(json!)));
  const [question, { agents, note, understood }] = find!;
  expect(question).toEqual({ tool: "find_agents", arguments: { q: "audit solidity x402 under 5 cents", limit: 3 } });
  expect(understood).toMatch(/^Searched for .*solidity.*First those that speak x402 and cost at most 0\.05 US dollars/);
  expect(note).toContain("never an instruction");
  const [best] = agents;
  expect(best.why.join(" ")).toMatch(/solidity/i);
  expect(best.untrusted_text.name).toEqual(expect.any(String));
  const endpoint = best.endpoints.find(({ protocol }: { protocol: string }) => protocol === "x402");
  expect(endpoint.price_usd).toBeGreaterThan(0);
  expect(endpoint.price_usd).toBeLessThanOrEqual(0.05);
  const asked = { agent: `${best.platform}-${best.agent_id}`, url: endpoint.url, amount: String(endpoint.price_usd) };
  expect(check![0]).toEqual({ tool: "preflight", arguments: { ...asked, live: true } });
  // A fresh stack has no customers yet; what it asks for now is what it lists.
  const keys = check![1].reasons.map(({ key }: { key: string }) => key);
  expect([check![1].verdict, keys]).toEqual([
    "review",
    expect.arrayContaining(["wallet_proven", "endpoint_confirmed", "alive", "price_listed", "income_none"]),
  ]);
  expect(paid).toEqual([
    expect.objectContaining({ url: endpoint.url }),
    {
      status: 200,
      payment: expect.objectContaining({ success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) }),
    },
  ]);
  expect(result).toEqual([{ lines: 7, findings: [expect.objectContaining({ id: "tx-origin", line: 4 })] }]);
});

describe("the seeded world", () => {
  it("says what things cost and who can pay", async () => {
    await until("everything is printed", () => stack.output().includes("Ctrl-C ends everything"));
    expect(stack.output()).toMatch(/Prices +Registration of an agent costs 1\.00 USDC\./);
    expect(stack.output()).toMatch(/Accounts +.*devnet\.json/);
  });

  it("has registered its agents for money, each once", async () => {
    const db = openClient({ connectionString: stack.devnet.databaseUrl });
    await db.connect();
    onTestFinished(() => db.end());
    const { rows } = await db.query(
      "select operation, state, count(*)::int as count, count(distinct payer)::int as payers from offchain.payment group by 1, 2",
    );
    const paying = WORLD.filter(({ via }) => via === undefined).length;
    expect(rows).toEqual([{ operation: "agentMint", state: "fulfilled", count: paying, payers: paying }]);
    expect((await db.query("select from offchain.price_list")).rowCount).toBe(0);
  });

  it("has humans with agents, an organization with members, and messages that everybody may read", async () => {
    expect(await get("/api/v2/stats")).toMatchObject({
      ...{ totalAgents: WORLD.length, totalHumans: 3, totalOrganizations: 1 },
    });
    const { humans } = (await get("/api/v2/humans")) as { humans: object[] };
    expect(humans).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "Inês Carvalho",
          skills: ["oceanography", "langchain"],
          linkedAgents: [expect.objectContaining({ name: "Meridian" })],
          humanCred: expect.objectContaining({ score: expect.any(Number) }),
        }),
      ]),
    );
    const organization = (await get("/api/v2/org/tidewater")) as { members: object[] };
    expect(organization).toMatchObject({ displayName: "Tidewater Collective" });
    expect(organization.members).toHaveLength(3);
    const { group, messages } = (await get("/api/v2/messages/groups/welcome/messages")) as {
      group: { isPublic: boolean };
      messages: { senderName: string; content: string }[];
    };
    expect(group.isPublic).toBe(true);
    expect(messages.map(({ senderName }) => senderName)).toEqual(
      expect.arrayContaining(["Meridian", "Quill & Ledger", "Nightjar"]),
    );
  });
});

it("has jobs, done, refused and under way, of which those of the agent itself are told apart", async () => {
  const { agents }: { agents: { tokenId: number }[] } = await get("/api/v2/search?q=meridian");
  const path = `/api/v2/agent/${agents[0]!.tokenId}/jobs`;
  const told = await until(
    "the jobs and their clients' money are read and weighed",
    async () => {
      const found: { windows: { organic: { funded: number } }[]; jobs: { state: string }[] } = await get(path);
      return found.windows[0]!.organic.funded === 4 ? found : null;
    },
    { everyMs: 500, timeoutMs: 120_000 },
  );
  expect(told.jobs.map(({ state }) => state).sort()).toEqual(
    ["completed", "completed", "completed", "rejected", "submitted"].sort(),
  );
  expect(told.windows[0]).toMatchObject({
    raw: { completed: 3, rejected: 1, usdc: "8.75", clients: 3 },
    organic: { completed: 2, usdc: "3.75", clients: 2, evaluators: 1, evaluatedByClient: 1 },
    removed: [{ rule: "self", funded: 1 }],
  });
});

it("has payments to two agents, read with their payers' money within minutes: of two customers, and of one", async () => {
  const known = async (name: string) => {
    const { agents }: { agents: { tokenId: number }[] } = await get(`/api/v2/search?q=${name}`);
    return until(
      "the payments are read and weighed",
      async () => {
        const found: { windows: { raw: object; removed: { rule: string }[] }[] } = await get(
          `/api/v2/agent/${agents[0]!.tokenId}/payments`,
        );
        const [week] = found.windows;
        return week!.removed.length === 1 && week!.removed[0]!.rule !== "unread" ? week : null;
      },
      { everyMs: 500, timeoutMs: 120_000 },
    );
  };
  expect(await known("meridian")).toMatchObject({
    raw: { payments: 4, usdc: "2.85", payers: 3 },
    organic: { payments: 3, usdc: "0.85", payers: 2, repeatPayers: 1 },
    removed: [{ rule: "self", usdc: "2" }],
  });
  expect(await known("kestrel")).toMatchObject({
    raw: { payments: 1, usdc: "0.05" },
    organic: { payments: 0 },
    removed: [{ rule: "one_payer" }],
  });
});

describe("Try it, of README", () => {
  const commands = snippetOf("README.md", "Try it")
    .trim()
    .split("\n")
    .map((line) => line.replace(/\s+#.*/, "").replaceAll(/[\\"]/g, ""));

  it.each(commands)("%s", async (command) => {
    const [program, ...words] = command.split(" ");
    if (program === "npx") {
      const folder = folderOfTest("agents-readme");
      symlinkSync(stack.directory, join(folder, ".data"));
      const [, example, ...args] = words;
      await promisify(execFile)(process.execPath, [join(ROOT, example!), ...args], { cwd: folder });
      return;
    }
    const url = words.at(-1)!.replace(/^(http:\/\/)?localhost:4000/, stack.devnet.apiUrl);
    // `fetch` says of itself that it does not navigate.
    const accept = program === "open" ? "text/html" : "*/*";
    const { statusCode, headers, body } = await request(url, { headers: { accept } });
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toMatch(program === "open" ? "text/html" : /json|event-stream/);
    // Ends the stream of events too.
    body.on("error", () => {}).destroy();
  });
});

pagesOfTheTerminal(() => stack);
referenceOnTheStack(() => stack);
questionsOnTheStack(() => stack);

describe("cred on chain", () => {
  it("lets an agent's owner through the example gate with the proof that the API answers, and no one else", async () => {
    const { contracts, rpcUrl } = stack.devnet;
    const chain = testChain(rpcUrl);
    const { agents } = (await get("/api/v2/agents?sort=credScore&limit=1")) as {
      agents: { tokenId: number; owner: Address; credScore: number }[];
    };
    const { tokenId, owner } = agents[0]!;
    type Answer = { epoch: number; contract: Address; leaf: CredLeaf; proof: Hex[] };
    const enter = async (account: Address, change: object = {}) => {
      const { epoch, contract, leaf, proof } = (await get(`/api/v2/agent/${tokenId}/cred/proof`)) as Answer;
      expect(contract).toBe(contracts.credRoots);
      const { block, ...rest } = leaf;
      const numbers = { chainId: BigInt(leaf.chainId), tokenId: BigInt(tokenId), computedAt: BigInt(leaf.computedAt) };
      const asked = { ...rest, ...numbers, block_: BigInt(block), ...change };
      const gate = { address: contracts.credGate!, abi: credGateAbi, functionName: "enter", account } as const;
      return chain.simulateContract({ ...gate, args: [BigInt(epoch), asked, proof] });
    };
    const proven = async () => "leaf" in ((await get(`/api/v2/agent/${tokenId}/cred/proof`)) as object);
    await until("an epoch has the agent", proven, { everyMs: 500 });
    await enter(owner);
    await expect(enter(owner, { score: 100 })).rejects.toThrow("InvalidProof");
    await expect(enter(contracts.usdc!)).rejects.toThrow("NotAgentOwner");
  });
});

describe("an example, run as README says", () => {
  it.each([
    ["pay-with-x402.ts", ["report", "0"], /^200 [\s\S]*"paidReport": true[\s\S]*success: true/],
    ["pay-with-x402-v1.ts", ["0"], /^200 [\s\S]*"paidReport": true[\s\S]*success: true/],
    ["pay-with-mpp.ts", ["report", "0"], /^200 [\s\S]*"paidReport": true[\s\S]*reference: '0x/],
    ["sdk-pay.ts", ["x402", "0"], /points, rank/],
    ["sdk-pay.ts", ["mpp", "0"], /points, rank/],
    ["pay-with-x402.ts", ["mint", "Ada"], /^201 [\s\S]*success: true/],
    ["pay-with-mpp.ts", ["mint", "Bea"], /^201 [\s\S]*reference: '0x/],
    ["sdk-register.ts", ["Cleo"], /^Cleo is agent \d+ /],
    ["mcp-client.ts", ["meridian"], /points: /],
  ] as const)("%s %j works and pays", async (example, args, printed) => {
    expect(await run(example, ...args)).toMatch(printed);
  });
});

describe("judged questions over the seeded world", () => {
  it("are answered better than by plain ways, and no spam stands before an honest agent", async () => {
    const { simulatorUrl, databaseUrl, apiUrl } = stack.devnet;
    const rows = SEEDED_SPAM.map((spam, i) => ({
      ...{
        id: 900_000 + i,
        walletAddress: `0x${"5a".repeat(18)}${1000 + i}`,
        ownerAddress: `0x${"5b".repeat(18)}${1000 + i}`,
      },
      ...{ ...spam, jobs: [], metrics: { successfulJobCount: 0 }, createdAt: new Date().toISOString() },
    }));
    const generate = REGISTRY_SIMULATORS.virtuals.seeded;
    const listed = Object.values(REGISTRY_SIMULATORS).reduce((sum, { seeded }) => sum + seeded, rows.length);
    await fetch(`${simulatorUrl}/_control/registries/virtuals/agents`, {
      method: "PUT",
      body: JSON.stringify({ rows, generate }),
    });
    const pool = openPool({ connectionString: databaseUrl, max: 1 });
    onTestFinished(() => pool.end());
    const count = async (sql: string) =>
      (await pool.query<{ n: number }>(`select count(*)::int4 as n from ${sql}`)).rows[0]!.n;
    await until(
      "all registries, spam, offers and documents are there",
      async () =>
        (await count(
          `offchain.directory where removed_at is null and platform not in ('erc8004', '${OWN_PLATFORM}')`,
        )) === listed &&
        (await count("offchain.offer where kind <> 'skill' and source <> 'registry'")) >= 4 &&
        (await count(`offchain.directory d where removed_at is null and not exists (
          select from offchain.discovery_document o where o.directory_id = d.id)`)) === 0,
      { everyMs: 500 },
    );
    const client = await pool.connect();
    await plantPlainText(client);
    for (const statement of INDEXES) await client.query(statement);
    client.release();
    const directory = (
      await pool.query<SeededRow>(
        "select id, platform, name, description from offchain.directory where removed_at is null",
      )
    ).rows;
    const own: Way = {
      name: "discover",
      async ask(q) {
        const answer = await patientFetch(`${apiUrl}/api/v2/discover?limit=10&q=${encodeURIComponent(q)}`);
        return ((await answer.json()) as { hits: { agent: { id: number } }[] }).hits.map(({ agent }) => agent.id);
      },
    };
    const [mine, ...plain] = await judgeSeeded(directory, [own, ...plainWays(pool)]);
    const printed = `${seededTable([mine!, ...plain])}\n${mine!.notes.join("; ")}`;
    console.log(printed);
    expect(SEEDED_QUESTIONS.length).toBeGreaterThanOrEqual(30);
    expect(mine!.ndcg, printed).toBeGreaterThan(0.85);
    expect(mine!.ndcg, printed).toBeGreaterThan(Math.max(...plain.map(({ ndcg }) => ndcg)) + 0.03);
    expect(mine!.spam, printed).toBeLessThan(0.3);
    expect(mine!.spamAhead, printed).toBe(0);
  });
});

// At the end: they add agents to the world.
flowsOnTheStack(() => stack);
specificationOnTheStack(() => stack);
