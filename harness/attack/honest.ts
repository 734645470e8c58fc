/** Honest people of a stack under attack: they register, pay, prove, read and follow, each from a network of its own and within a stated time. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import type { Hex } from "viem";
import { PLATFORM_SIMULATORS } from "../../devnet/simulators/upstreams.ts";
import { jsonRequest } from "../json-request.ts";
import type { LoadWallet } from "../payment-load/wallets.ts";
import { between, pick, weighted, weightedName } from "../random.ts";
import { tempoCustomer } from "../tempo.ts";
import {
  AGAIN_MS,
  type Client,
  insist,
  payingWith,
  type Reply,
  type RequestOptions,
  replyOf,
  shown,
} from "./client.ts";
import { MINT_UNITS, REPORT_UNITS, type World } from "./world.ts";

/** How a registration is paid for; `siwa` where it costs nothing. */
export type Way = "siwa" | "x402" | "mpp-pull" | "mpp-push" | "transfer";

const GOOD_MINT = { good: [201, 202] };

/** An agent that an honest person has registered. */
export type HonestAgent = {
  wallet: LoadWallet;
  tokenId: number;
  /** Block of its registration. */
  block: number;
  client: Client;
  /** What it has proved; each must be seen at the end. */
  proved: Set<Proof>;
};
const PROOFS = ["wallet", "x", "github", "farcaster"] as const;
export type Proof = (typeof PROOFS)[number];

/** Milliseconds of each time it was done, and why it was not. */
export type Line = { ms: number[]; failures: string[] };

/** Milliseconds within which each must be done, whatever others do meanwhile. */
const LIMITS_MS = { registration: 60_000, payment: 60_000, other: 30_000 };
/** Between two acts of one person. */
const PAUSE_MS = { least: 100, most: 700 };
/** Acts of an agent before its person registers the next one. */
const ACTS = { least: 2, most: 6 };

export class Honest {
  readonly agents: HonestAgent[] = [];
  /** By what was done. */
  readonly lines = new Map<string, Line>();
  /** Tokens whose registration reached the follower of events. */
  readonly followed = new Set<number>();
  readonly world: World;
  #people = 0;
  #networks = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** Does something and keeps the time; what is not done in time, or not at all, is a failure. @returns undefined then */
  async timed<T>(what: string, limitMs: number, act: (deadline: number) => Promise<T>): Promise<T | undefined> {
    const line = this.lines.get(what) ?? { ms: [], failures: [] };
    this.lines.set(what, line);
    const began = performance.now();
    const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
    try {
      const done = await act(Date.now() + limitMs);
      const ms = performance.now() - began;
      if (ms > limitMs) throw new Error(`took ${seconds()} s`);
      line.ms.push(ms);
      return done;
    } catch (error) {
      const { message } = error as Error;
      line.failures.push(message);
      this.world.say(`FAILED ${what} after ${seconds()} s: ${message}`);
      return undefined;
    }
  }

  /** A way to register, drawn at random. */
  wayOf(random: () => number): Way {
    if (this.world.phase === "free") return "siwa";
    return weightedName(random, { x402: 5, transfer: 2, "mpp-pull": 2, "mpp-push": 1 });
  }

  /** Registers a new agent. @returns undefined when that failed */
  async register(way: Way): Promise<HonestAgent | undefined> {
    const { world } = this;
    const client = this.#ownNetwork();
    const units = world.phase === "paid" ? MINT_UNITS + 20n * REPORT_UNITS : 0n;
    const wallet = await world.wallet(`honest ${this.#people++}`, units);
    world.upcoming.push(wallet.address);
    // Half a second for an attacker that squats on wallets.
    await wait(500);
    return this.timed(`register (${way})`, LIMITS_MS.registration, async (deadline) => {
      const { tokenId, block } = await registration(world, { way, wallet, client }, deadline);
      const agent: HonestAgent = { wallet, tokenId, block, client, proved: new Set() };
      this.agents.push(agent);
      return agent;
    });
  }

  async prove(agent: HonestAgent, proof: Proof): Promise<void> {
    if (agent.proved.has(proof)) return;
    await this.timed(`prove ${proof}`, LIMITS_MS.other, async (deadline) => {
      await makeProof(this.world, proof, agent, deadline);
      agent.proved.add(proof);
    });
  }

