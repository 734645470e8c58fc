/**
 * What a client does that knows the specification and nothing else, once, on a running stack: it registers, changes,
 * verifies, proves, pays, signs in in every way, and joins groups. The facts look at the answers it got.
 */
import { createWalletClient, encodeAbiParameters, erc20Abi, http, parseEther, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { easAbi } from "../../abis/eas.ts";
import { identityAbi } from "../../abis/identity.ts";
import { apiKeyHash, apiKeyText } from "../../core/callers/api-keys.ts";
import { insertApiKey } from "../../db/callers/api-keys.ts";
import { openPool } from "../../db/sql/connect.ts";
import { walletsOfWorld } from "../../devnet/world.ts";
import { type AgentWallet, agentWallet, testChain } from "../../harness/agent-wallet.ts";
import { giveUsdc } from "../../harness/give-usdc.ts";
import { jsonRequest } from "../../harness/json-request.ts";
import { payingFetch } from "../../harness/paying-fetch.ts";
import { unbase64 } from "../../harness/payment-signing.ts";
import { controlOf } from "../../harness/simulator-control.ts";
import { solanaWallet } from "../../harness/solana-wallet.ts";
import type { DevnetFile } from "../../harness/stack.ts";
import { until } from "../../harness/until.ts";
import { patientFetch } from "../support/patient-fetch.ts";

export type Answer = { status: number; headers: Headers; body: unknown; bytes: Uint8Array };
export type Walk = Awaited<ReturnType<typeof walkOf>>;
type Client = Awaited<ReturnType<typeof clientOf>>;

export const HOUR = 3_600_000;
/** Of each wallet: a registration, reports, and some more. */
const DOLLARS = 10_000_000n;
const MINT = "/api/v2/mint";
const GROUPS = "/api/v2/messages/groups";
const PRINCIPALS = "/api/v2/principals";

/** @param devnet a running stack with the seeded world, where things cost money */
export async function walkOf(devnet: DevnetFile) {
  const client = await clientOf(devnet);
  const registered = await registration(client);
  const agent = { ...client, ...registered };
  // One after the other, as their scores follow from one another.
  const changes = await changesOf(agent);
  const proofs = await proofsOf(agent);
  await agent.awarded();
  return {
    ...agent,
    ...changes,
    ...proofs,
    ...(await registriesOf(agent)),
    ...(await peopleOf(agent)),
    ...(await alternativeChain(client)),
    ...(await messagesOf(agent)),
    ...(await claimOf(client)),
    ...(await paymentsOf(agent)),
  };
}

/** The service as a client has it, and wallets with money. */
async function clientOf(devnet: DevnetFile) {
  const { apiUrl: webUrl } = devnet;
  const { host } = new URL(webUrl);
  const chain = testChain(devnet.rpcUrl);
  const reads = new Map<string, Promise<Answer>>();
  async function ask(path: string, init: RequestInit = {}, by: typeof fetch = patientFetch): Promise<Answer> {
    const response = await by(webUrl + path, { redirect: "manual", ...init });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
    const body = isJson && bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
    return { status: response.status, headers: response.headers, body, bytes };
  }
  /** A read that any number of facts look at, asked for once. */
  function get(path: string): Promise<Answer> {
    const answer = reads.get(path) ?? ask(path);
    reads.set(path, answer);
    return answer;
  }
  async function funded(): Promise<AgentWallet> {
    const wallet = agentWallet({ host, webUrl });
    await chain.setBalance({ address: wallet.address, value: parseEther("10") });
    await giveUsdc(chain, wallet.address, DOLLARS);
    return wallet;
  }
  /** Signs in with a credential of an age, by SIWA. */
  const signed = async (method: string, path: string, by: AgentWallet, body?: unknown, age = 0) =>
    ask(path, jsonRequest(method, body, { authorization: await by.siwa(Date.now() - age) }));
  const stranger = await funded();
  return {
    ...{ devnet, chain, host, ask, get, signed, stranger },
    ...{ agentWallet: await funded(), buyer: await funded(), person: await funded() },
    simulators: controlOf(devnet.simulatorUrl),
    discovery: await get("/api/v2"),
    post: (path: string, body?: unknown, headers?: Record<string, string>) =>
      ask(path, jsonRequest("POST", body, headers)),
    /** The same by SIWE. */
    asHuman: async (path: string, by: AgentWallet, body: unknown, age = 0) =>
      ask(path, jsonRequest("POST", body, { authorization: await by.siwe(Date.now() - age) })),
    /** Asks for a registration by a credential of an age: 402 where it is good. */
    aged: (age: number) => signed("POST", MINT, stranger, { name: "Aged" }, age),
    /** The wallet of an agent of the seeded world. */
    seeded(name: string): AgentWallet {
      const { account } = walletsOfWorld().find(({ agent }) => agent.name === name)!;
      return agentWallet({ host, webUrl, account });
    },
  };
}

async function registration(client: Client) {
  const { ask, get, post, signed, agentWallet: own, seeded } = client;
  const referrer = idOf(await ask(`/api/v2/agent/${seeded("Meridian").address}`));
  const points = await pointsOf(ask, referrer);
  const { code } = (await get(`/api/v2/agent/${referrer}/referral`)).body as { code: string };
  const profile = {
    ...{ name: "Specimen", framework: "custom", soulbound: false, referralCode: code },
    personality: {
      ...{ quirks: "hums", communicationStyle: "plain", values: "care", humor: "dry" },
      ...{ riskTolerance: 3, autonomyLevel: 7 },
    },
    narrative: { origin: "a table", mission: "to be checked", lore: "none yet" },
  };
  const mintAnonymous = await post(MINT, profile);
  const mintUnpaid = await signed("POST", MINT, own, profile);
  const request = jsonRequest("POST", profile, { authorization: await own.siwa() });
  const mint = await ask(MINT, request, payingFetch(own.account, patientFetch));
  const id = idOf(mint);
  const path = `/api/v2/agent/${id}`;
  return {
    ...{ code, profile, mintAnonymous, mintUnpaid, mint, id, own: path },
    /** The chain gives the points of a code some blocks later; scores that are compared with points wait for it. */
    awarded: () =>
      until("the points of the code are given", async () => (await pointsOf(ask, referrer)) >= points + 50),
    registered: await ask(path),
    verificationsBefore: await ask(`${path}/verifications`),
  };
}
async function pointsOf(ask: Client["ask"], id: number): Promise<number> {
  return ((await ask(`/api/v2/agent/${id}`)).body as { points: number }).points;
}
type Agent = Client & Awaited<ReturnType<typeof registration>>;

async function changesOf({ own, id, ask, signed, post, agentWallet: wallet }: Agent) {
  const change = (method: string, path: string, body: object) => signed(method, own + path, wallet, body);
  const update = await change("POST", "/update", {
    personality: { humor: "drier" },
    narrative: { manifesto: "Everything stated is shown." },
    traits: [{ name: "patient", category: "character" }],
  });
  const updateOnchain = await change("POST", "/update?onchain=true", { narrative: { lore: "Written on chain." } });
  const personality = await change("PUT", "/personality", { quirks: "whistles" });
  const message = `Helixa: Update agent #${id} at ${Date.now()}`;
  const humanUpdate = await post(`${own}/human-update`, {
    ...{ message, signature: await wallet.account.signMessage({ message }) },
    personality: { values: "proof" },
    narrative: { mission: "to be checked again" },
    social: { twitter: "specimen", website: "https://specimen.example/", github: "specimen" },
  });
  return { update, updateOnchain, personality, humanUpdate, changed: await ask(own) };
}

async function proofsOf(agent: Agent) {
  const { own, id, ask, signed, simulators, devnet, stranger, agentWallet: wallet } = agent;
  const score = async () => ((await ask(`${own}/cred`)).body as { credScore: number }).credScore;
  const scoreAbove = (before: number) =>
    until(`a score above ${before}`, async () => {
      const now = await score();
      return now > before ? now : null;
    });
  const prove = (path: string, body?: object) => signed("POST", own + path, wallet, body);
  const account = `specimen${id}`;
  const fid = 77_000 + id;
  const atFirst = await score();
  const verifyByStranger = await signed("POST", `${own}/verify`, stranger);
  const verify = await prove("/verify");
  const verified = await scoreAbove(atFirst);
  await simulators("PUT", `x/users/${account}`, { id: String(fid), description: "nothing to see" });
  const proofMissing = await prove("/verify/x", { handle: account });
  await simulators("PUT", `x/users/${account}`, { id: String(fid), description: `helixa:${id}` });
  const gists = [{ id: `5bec${id}`, public: true, files: { "helixa-verify.txt": String(id) } }];
  await simulators("PUT", `github/users/${account}`, { id: fid, gists });
  await simulators("PUT", `farcaster/users/${account}`, { fid, casts: [{ hash: `0x77${id}`, text: `helixa:${id}` }] });
  const platforms = {
    verifyX: await prove("/verify/x", { handle: account }),
    verifyGithub: await prove("/verify/github", { username: account }),
    verifyFarcaster: await prove("/verify/farcaster", { fid }),
    verifyFarcasterByName: await prove("/verify/farcaster", { username: account }),
  };
  const proved = await scoreAbove(verified);
  const attestationMissing = await prove("/coinbase-verify");
  await attest(devnet, wallet.address);
  const exchange = await prove("/coinbase-verify");
  return {
    ...{ account, fid, verifyByStranger, verify, proofMissing, ...platforms, attestationMissing, exchange },
    scores: { atFirst, verified, proved, attested: await scoreAbove(proved) },
    proven: await ask(own),
    verifications: await ask(`${own}/verifications`),
  };
}

async function registriesOf({ own, ask, signed, post, devnet, agentWallet: wallet }: Agent) {
  const crossregistration = await signed("POST", `${own}/crossreg`, wallet);
  const token = { contractAddress: devnet.contracts.usdc, chain: "base", symbol: "USDC", name: "USD Coin" };
  const linkToken = await signed("POST", `${own}/link-token`, wallet, token);
  const key = await sessionKey(devnet);
  const session = { outcome: "partial", details: "half of it", sessionId: "s-1", duration: 60 };
  const outcomePath = `/api/v2/agent/${wallet.address}/session-outcome`;
  const sessionOutcome = await post(outcomePath, session, { "x-api-key": key });
  return { crossregistration, token, linkToken, linked: await ask(own), key, session, outcomePath, sessionOutcome };
}

async function peopleOf({ id, asHuman, post, simulators, person, agentWallet: owner }: Agent) {
  const human = await asHuman(`${PRINCIPALS}/human/register`, person, { name: "Keeper" });
  const claims = { sub: `specification-${id}`, claims: {}, expiresIn: HOUR / 1000 };
  const { token } = (await (await simulators("POST", "idp/token", claims)).json()) as { token: string };
  const authorization = `Bearer ${token}`;
  await asHuman(`${PRINCIPALS}/human/register`, owner, { name: "Owner" });
  return {
    human,
    humanByToken: await post(`${PRINCIPALS}/human/register`, { name: "No wallet" }, { authorization }),
    organization: await asHuman(`${PRINCIPALS}/organization/register`, person, { displayName: `Specimens ${id}` }),
    linkAgent: await asHuman(`/api/v2/human/${owner.address}/link-agent`, owner, { agentTokenId: id }),
  };
}

async function alternativeChain({ ask, post, buyer }: Client) {
  const wallet = await solanaWallet();
  const challenge = async (purpose: string) => {
    const answer = await ask(`/api/v2/auth/solana/challenge?address=${wallet.address}&purpose=${purpose}`);
    const { message, nonce } = answer.body as { message: string; nonce: string };
    return { answer, proof: { nonce, signature: await wallet.signText(message) } };
  };
  const looked = await challenge("verify");
  const { proof } = await challenge("register");
  const body = { name: "Specimen of Solana", framework: "custom", solanaAddress: wallet.address, ...proof };
  const path = "/api/v2/register/solana";
  return {
    solanaAddress: wallet.address,
    solanaChallenge: looked.answer,
    solanaVerify: await post("/api/v2/auth/solana/verify", { address: wallet.address, ...looked.proof }),
    solanaUnpaid: await post(path, body),
    solanaRegistration: await ask(path, jsonRequest("POST", body), payingFetch(buyer.account, patientFetch)),
  };
}

async function messagesOf({ id, ask, signed, post, stranger, seeded, agentWallet: member }: Agent) {
  const founder = seeded("Meridian");
  const groupByJunk = await signed("POST", GROUPS, stranger, { topic: "none", minCred: 0, isPublic: true });
  const group = await signed("POST", GROUPS, founder, { topic: `Specimens ${id}`, minCred: 51, isPublic: false });
  const groupId = (group.body as { group: { id: string } }).group.id;
  const closed = `${GROUPS}/${groupId}`;
  return {
    ...{ groupId, groupByJunk, group },
    privateAnonymous: await ask(`${closed}/messages`),
    joinByJunk: await signed("POST", `${closed}/join`, stranger),
    sendByJunk: await signed("POST", `${closed}/send`, stranger, { content: "let me in" }),
    send: await signed("POST", `${closed}/send`, founder, { content: "Welcome." }),
    privateMessages: await signed("GET", `${closed}/messages`, founder),
    join: await signed("POST", `${GROUPS}/welcome/join`, member),
    joinAnonymous: await post(`${GROUPS}/welcome/join`),
  };
}

async function claimOf({ ask, post, devnet }: Client) {
  const { agents } = (await ask("/api/terminal/agents?platform=agentverse")).body as { agents: { agent_id: string }[] };
  const foreign = agents[0]!;
  const token = { token_address: devnet.contracts.usdc, token_symbol: "USDC", token_name: "USD Coin" };
  const claim = await post(`/api/terminal/agent/${foreign.agent_id}/token`, { ...token, token_market_cap: 1 });
  return { foreign, claim };
}

async function paymentsOf({ own, ask, chain, devnet, buyer, person }: Agent) {
  const path = `${own}/cred-report`;
  const reportUnpaid = await ask(path);
  const report = await ask(path, {}, payingFetch(buyer.account, patientFetch));
  const headers = {
    "x-payment-tx": await payByTransfer(devnet, buyer, reportUnpaid),
    authorization: await buyer.siwa(),
  };
  const identity = devnet.contracts.identity!;
  const value = await chain.readContract({ address: identity, abi: identityAbi, functionName: "mintPrice" });
  const { blockNumber } = await person.call(
    ...[devnet.rpcUrl, identity, "mint" as const],
    [person.address, "Specimen of ether", "custom", true],
    value,
  );
  return {
    ...{ reportUnpaid, report, reportByTransfer: await ask(path, { headers }) },
    byEther: await ask(`/api/v2/agent/${person.address}?minBlock=${blockNumber}`),
  };
}

const idOf = ({ status, body }: Answer): number => {
  const { tokenId } = body as { tokenId?: number };
  if (tokenId === undefined) throw new Error(`no agent: ${status} ${JSON.stringify(body)}`);
  return tokenId;
};

/** The exchange attests that it knows who owns a wallet. */
async function attest({ rpcUrl, contracts, schemas, keys }: DevnetFile, recipient: `0x${string}`): Promise<void> {
  const account = privateKeyToAccount(keys.attester);
  const wallet = createWalletClient({ account, chain: base, transport: http(rpcUrl) });
  const about = { recipient, expirationTime: 0n, revocable: true, refUID: zeroHash, value: 0n };
  const data = encodeAbiParameters([{ type: "bool" }], [true]);
  const hash = await wallet.writeContract({
    ...{ address: contracts.eas!, abi: easAbi, functionName: "attest" },
    args: [{ schema: schemas.verifiedAccount, data: { ...about, data } }],
  });
  await testChain(rpcUrl).waitForTransactionReceipt({ hash });
}

/** An API key as the operator gives one out. */
async function sessionKey({ databaseUrl }: DevnetFile): Promise<string> {
  const id = crypto.randomUUID().replaceAll("-", "").slice(0, 10);
  const key = apiKeyText(id, Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"));
  const pool = openPool({ connectionString: databaseUrl, max: 1 });
  try {
    await insertApiKey(pool, { id, name: "Specification", hash: apiKeyHash(key) });
  } finally {
    await pool.end();
  }
  return key;
}

export type Terms = { scheme: string; network: string; asset: `0x${string}`; payTo: `0x${string}`; amount: string };

/** What a 402 asks for, in its header: the first of the ways. */
export const termsOf = ({ headers }: Answer): Terms =>
  (unbase64(headers.get("payment-required")) as { accepts: Terms[] }).accepts[0]!;

/** Pays what a 402 asks for by a transfer of one's own. @returns the transaction's hash */
async function payByTransfer({ rpcUrl }: DevnetFile, { account }: AgentWallet, unpaid: Answer): Promise<string> {
  const { asset, payTo, amount } = termsOf(unpaid);
  const wallet = createWalletClient({ account, chain: base, transport: http(rpcUrl) });
  const hash = await wallet.writeContract({
    ...{ address: asset, abi: erc20Abi, functionName: "transfer", args: [payTo, BigInt(amount)] },
  });
  await testChain(rpcUrl).waitForTransactionReceipt({ hash });
  return hash;
}
