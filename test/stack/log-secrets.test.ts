/** The log of the API at its most talkative holds no credential, key or signature, whatever goes wrong with a request. */
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { apiKeyHash, apiKeyText } from "../../core/callers/api-keys.ts";
import { humanUpdateText } from "../../core/callers/signed-texts.ts";
import { insertApiKey } from "../../db/callers/api-keys.ts";
import { endProgram, outputOf, startProgram } from "../../devnet/start-program.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { FREE_PHASE } from "../../harness/child-env.ts";
import { listen } from "../../harness/listen.ts";
import { until } from "../../harness/until.ts";
import { freePort } from "../../runtime/free-port.ts";
import { entryOf } from "../../runtime/processes.ts";
import { plantAgents } from "../api/support/agents.ts";
import { testDatabase } from "../support/database.ts";
import { folderPerFile } from "../support/folders.ts";
import { perFile } from "../support/started.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Many nodes are paid for by a key in their URL. */
const NODE_KEY = "node-key-5f3c9e1d7b2a";
const RECEIPT_KEY = `0x${"5a".repeat(32)}`;

const database = perFile(() => testDatabase({ indexed: true }));
const directory = folderPerFile("log-secrets");
let child: ChildProcess;
let url: string;
const node = perFile(startNode);
let output: () => string;
beforeAll(async () => {
  const port = await freePort();
  const nobody = `http://127.0.0.1:${await freePort()}`;
  url = `http://127.0.0.1:${port}`;
  child = startProgram(process.execPath, [entryOf("api")], {
    cwd: ROOT,
    env: {
      ...{ PATH: process.env.PATH, DATA_DIR: directory, DATABASE_URL: database.url, PORT: String(port), ...FREE_PHASE },
      // The node fails when it matters and the identity provider is away, so that whatever can be logged is.
      ...{
        RPC_URL: `${node.url}/v3/${NODE_KEY}`,
        IDP_ISSUER: "idp",
        IDP_AUDIENCE: "us",
        IDP_JWKS_URL: `${nobody}/jwks.json`,
      },
      ...{ LOG_LEVEL: "trace", RECEIPT_SIGNER_PRIVATE_KEY: RECEIPT_KEY, MINT_WAIT_MS: "0", PUBLIC_URL: url },
    },
  });
  output = outputOf(child);
  await until("the API answers", async () => (await fetch(`${url}/health`)).ok);
});
afterAll(() => endProgram(child));

/** A node on which every wallet is a contract, and every call to one breaks down. */
async function startNode() {
  const server = await listen(async (incoming, outgoing) => {
    const text = Buffer.concat(await incoming.toArray()).toString("utf8");
    if (text.includes("eth_call")) {
      state.calls++;
      return void outgoing.writeHead(500).end("out of order");
    }
    const asked = [JSON.parse(text)].flat() as { id: number; method: string }[];
    const answers = asked.map(({ id, method }) => ({
      ...{ jsonrpc: "2.0", id },
      result: method === "eth_chainId" ? "0x2105" : "0x60",
    }));
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify(text.startsWith("[") ? answers : answers[0]));
  });
  const state = { ...server, calls: 0 };
  return state;
}

it("names none of what was sent", async () => {
  const wallet = agentWallet({ host: new URL(url).host, webUrl: url });
  const lower = wallet.address.toLowerCase() as `0x${string}`;
  await plantAgents(database.pool, [{ tokenId: 0, owner: lower, agentAddress: lower }]);
  const key = apiKeyText("aaaaaaaaaa", randomBytes(32).toString("base64url"));
  await insertApiKey(database.pool, { id: "aaaaaaaaaa", name: "test", hash: apiKeyHash(key) });
  const secrets: string[] = [RECEIPT_KEY.slice(2), NODE_KEY, key];
  const secret = (text: string) => {
    secrets.push(text);
    return text;
  };
  const statuses: Record<string, number[]> = {};
  const send = async (what: string, path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    statuses[what] ??= [];
    statuses[what].push(response.status);
  };
  const bearer = (header: string) => {
    secret(header.split(":")[2]!.slice(2));
    return { authorization: header };
  };
  const update = { personality: { humor: "dry" } };

  await send("good", "/api/v2/agent/0/update", bearer(await wallet.siwa()), update);
  await send("good", "/api/v2/agent/0/crossreg", { "x-siwa": bearer(await wallet.siwa(Date.now() - 1)).authorization });
  await send("key", "/api/v2/agent/0/session-outcome", { "x-api-key": key }, { outcome: "success" });
  await send("wrong key", "/api/v2/agent/0/session-outcome", {
    "x-api-key": secret(`ak_bbbbbbbbbb_${"x".repeat(43)}`),
  });
  await send("malformed", "/api/v2/mint", bearer(`Bearer ${wallet.address}:soon:0x${randomBytes(65).toString("hex")}`));
  // A contract's signature, which the chain would have to be asked about: the node's library quotes what it sent.
  for (const suffix of ["", "6492".repeat(16)]) {
    const signature = randomBytes(90).toString("hex");
    await send(
      "no chain",
      "/api/v2/mint",
      bearer(`Bearer ${wallet.address}:${Date.now()}:0x${signature}${suffix}`),
      {},
    );
  }
  const message = humanUpdateText("Helixa", 0, Date.now());
  const noise = randomBytes(90).toString("hex");
  await send("no chain", "/api/v2/agent/0/human-update", {}, { ...update, message, signature: `0x${secret(noise)}` });
  const payment = secret(Buffer.from(JSON.stringify({ x402Version: 2, payload: noise })).toString("base64"));
  await send("payment", "/api/v2/mint", { ...bearer(await wallet.siwa(Date.now() - 2)), "payment-signature": payment });
  // While the database is away, everything about a request may be told in an error.
  await database.pool.query("alter table offchain.credential_revocation rename to elsewhere");
  await database.pool.query("alter table offchain.api_key rename to elsewhere_too");
  await send("broken", "/api/v2/agent/0/update", bearer(await wallet.siwa(Date.now() - 3)), update);
  await send("broken", "/api/v2/agent/0/session-outcome", { "x-api-key": key }, { outcome: "success" });

  expect(statuses).toMatchObject({ good: [200, 200], key: [200], "wrong key": [401], malformed: [401] });
  expect(statuses["no chain"]).toEqual([503, 503, 503]);
  expect(node.calls).toBeGreaterThanOrEqual(3);
  expect(statuses.broken!.every((status) => status >= 500)).toBe(true);
  await until(
    "the failures are in the log",
    () =>
      output()
        .split("\n")
        .filter((l) => /cannot be reached|not ready/.test(l)).length >= 4,
  );
  // A part is as good as the whole.
  for (const text of secrets)
    for (const part of [text, text.slice(0, 40), text.slice(-64)]) expect(output()).not.toContain(part);
});
