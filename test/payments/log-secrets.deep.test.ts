/** Case 45: what pays and what signs in reaches no log at its most talkative, whatever goes wrong; and no such answer may be cached. */
import { randomBytes } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { createLocalFacilitator } from "../../clients/facilitator-local.ts";
import { createSigner } from "../../clients/signer.ts";
import { openPool } from "../../db/sql/connect.ts";
import { devnetCast } from "../../devnet/chain-keys.ts";
import { agentWallet } from "../../harness/agent-wallet.ts";
import { chainAt } from "../../harness/chain-at.ts";
import { plantCheckpoint, plantOnchain } from "../../harness/onchain.ts";
import { NEVER } from "../../harness/patience.ts";
import { startTroubledFacilitator } from "../../harness/payment-load/facilitator.ts";
import { loadWalletOf, openChainClient } from "../../harness/payment-load/wallets.ts";
import { base64, payloadOf, signAuthorization } from "../../harness/payment-signing.ts";
import { startTroubledNode } from "../../harness/troubled-node.ts";
import { plantAgents } from "../api/support/agents.ts";
import { startParts } from "../support/parts.ts";
import { perFile } from "../support/started.ts";

const { keys } = devnetCast();
const addressOf = (privateKey: `0x${string}`) => agentWallet({ host: "", privateKey }).address;
const FACILITATOR_KEY = "facilitator-key-7d1c4be09a52";

const parts = perFile(() =>
  startParts({
    blockTimeSeconds: 0.25,
    env: {
      ...{ LOG_LEVEL: "trace", PRICING_PHASE: "paid", PAYMENT_WAIT_MS: "120000" },
      FACILITATOR_AUTHORIZATION: `Bearer ${FACILITATOR_KEY}`,
    },
  }),
);
const facilitator = perFile(() =>
  startTroubledFacilitator(createLocalFacilitator(chainAt(parts.rpcUrl), createSigner(keys.facilitator, 8453))),
);
const node = perFile(() => startTroubledNode(parts.rpcUrl));
const db = perFile(() => openPool({ connectionString: parts.databaseUrl, max: 2 }));
beforeAll(async () => {
  // Nobody indexes: the index stands still, ahead of the chain for ever.
  await plantOnchain(db);
  await plantCheckpoint(db, { block: 10_000_000, finalized: 900 });
  await plantAgents(db, [{ tokenId: 900, name: "Grace", score: 40 }]);
  await Promise.all([parts.start("workers", upstreams()), parts.start("api", upstreams())]);
});
const upstreams = () => ({ RPC_URL: node.url, FACILITATOR_URL: facilitator.url });

