/** Honest people of a stack under attack: they register, pay, prove, read and follow, each from a network of its own and within a stated time. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import type { Hex } from "viem";
import { payingFetch } from "../paying-fetch.ts";
import type { LoadWallet } from "../payment-load/wallets.ts";
import { between, pick, weighted } from "../random.ts";
import { type Customer, tempoCustomer } from "../tempo.ts";
import { type Asked, type Client, type Reply, replyOf, shown } from "./client.ts";
import { MINT_UNITS, REPORT_UNITS, type World } from "./world.ts";

/** An agent that somebody honest has registered. */
export type HonestAgent = {
  wallet: LoadWallet;
  tokenId: number;
  /** Block of its registration. */
  block: number;
  client: Client;
  way: Way;
  /** What it has proved; each must be seen at the end. */
  proved: Set<Proof>;
};
export type Proof = "wallet" | "x" | "github" | "farcaster";
export type Way = "siwa" | "x402" | "mpp-pull" | "mpp-push" | "transfer";

/** Milliseconds of each time it was done, and why it was not. */
export type Line = { ms: number[]; failures: string[] };

/** Milliseconds within which each must be done, whatever others do meanwhile. */
export type Limits = { registration: number; payment: number; other: number };
const STANDARD_LIMITS: Limits = { registration: 60_000, payment: 60_000, other: 30_000 };

export type Honest = Awaited<ReturnType<typeof openHonest>>;

/** Between two acts of one person. */
const PAUSE_MS = { least: 100, most: 700 };
/** Acts of an agent before its person registers the next one. */
const ACTS = { least: 2, most: 6 };
const AGAIN_MS = 300;

