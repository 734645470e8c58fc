/** A soak's traffic: everything the service does, at a moderate rate, for as long as it is asked to. */
import { setTimeout as wait } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startBlockClock } from "../../devnet/block-clock.ts";
import type { DevnetFile } from "../../harness/stack.ts";
import { GROUPS, kindsOf, oneOf, random } from "./kinds.ts";
import { population } from "./people.ts";
import { emptyTally, note, type Tally } from "./tally.ts";

export type TrafficPlan = {
  devnet: DevnetFile;
  perSecond: number;
  /** Event streams open at any time; each lives for some seconds, then another is opened. */
  readers: number;
  /** Mean seconds between reorganisations, which take back one block or two. */
  reorgEverySeconds: number;
};

export type Traffic = Awaited<ReturnType<typeof startTraffic>>;

const BLOCK_MS = 1_000;
const MAX_DEPTH = 2;
/** For what is under way when the traffic ends: a payment comes back until it is decided. */
const LAST_ANSWERS_MS = 240_000;
const STREAM_SECONDS = { least: 5, most: 45 };

/** Ends early, and without a word, when the soak does. */
const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => {});

export async function startTraffic(plan: TrafficPlan) {
  const { devnet } = plan;
  const tally = emptyTally();
  const ending = new AbortController();
  const people = population(devnet, (status, text) => note(tally, "payment", status, text));
  const clock = await startBlockClock(devnet.rpcUrl, BLOCK_MS);
  const asked = underWay(tally);
  let { perSecond } = plan;
  let events = 0;
  let reorganisations = 0;

  const deck = kindsOf(devnet, people).flatMap((kind) => Array.from({ length: kind[1] }, () => kind));
  function any(): void {
    const [kind, , send, acts] = oneOf(deck);
    if (!acts || people.actors.length > 0) asked.add(kind, send());
  }

  /** Times are fixed beforehand: a service that stalls finds the requests of the stall waiting. */
  async function pace(): Promise<void> {
    let due = performance.now();
    while (!ending.signal.aborted) {
      const now = performance.now();
      for (; due <= now; due += (-Math.log(1 - Math.random()) * 1000) / perSecond) any();
      await pause(Math.max(1, due - now), ending.signal);
    }
  }

  async function read(): Promise<void> {
    while (!ending.signal.aborted)
      await readStream(devnet.apiUrl, tally, ending.signal, (more) => {
        events += more;
      });
  }

  async function speakMcp(): Promise<void> {
    for (;;) {
      await pause(15_000, ending.signal);
      if (ending.signal.aborted) return;
      await mcpSession(devnet.apiUrl, tally);
    }
  }

  async function reorganise(): Promise<void> {
    while (!ending.signal.aborted) {
      await pause(plan.reorgEverySeconds * (500 + random(1_000)), ending.signal);
      if (ending.signal.aborted) return;
      await clock.reorganise(1 + random(MAX_DEPTH));
      reorganisations++;
    }
  }

  // The first acts need an actor.
  await Promise.all([people.mint(), people.mint()]);
  const loops = [pace(), speakMcp(), reorganise(), ...Array.from({ length: plan.readers }, () => read())];
  return {
    tally,
    /** Requests a second from now on. */
    setRate(rate: number) {
      perSecond = rate;
    },
    /** Number of events read on all streams. */
    events: () => events,
    reorganisations: () => reorganisations,
    agents: () => people.actors.length,
    /** Sends nothing more and waits for the requests under way; one without an answer then counts as an error. */
    async stop() {
      ending.abort();
      await Promise.all(loops);
      await asked.end();
      await clock.stop();
    },
  };
}

/** Requests under way, whose answers are noted as they come. */
function underWay(tally: Tally) {
  const kinds = new Map<Promise<void>, string>();
  return {
    add(kind: string, answer: Promise<Response>): void {
      const noted = answer
        .then(async (response) => {
          const text = await response.text();
          if (kinds.has(noted)) note(tally, kind, response.status, text);
        })
        .catch((error) => {
          if (kinds.has(noted)) note(tally, kind, 0, String(error.cause ?? error));
        })
        .finally(() => kinds.delete(noted));
      kinds.set(noted, kind);
    },
    /** Waits for the last answers; what has none by then counts as an error. */
    async end(): Promise<void> {
      await Promise.race([Promise.all(kinds.keys()), wait(LAST_ANSWERS_MS)]);
      for (const kind of kinds.values())
        note(tally, kind, 0, `no answer ${LAST_ANSWERS_MS / 1000} s after the traffic's end`);
      kinds.clear();
    },
  };
}

/** Reads the stream of a group for some seconds. @param onEvents gets how many have come */
async function readStream(
  apiUrl: string,
  tally: Tally,
  ending: AbortSignal,
  onEvents: (more: number) => void,
): Promise<void> {
  const seconds = STREAM_SECONDS.least + random(STREAM_SECONDS.most - STREAM_SECONDS.least);
  const signal = AbortSignal.any([ending, AbortSignal.timeout(seconds * 1000)]);
  try {
    const response = await fetch(`${apiUrl}/api/v2/messages/groups/${oneOf(GROUPS)}/stream`, { signal });
    note(tally, "stream", response.status);
    for await (const chunk of response.body!) onEvents(Buffer.from(chunk).toString().split("\nid: ").length - 1);
  } catch (error) {
    if (!signal.aborted) note(tally, "stream", 0, String(error));
  }
}

/** A client of MCP comes, lists the tools, calls one and goes. */
async function mcpSession(apiUrl: string, tally: Tally): Promise<void> {
  const client = new Client({ name: "soak", version: "1.0.0" });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", apiUrl)));
    await client.listTools();
    await client.callTool({ name: "leaderboard", arguments: { limit: 5 } });
    note(tally, "mcp session", 200);
  } catch (error) {
    note(tally, "mcp session", 0, String(error));
  } finally {
    await client.close();
  }
}