  /** One person after the other, until the play is over. */
  async live(random: () => number): Promise<void> {
    const { signal } = this.world.ending;
    while (!signal.aborted) {
      const agent = await this.register(this.wayOf(random));
      if (!agent) continue;
      for (let acts = between(random, ACTS.least, ACTS.most); acts > 0 && !signal.aborted; acts--) {
        await wait(between(random, PAUSE_MS.least, PAUSE_MS.most));
        await weighted(random, ACTS_OF)(this, agent);
      }
    }
  }

  /** Follows the registrations as they happen, and comes back where it was when the stream ends. */
  async follow(until: AbortSignal): Promise<void> {
    const client = this.#ownNetwork();
    let last: string | undefined;
    while (!until.aborted) {
      try {
        const response = await client.open("GET", "/api/v2/events?type=agent.registered", {
          signal: until,
          leaveAfter: 2 ** 31 - 1,
          ...(last !== undefined && { headers: { "last-event-id": last } }),
        });
        const parser = createParser({
          onEvent: ({ id, event, data }) => {
            if (id) last = id;
            if (event === "agent.registered") this.followed.add((JSON.parse(data) as { tokenId: number }).tokenId);
          },
        });
        const decoder = new TextDecoder();
        for await (const chunk of response.body!) parser.feed(decoder.decode(chunk, { stream: true }));
      } catch {
        await wait(AGAIN_MS);
      }
    }
  }

  /** Makes the webhook that gets an event for every registration. */
  async listen({ client, wallet }: HonestAgent): Promise<void> {
    const body = { url: this.world.receivers.honestUrl, events: ["agent.registered"] };
    await this.timed("make a webhook", LIMITS_MS.other, (deadline) =>
      insist(client, deadline, ["POST", "/api/v2/webhooks", { wallet, body }]),
    );
  }

  /** Everything once, by a new person: whether all is open again after an attack. */
  async everything(way: Way): Promise<void> {
    const agent = await this.register(way);
    if (!agent) return;
    for (const proof of PROOFS) await this.prove(agent, proof);
    for (const [act] of ACTS_OF) await act(this, agent);
  }

  /** The wallet of a person who is about to register. */
  pickUpcoming(random: () => number): Hex | undefined {
    const { upcoming } = this.world;
    return upcoming.length > 0 ? pick(random, upcoming.slice(-6)) : undefined;
  }

  #ownNetwork(): Client {
    this.#networks++;
    return this.world.client(`10.7.${this.#networks >> 8}.${this.#networks & 255}`);
  }
}

const write = ({ client, wallet, tokenId }: HonestAgent, deadline: number, path: string, body?: unknown) =>
  insist(
    client,
    deadline,
    ["POST", `/api/v2/agent/${tokenId}/${path}`, { wallet, ...(body !== undefined && { body }) }],
    { good: [200, 202] },
  );

/** Accounts of honest people on the platforms have ids from here on. */
const ACCOUNTS_FROM = 700_000;

/** Makes a proof: what must be said on the platform is planted there, then the service is asked. */
async function makeProof(world: World, proof: Proof, agent: HonestAgent, deadline: number): Promise<unknown> {
  if (proof === "wallet") return write(agent, deadline, "verify");
  const { tokenId } = agent;
  // A name that no other agent of the run has; platforms allow one sign or the other in it.
  const name = `h${world.seed % 1000}${proof === "x" ? "_" : "-"}${tokenId}`;
  const { account } = PLATFORM_SIMULATORS[proof];
  const { path, planted, claim } = account(name, ACCOUNTS_FROM + tokenId, `helixa:${tokenId}`, "helixa");
  await world.control("PUT", path, planted);
  return write(agent, deadline, `verify/${proof}`, claim);
}

type Act = (honest: Honest, agent: HonestAgent) => Promise<unknown>;

const timed =
  (
    what: string,
    act: (agent: HonestAgent, deadline: number, honest: Honest) => Promise<unknown>,
    limitMs = LIMITS_MS.other,
  ): Act =>
  (honest, agent) =>
    honest.timed(what, limitMs, (deadline) => act(agent, deadline, honest));

const read = (what: string, path: (agent: HonestAgent) => string) =>
  timed(what, (agent, deadline) => insist(agent.client, deadline, ["GET", path(agent)]));

const update = timed("update", (agent, deadline) =>
  write(agent, deadline, "update", { narrative: { mission: `Of ${Date.now()}` } }),
);