export async function openHonest(world: World, limits: Limits = STANDARD_LIMITS) {
  const agents: HonestAgent[] = [];
  const lines = new Map<string, Line>();
  /** Tokens whose registration the follower of events was told of. */
  const followed = new Set<number>();
  let people = 0;
  let networks = 0;
  const ownNetwork = () => {
    networks++;
    return world.client(`10.7.${networks >> 8}.${networks & 255}`);
  };

  /** Does something and keeps the time; what is not done in time, or not at all, is a failure. @returns undefined then */
  async function timed<T>(
    what: string,
    limitMs: number,
    act: (deadline: number) => Promise<T>,
  ): Promise<T | undefined> {
    const line = lines.get(what) ?? { ms: [], failures: [] };
    lines.set(what, line);
    const began = performance.now();
    try {
      const done = await act(Date.now() + limitMs);
      const ms = performance.now() - began;
      if (ms > limitMs) throw new Error(`took ${(ms / 1000).toFixed(1)} s`);
      line.ms.push(ms);
      return done;
    } catch (error) {
      line.failures.push((error as Error).message);
      world.say(
        `FAILED ${what} after ${((performance.now() - began) / 1000).toFixed(1)} s: ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  /** Asks as a sensible client does: what may pass by waiting is asked again. @throws Error with the answer that decided */
  async function insist(
    client: Client,
    deadline: number,
    [method, path, asked]: [method: string, path: string, asked?: Asked],
    { again, good = [200, 201] }: { again?: () => Promise<unknown>; good?: readonly number[] } = {},
  ): Promise<Reply> {
    const answers: string[] = [];
    for (;;) {
      const leaveAfter = Math.max(1_000, Math.min(30_000, deadline - Date.now()));
      const reply = await client.ask(method, path, { ...asked, leaveAfter });
      if (good.includes(reply.status)) return reply;
      answers.push(shown(reply));
      if (!mayPass(reply) || Date.now() > deadline)
        throw new Error(`${method} ${path}: ${answers.slice(-4).join(", ")}`);
      await again?.();
      await wait(AGAIN_MS);
    }
  }

  /** The registration behind a 201, or behind the status of a 202. */
  async function registered(
    client: Client,
    reply: Reply,
    deadline: number,
  ): Promise<{ tokenId: number; block: number }> {
    if (reply.status === 201) return reply.body;
    for (;;) {
      const { body } = await insist(client, deadline, ["GET", new URL(reply.body.statusUrl).pathname]);
      if (body.status === "minted") return body;
      if (body.status === "failed") throw new Error(`the registration failed: ${body.reason}`);
      if (Date.now() > deadline) throw new Error("the registration is still pending");
      await wait(AGAIN_MS);
    }
  }

  const GOOD_MINT = { good: [201, 202] };

  async function registerBy(way: Way, wallet: LoadWallet, client: Client, deadline: number) {
    const body = { name: `Honest ${wallet.address.slice(2, 10)}`, framework: "custom" };
    const authorization = await wallet.siwa();
    const carrying = (headers: Record<string, string> = {}): [string, string, Asked] => [
      "POST",
      "/api/v2/mint",
      { body, headers: { authorization, ...headers } },
    ];
    switch (way) {
      case "siwa":
        return insist(client, deadline, carrying({ "idempotency-key": randomUUID() }), GOOD_MINT);
      case "x402": {
        const response = await payingWith(
          wallet,
          client,
          deadline,
        )(`${world.apiUrl}/api/v2/mint`, {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify(body),
        });
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
        const customer: Customer = await tempoCustomer(world.tempoUrl, 2n * MINT_UNITS, {
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

  /** fetch that pays by x402 with the real client, and comes back with the same payment while it is undecided. */
  function payingWith(wallet: LoadWallet, client: Client, deadline: number): typeof fetch {
    const patient: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      for (;;) {
        const response = await client.fetch(request.clone()).catch(() => null);
        if (response && !mayPass(await replyOf(response.clone()))) return response;
        if (Date.now() > deadline) return response ?? Response.error();
        await wait(AGAIN_MS);
      }
    };
    return payingFetch(wallet.account, patient);
  }

  /** Registers somebody new. @returns undefined when that failed */
  async function register(way: Way): Promise<HonestAgent | undefined> {
    const client = ownNetwork();
    const units = world.phase === "paid" ? MINT_UNITS + 20n * REPORT_UNITS : 0n;
    const wallet = await world.wallet(`honest ${people++}`, units);
    world.upcoming.push(wallet.address);
    // Whoever squats on wallets has a moment for it.
    await wait(500);
    return timed(`register (${way})`, limits.registration, async (deadline) => {
      const { tokenId, block } = await registered(client, await registerBy(way, wallet, client, deadline), deadline);
      const agent: HonestAgent = { wallet, tokenId, block, client, way, proved: new Set() };
      agents.push(agent);
      return agent;
    });
  }

  const read = (what: string, path: (agent: HonestAgent) => string) => (agent: HonestAgent) =>
    timed(what, limits.other, (deadline) => insist(agent.client, deadline, ["GET", path(agent)]));

  const write = (agent: HonestAgent, deadline: number, path: string, body?: unknown) =>
    insist(
      agent.client,
      deadline,
      ["POST", `/api/v2/agent/${agent.tokenId}/${path}`, { wallet: agent.wallet, ...(body !== undefined && { body }) }],
      { good: [200, 202] },
    );

  async function prove(agent: HonestAgent, proof: Proof): Promise<void> {
    if (agent.proved.has(proof)) return;
    const { tokenId } = agent;
    const said = `helixa:${tokenId}`;
    const name = `h${world.seed % 1000}_${tokenId}`;
    await timed(`prove ${proof}`, limits.other, async (deadline) => {
      if (proof === "x") {
        await world.control("PUT", `x/users/${name}`, { id: String(700_000 + tokenId), name, description: said });
        await write(agent, deadline, "verify/x", { handle: name });
      } else if (proof === "github") {
        const login = name.replace("_", "-");
        const gist = {
          // Padded with 0: any other hex digit makes one id of two agents.
          id: tokenId.toString(16).padStart(20, "0"),
          public: true,
          files: { "helixa-verify.txt": said },
        };
        await world.control("PUT", `github/users/${login}`, { id: 800_000 + tokenId, gists: [gist] });
        await write(agent, deadline, "verify/github", { username: login });
      } else if (proof === "farcaster") {
        const username = name.replace("_", "-");
        const cast = { hash: `0x${tokenId.toString(16).padStart(40, "0")}`, text: said };
        await world.control("PUT", `farcaster/users/${username}`, { fid: 900_000 + tokenId, casts: [cast] });
        await write(agent, deadline, "verify/farcaster", { username });
      } else await write(agent, deadline, "verify");
      agent.proved.add(proof);
    });
  }

  const buyReport = (agent: HonestAgent) =>
    timed(world.phase === "paid" ? "buy a report" : "read a report", limits.payment, async (deadline) => {
      const url = `${world.apiUrl}/api/v2/agent/${pickAgent(agent).tokenId}/cred-report`;
      const response = await payingWith(agent.wallet, agent.client, deadline)(url);
      const reply = await replyOf(response);
      if (reply.status !== 200) throw new Error(`cred-report: ${shown(reply)}`);
    });
  const pickAgent = (agent: HonestAgent) => agents[(agent.tokenId * 7) % agents.length]!;

  const exportCsv = (agent: HonestAgent) =>
    timed("export a CSV", limits.other, async (deadline) => {
      const { body } = await insist(agent.client, deadline, ["GET", "/api/terminal/agents.csv"]);
      if (!String(body).startsWith("id,")) throw new Error("the export is no CSV");
    });

  const ACTS_OF: readonly (readonly [(agent: HonestAgent) => Promise<unknown>, number])[] = [
    [read("read own agent", ({ wallet }) => `/api/v2/agent/${wallet.address}`), 4],
    [read("read a list", () => "/api/v2/agents?limit=50&sort=credScore"), 4],
    [read("read the directory", () => "/api/terminal/agents?limit=50"), 4],
    [read("read the cred", ({ wallet }) => `/api/v2/agent/${wallet.address}/cred`), 3],
    [read("read own write", ({ tokenId, block }) => `/api/v2/agent/${tokenId}?minBlock=${block}`), 2],
    [
      read(
        "read own entry in the directory",
        ({ tokenId, block }) => `/api/terminal/agent/${tokenId}?platform=helixa&minBlock=${block}`,
      ),
      2,
    ],
    [
      (agent) =>
        timed("update", limits.other, (deadline) =>
          write(agent, deadline, "update", { narrative: { mission: `Of ${Date.now()}` } }),
        ),
      4,
    ],
    [(agent) => prove(agent, "wallet"), 2],
    [(agent) => prove(agent, "x"), 2],
    [(agent) => prove(agent, "github"), 2],
    [(agent) => prove(agent, "farcaster"), 2],
    [buyReport, 3],
    [exportCsv, 1],
  ];

  const wayOf = (random: () => number): Way =>
    world.phase === "free"
      ? "siwa"
      : weighted(random, [
          ["x402", 5],
          ["transfer", 2],
          ["mpp-pull", 2],
          ["mpp-push", 1],
        ] as const);

  /** One person after the other, until the play is over. */
  async function live(random: () => number): Promise<void> {
    while (!world.ending.signal.aborted) {
      const agent = await register(wayOf(random));
      if (!agent) continue;
      for (let acts = between(random, ACTS.least, ACTS.most); acts > 0 && !world.ending.signal.aborted; acts--) {
        await wait(between(random, PAUSE_MS.least, PAUSE_MS.most));
        await weighted(random, ACTS_OF)(agent);
      }
    }
  }

  /** Follows the registrations as they happen, and comes back where it was when the stream ends. */
  async function follow(until: AbortSignal): Promise<void> {
    const client = ownNetwork();
    let last: string | undefined;
    while (!until.aborted) {
      try {
        const response = await client.open("GET", "/api/v2/events?type=agent.registered", {
          signal: until,
          leaveAfter: 2 ** 31 - 1,
          ...(last !== undefined && { headers: { "last-event-id": last } }),
        });
        const parser = createParser({
          onEvent({ id, event, data }) {
            if (id) last = id;
            if (event === "agent.registered") followed.add((JSON.parse(data) as { tokenId: number }).tokenId);
          },
        });
        const decoder = new TextDecoder();
        for await (const chunk of response.body!) parser.feed(decoder.decode(chunk, { stream: true }));
      } catch {
        await wait(AGAIN_MS);
      }
    }
  }

  return {
    agents,
    lines,
    followed,
    timed,
    insist,
    register,
    live,
    follow,
    prove,
    wayOf,
    /** Makes the webhook that is told of everybody's registration. @returns when, by the log's position */
    async listen(agent: HonestAgent): Promise<void> {
      const body = { url: world.receivers.honestUrl, events: ["agent.registered"] };
      await timed("make a webhook", limits.other, (deadline) =>
        insist(agent.client, deadline, ["POST", "/api/v2/webhooks", { wallet: agent.wallet, body }]),
      );
    },
    /** Everything once, by somebody new: whether the doors are open again after an attack. */
    async everything(way: Way): Promise<void> {
      const agent = await register(way);
      if (!agent) return;
      for (const proof of ["wallet", "x", "github", "farcaster"] as const) await prove(agent, proof);
      for (const [act] of ACTS_OF) await act(agent);
    },
    /** The wallet of somebody who is about to register. */
    pickUpcoming: (random: () => number): Hex | undefined =>
      world.upcoming.length > 0 ? pick(random, world.upcoming.slice(-6)) : undefined,
  };
}

/** Whether the same request may be answered otherwise in a moment. */
function mayPass({ status, code }: Reply): boolean {
  if (status === 0 || status === 502 || status === 503 || status === 504) return true;
  if (status === 409) return code === "request_in_progress";
  return status === 402 && /^transaction_not_(found|confirmed)$/.test(code);
}
