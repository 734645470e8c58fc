/** What the other registries list: sound agents, which must all be shown, and between them what attackers registered there. */
import { setTimeout as wait } from "node:timers/promises";
import { controlOf } from "../simulator-control.ts";

export const PULLED = ["virtuals", "agentverse", "mcp-registry", "x402-bazaar"] as const;
export type Source = (typeof PULLED)[number];

/** A sound agent of another registry, and what must be shown of it. */
type SoundAgent = { source: Source; agentId: string; name: string; token?: string; marketCapUsd?: number };

type Row = Record<string, unknown>;

const BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const OFFICIAL = "io.modelcontextprotocol.registry/official";

/** Rows in the upstreams' own shapes. @param at seconds since the epoch, growing with `n` */
const SHAPES: Record<Source, (n: number, name: string, at: string) => { row: Row; agentId: string; token?: string }> = {
  virtuals: (n, name, at) => {
    const token = addressOf(n, "7");
    const row = {
      ...{ id: 10_000 + n, name, description: "Sound.", walletAddress: addressOf(n, "1"), createdAt: at },
      ...{ ownerAddress: addressOf(n, "2"), tokenAddress: token, symbol: `S${n}`, jobs: [], successfulJobCount: n },
    };
    return { row, agentId: String(10_000 + n), token };
  },
  agentverse: (n, name, at) => {
    const address = `agent1q${[...n.toString(32).padStart(58, "0")].map((c) => BECH32[Number.parseInt(c, 32)]).join("")}`;
    return {
      row: { address, name, protocols: [], status: "active", created_at: at, last_updated: at },
      agentId: address,
    };
  },
  "mcp-registry": (n, name, at) => {
    const id = `io.github.sound${n}/server`;
    const server = {
      name: id,
      title: name,
      version: "1.0.0",
      remotes: [{ type: "sse", url: `https://s${n}.example/mcp` }],
    };
    const official = { status: "active", publishedAt: at, updatedAt: at, isLatest: true };
    return { row: { server, _meta: { [OFFICIAL]: official } }, agentId: id };
  },
  "x402-bazaar": (n, name, at) => {
    const payTo = addressOf(n, "5");
    const accepts = [{ scheme: "exact", network: "eip155:8453", asset: addressOf(0, "8"), amount: "1", payTo }];
    const row = { resource: `https://sound${n}.example/`, type: "http", x402Version: 2, serviceName: name, accepts };
    return { row: { ...row, lastUpdated: at }, agentId: payTo };
  },
};

/** Has letters in it, so that its number of digits stays. */
const addressOf = (n: number, digit: string) =>
  `0x${digit.repeat(20)}${(0xa000000 + n).toString(16).padStart(20, "b")}`;

export function plantedRegistries(simulatorUrl: string, seed: number) {
  const rows = new Map<Source, Row[]>(PULLED.map((source) => [source, []]));
  const sound: SoundAgent[] = [];
  const control = controlOf(simulatorUrl);
  let made = 0;
  /** Requests to the simulators one after the other: the last one says what is there. */
  let turn: Promise<unknown> = Promise.resolve();

  const put = (path: string, body: unknown): Promise<void> => {
    const done = turn.then(async () => {
      // A simulator under load is asked again: what it holds must be what is expected of the service.
      for (let tries = 0; tries < 20; tries++) {
        const taken = await control("PUT", path, body).catch(() => null);
        await taken?.body?.cancel();
        if (taken?.ok) return;
        await wait(250);
      }
      throw new Error(`the simulators do not take ${path}`);
    });
    turn = done.catch(() => {});
    return done;
  };
  const publish = (source: Source) => put(`registries/${source}/agents`, rows.get(source));

  return {
    /** Every agent that must be shown at the end. */
    sound,
    /** Lists some sound agents in each registry, with a market for those that have a token. */
    async plantSound(each: number): Promise<void> {
      for (const source of PULLED) {
        for (let i = 0; i < each; i++) {
          const n = ++made;
          const name = `Sound ${source} ${seed % 1000} ${n}`;
          const { row, agentId, token } = SHAPES[source](n, name, new Date().toISOString());
          rows.get(source)!.push(row);
          const marketCapUsd = 1_000 + n;
          const market = { symbol: `S${n}`, name, marketCap: marketCapUsd, volume24h: 10, liquidityUsd: 5_000 };
          if (token) await put(`dexscreener/${token}`, market);
          sound.push({ source, agentId, name, ...(token && { token, marketCapUsd }) });
        }
        await publish(source);
      }
    },
    /** Puts a hostile row among the others. @param place 0 to 1 */
    async plantHostile(source: Source, row: Row, place: number): Promise<void> {
      const list = rows.get(source)!;
      list.splice(Math.floor(place * list.length), 0, row);
      await publish(source);
    },
    /** A sound row to spoil: the shape of its registry with an id of its own. */
    template(source: Source): { row: Row; token: string } {
      const n = ++made;
      const { row } = SHAPES[source](n, `Hostile ${n}`, new Date().toISOString());
      return { row: structuredClone(row), token: addressOf(n, "9") };
    },
    market: (token: string, body: unknown) => put(`dexscreener/${token}`, body),
  };
}