it("names none of what was sent, and none of the answers may be kept", async () => {
  const secrets = new Set<string>([FACILITATOR_KEY, ...Object.values(keys).map((key) => key.slice(2))]);
  /** Whole header values, and the signatures inside, however they may be written. */
  const secret = (text: string) => {
    secrets.add(text);
    return text;
  };
  const answers: string[] = [];
  async function send(what: string, headers: Record<string, string>, mints = true) {
    for (const value of Object.values(headers)) secret(value);
    const init = mints
      ? {
          method: "POST",
          body: JSON.stringify({ name: "Ada" }),
          headers: { ...headers, "content-type": "application/json" },
        }
      : { headers };
    const response = await fetch(parts.apiUrl + (mints ? "/api/v2/mint" : "/api/v2/agent/900/cred-report"), init);
    await response.arrayBuffer();
    expect(response.headers.get("cache-control"), what).toMatch(response.ok ? /^private, no-store$/ : /no-store/);
    answers.push(`${what} ${response.status}`);
  }
  let next = 0;
  const payer = () => loadWalletOf(0, `log ${next++}`, parts.host);
  const wallets = Array.from({ length: 12 }, payer);
  const chainClient = openChainClient(parts.rpcUrl);
  await chainClient.fund(new Map(wallets.map(({ address }) => [address, 2_000_000n])));
  const take = () => wallets.pop()!;
  async function signed(by = take(), buys: "mint" | "report" = "mint") {
    const to = addressOf(buys === "mint" ? keys.deployer : keys.treasury);
    const made = await signAuthorization(by.account, { to, value: buys === "mint" ? 1_000_000n : 10_000n });
    secret(made.signature.slice(2));
    const authorization = await by.siwa();
    secret(authorization.split(":")[2]!.slice(2));
    return { by, authorization, payload: payloadOf(made) };
  }
  const v2 = (payload: object) => ({ "payment-signature": base64(payload) });

  const good = await signed();
  await send("paid", { authorization: good.authorization, ...v2(good.payload) });
  await send("replayed", { authorization: good.authorization, ...v2(good.payload) });
  const stranger = take();
  await send("taken", { authorization: await stranger.siwa(), ...v2(good.payload) });
  const first = await signed();
  const inVersion1 = { x402Version: 1, scheme: "exact", network: "base", payload: first.payload.payload };
  await send("version 1", { "x-siwa": first.authorization, "x-payment": base64(inVersion1) });
  const report = await signed(take(), "report");
  await send("report", v2(report.payload), false);
  const sender = take();
  const { hash } = await chainClient.transfer(sender, addressOf(keys.deployer), 1_000_000n);
  await send("hash", { authorization: await sender.siwa(), "x-payment-proof": hash });

  const other = await signed();
  const { signature } = other.payload.payload;
  const forged = {
    ...other.payload,
    payload: { ...other.payload.payload, signature: `0x${randomBytes(65).toString("hex")}` },
  };
  await send("forged", { authorization: other.authorization, ...v2(forged) });
  await send("of a contract", {
    authorization: other.authorization,
    ...v2({ ...forged, payload: { ...forged.payload, signature: `${signature}${"ab".repeat(40)}` } }),
  });
  await send("no payload", {
    authorization: other.authorization,
    ...v2({ x402Version: 2, secret: randomBytes(40).toString("hex") }),
  });
  await send("no base64", {
    authorization: other.authorization,
    "payment-signature": `%${randomBytes(40).toString("hex")}`,
  });
  await send("too long", { authorization: other.authorization, "x-payment": randomBytes(6_200).toString("base64") });
  await send("two", { authorization: other.authorization, ...v2(other.payload), "x-payment": base64(inVersion1) });
  await send("MPP", {
    authorization: other.authorization,
    "payment-authorization": `Payment ${randomBytes(60).toString("base64url")}`,
  });
  await send("credential", {
    authorization: `Bearer ${other.by.address}:soon:0x${randomBytes(65).toString("hex")}`,
    ...v2(other.payload),
  });

  for (const mode of ["down", "rubbish", "lost"] as const) {
    facilitator.mode = mode;
    const unlucky = await signed();
    await send(`facilitator ${mode}`, { authorization: unlucky.authorization, ...v2(unlucky.payload) });
  }
  facilitator.mode = null;
  const cut = await signed(take(), "report");
  for (const mode of ["cut", "error"] as const) {
    node.mode = mode;
    await send(`node ${mode}`, { authorization: other.authorization, ...v2(cut.payload) }, false);
    await send(`node ${mode}`, { authorization: other.authorization, "x-payment": hash }, false);
  }
  node.mode = null;
  // While the database is in disorder, everything about a request may be told in an error.
  await db.query("alter table offchain.payment_fact rename to elsewhere");
  await send("no ledger", { authorization: other.authorization, ...v2(other.payload) });
  await send("no ledger", v2(cut.payload), false);
  await db.query("alter table offchain.elsewhere rename to payment_fact");
  let output = parts.output("api") + parts.output("workers");

  await parts.start("api", { ...upstreams(), FACILITATOR_TIMEOUT_MS: String(NEVER) });
  facilitator.mode = "slow";
  const unlucky = await signed();
  await send("facilitator slow", { authorization: unlucky.authorization, ...v2(unlucky.payload) });
  output += parts.output("api");

  const answered = (what: string) =>
    answers.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1));
  for (const what of ["paid", "replayed", "version 1", "hash"]) expect(answered(what), what).toEqual(["201"]);
  expect(answered("report")).toEqual(["200"]);
  expect(answered("taken")).toEqual(["409"]);
  for (const mode of ["down", "rubbish", "lost", "slow"])
    expect(answered(`facilitator ${mode}`), mode).toEqual(["503"]);
  for (const what of ["no payload", "no base64", "too long", "two"]) expect(answered(what), what).toEqual(["400"]);
  expect(answered("no ledger").every((status) => status.startsWith("5"))).toBe(true);

  expect(output.split("\n").length).toBeGreaterThan(20);
  // A part is as good as the whole; a transaction's hash is public, and is what the log may name.
  secrets.delete(hash);
  for (const text of secrets)
    for (const part of [text, text.slice(0, 48), text.slice(-64)]) expect(output).not.toContain(part);
});