const getReport = timed(
  "get a cred report",
  async ({ wallet, client, tokenId }, deadline, { world, agents }) => {
    const { tokenId: about } = agents[(tokenId * 7) % agents.length]!;
    const url = `${world.apiUrl}/api/v2/agent/${about}/cred-report`;
    const reply = await replyOf(await payingWith(wallet, client, deadline)(url));
    if (reply.status !== 200) throw new Error(`cred-report: ${shown(reply)}`);
  },
  LIMITS_MS.payment,
);

const exportCsv = timed("export a CSV", async ({ client }, deadline) => {
  const { body } = await insist(client, deadline, ["GET", "/api/terminal/agents.csv"]);
  if (!String(body).startsWith("id,")) throw new Error("the export is no CSV");
});

/** What people do with an agent, and how often. */
const ACTS_OF: readonly (readonly [act: Act, weight: number])[] = [
  [read("read own agent", ({ wallet }) => `/api/v2/agent/${wallet.address}`), 4],
  [read("read a list", () => "/api/v2/agents?limit=50&sort=credScore"), 4],
  [read("read the directory", () => "/api/terminal/agents?limit=50"), 4],
  [read("read the cred", ({ wallet }) => `/api/v2/agent/${wallet.address}/cred`), 3],
  [read("read own write", ({ tokenId, block }) => `/api/v2/agent/${tokenId}?minBlock=${block}`), 2],
  [
    read(
      "read own entry in the directory",
      (agent) => `/api/terminal/agent/${agent.tokenId}?platform=helixa&minBlock=${agent.block}`,
    ),
    2,
  ],
  [update, 4],
  ...PROOFS.map((proof) => [(honest: Honest, agent: HonestAgent) => honest.prove(agent, proof), 2] as const),
  [getReport, 3],
  [exportCsv, 1],
];

/** Registers a wallet. @returns its token, once it is there */
async function registration(
  world: World,
  { way, wallet, client }: { way: Way; wallet: LoadWallet; client: Client },
  deadline: number,
): Promise<{ tokenId: number; block: number }> {
  const reply = await paidMint(world, way, wallet, client, deadline);
  if (reply.status === 201) return reply.body;
  for (;;) {
    const { body } = await insist(client, deadline, ["GET", new URL(reply.body.statusUrl).pathname]);
    if (body.status === "minted") return body;
    if (body.status === "failed") throw new Error(`the registration failed: ${body.reason}`);
    if (Date.now() > deadline) throw new Error("the registration is still pending");
    await wait(AGAIN_MS);
  }
}

async function paidMint(world: World, way: Way, wallet: LoadWallet, client: Client, deadline: number): Promise<Reply> {
  const body = { name: `Honest ${wallet.address.slice(2, 10)}`, framework: "custom" };
  const authorization = await wallet.siwa();
  const carrying = (headers: Record<string, string> = {}): [string, string, RequestOptions] => [
    "POST",
    "/api/v2/mint",
    { body, headers: { authorization, ...headers } },
  ];
  switch (way) {
    case "siwa":
      return insist(client, deadline, carrying({ "idempotency-key": randomUUID() }), GOOD_MINT);
    case "x402": {
      const pays = payingWith(wallet, client, deadline);
      const response = await pays(`${world.apiUrl}/api/v2/mint`, jsonRequest("POST", body, { authorization }));
      const reply = await replyOf(response);
      if (GOOD_MINT.good.includes(reply.status)) return reply;
      throw new Error(`POST /api/v2/mint: ${shown(reply)}`);
    }
    case "transfer": {
      const { raw, hash } = await world.chainClient.transfer(wallet, world.payees.deployer, MINT_UNITS);
      return insist(client, deadline, carrying({ "x-payment-tx": hash }), {
        ...GOOD_MINT,
        again: () => world.chainClient.push(raw),
      });
    }
    default: {
      const customer = await tempoCustomer(world.tempoUrl, 2n * MINT_UNITS, {
        privateKey: wallet.privateKey,
        host: world.host,
      });
      const challenge = await client.open(...carrying());
      if (challenge.status !== 402) throw new Error(`no challenge: ${shown(await replyOf(challenge))}`);
      const credential = await customer.answer(challenge, way === "mpp-pull" ? "pull" : "push");
      return insist(client, deadline, carrying({ "payment-authorization": credential }), GOOD_MINT);
    }
  }
}
