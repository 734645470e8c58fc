/** A subscriber of the event log on a whole stack whose processes are killed, one after the other, while agents are minted. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import type { EventView } from "../../core/views/webhooks.ts";
import { agentWallet, testChain } from "../../harness/agent-wallet.ts";
import { until } from "../../harness/until.ts";
import { EVENT_FAULT_POINTS } from "../../workers/events/event-log.ts";
import { type EventReader, readEvents } from "../api/support/event-reader.ts";
import { startParts } from "../support/parts.ts";
import { patientFetch } from "../support/patient-fetch.ts";
import { perFile } from "../support/started.ts";

const parts = perFile(() => startParts({ blockTimeSeconds: 0.25 }));
let subscriber: ReturnType<typeof patientSubscriber>;
beforeAll(async () => {
  await Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]);
  subscriber = patientSubscriber();
});
afterAll(async () => {
  subscriber?.leave();
});

/** Comes back with the last id whenever its line ends, as EventSource does. */
function patientSubscriber() {
  const got: { position: number; event: EventView }[] = [];
  let reader: EventReader | undefined;
  let over = false;
  void (async () => {
    let lastId = "0";
    while (!over) {
      reader = await readEvents(`${parts.apiUrl}/api/v2/events`, { "last-event-id": lastId }).catch(() => undefined);
      const current = reader;
      if (current?.status === 200) {
        await until("the line has ended", () => over || current.ended(), { timeoutMs: Number.POSITIVE_INFINITY });
        lastId = current.lastId() ?? lastId;
        take(current);
      } else await new Promise((done) => setTimeout(done, 50));
    }
  })();
  function take({ events }: EventReader): void {
    for (const { id, event, data } of events.splice(0))
      if (event.includes(".")) got.push({ position: Number(id), event: JSON.parse(data) });
  }
  return {
    got() {
      if (reader) take(reader);
      return got;
    },
    leave() {
      over = true;
      reader?.close();
    },
  };
}

let minted = 0;
/** Mints an agent straight on the chain. @returns its wallet, lower-case */
async function mint(): Promise<string> {
  const chain = testChain(parts.rpcUrl);
  const price = await chain.readContract({ address: parts.identity, abi: identityAbi, functionName: "mintPrice" });
  const wallet = agentWallet({ host: parts.host });
  await wallet.call(
    parts.rpcUrl,
    parts.identity,
    "mint",
    [wallet.address, `Killed ${++minted}`, "custom", false],
    price,
  );
  return wallet.address.toLowerCase();
}

const wallets: string[] = [];
const of = (type: string) => subscriber.got().filter(({ event }) => event.type === type);
const registered = () =>
  of("agent.registered").map(({ event }) => (event.data as { agentAddress: string }).agentAddress.toLowerCase());
const everyone = () =>
  until(
    "every agent was told of, and its first score",
    () => wallets.every((wallet) => registered().includes(wallet)) && of("cred.changed").length >= wallets.length,
  );

it("a subscriber is told of everything once, whatever is killed", async () => {
  wallets.push(await mint());
  await everyone();
  for (const point of ["dispatcher.committed", ...EVENT_FAULT_POINTS]) {
    parts.kill("workers");
    await parts.died("workers");
    await parts.start("workers", { FAULT_POINT: point });
    wallets.push(await mint());
    await parts.died("workers");
  }
  await parts.start("workers");
  parts.kill("api");
  wallets.push(await mint());
  await parts.died("api");
  await parts.start("api");
  for (const part of ["indexer", "workers", "api"] as const) parts.kill(part);
  await Promise.all((["indexer", "workers", "api"] as const).map((part) => parts.died(part)));
  wallets.push(await mint());
  await Promise.all([parts.start("indexer"), parts.start("workers"), parts.start("api")]);
  wallets.push(await mint());
  await everyone();

  expect(registered().toSorted()).toEqual(wallets.toSorted());
  expect(of("event.retracted")).toEqual([]);
  const firsts = of("cred.changed").filter(
    ({ event }) => (event.data as { previous: number | null }).previous === null,
  );
  expect(firsts.map(({ event }) => event.tokenId).toSorted()).toEqual(
    of("agent.registered")
      .map(({ event }) => event.tokenId)
      .toSorted(),
  );
  const ids = subscriber.got().map(({ event }) => event.id);
  expect(new Set(ids).size).toBe(ids.length);
  // What it was told on many lines is the log, in its order.
  await until("it has all of the log", async () => {
    const last = subscriber.got().at(-1)!.position;
    const log = (await (await patientFetch(`${parts.apiUrl}/api/v2/events/log?limit=1000`)).json()) as {
      events: EventView[];
    };
    return (
      log.events.length === subscriber.got().length &&
      subscriber.got().every(({ event }, i) => log.events[i]!.id === event.id) &&
      last
    );
  });
});
