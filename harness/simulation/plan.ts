/** What happens in a round, drawn from its seed: what people and agents do, what breaks meanwhile, and when. */
import { MINT_FAULT_POINTS, PAID_MINT_FAULT_POINT } from "../../api/services/mint.ts";
import { WRITE_FAULT_POINTS } from "../../api/services/writing.ts";
import { PAYMENT_FAULT_POINTS } from "../../payments/settle.ts";
import { DISPATCHER_FAULT_POINTS } from "../../workers/events/dispatcher.ts";
import { FAULT_POINTS as SENDER_FAULT_POINTS } from "../../workers/transactions/sender/session.ts";
import {
  type FacilitatorMode,
  needsOf,
  PAYMENT_VARIANTS,
  type PaymentVariant,
  type PlannedPayment,
} from "../payment-load/plan.ts";
import { between, pick, randomOf, weighted } from "../random.ts";
import type { LineMode } from "../tcp-proxy.ts";
import { NODE_MODES, type NodeMode } from "../troubled-node.ts";
import type { Part } from "./processes.ts";

/** The faults of a round, by their row in docs/engineering/reliability.md. */
export const ROWS = {
  F1: "kill -9 of an API",
  F2: "kill -9 of a worker",
  F3: "the broadcast's answer is lost or an error",
  F4: "a transaction is dropped, late or stuck",
  F5: "a foreign transaction of the sender's key, the sender's lock lost",
  F6: "the sender is out of gas funds",
  F7: "transactions of the sender are reorganised away",
  F8: "one Idempotency-Key many times, and for another body",
  F9: "one payment twice, stolen, drained, front-run",
  F10: "Redis away, restarted, emptied, failed over",
  F11: "Postgres away, crashed, refusing, locked, read-only",
  F12: "a node with errors, limits, lag, logs left out or another chain",
  F13: "a reorganisation of 1 to 29 blocks",
  F14: "a reorganisation of 31 to 200 blocks",
  F15: "kill -9 of the indexer",
  F16: "a provider or the facilitator in trouble",
  F17: "duplicate, poisoned, stalled jobs",
  F18: "a clock ten minutes off",
  F19: "SIGTERM under load",
} as const;
export type Row = keyof typeof ROWS;

/** What clients of an agent leave on the chain. */
const EVIDENCE = ["review", "payment", "job"] as const;

export type Act =
  | { kind: "purchase"; payment: PlannedPayment }
  | { kind: "direct-mint" | "sale" | "trait" | "attestation" | "message" | "other-body" | "false-proof" }
  /** About the agent that was hired. */
  | { kind: (typeof EVIDENCE)[number] }
  /** By newcomer number. */
  | { kind: "verify" | "update" | "profile" | "proof"; newcomer: number };

/** Who is asked for data: the API, the workers or the indexer, each by a node and a line of its own. */
export type Side = "api" | "workers" | "indexer";

type FaultEvent =
  | { do: "kill"; part: Part; point?: string }
  | { do: "freeze"; part: Part }
  | { do: "terminate"; part: Part }
  | { do: "skew"; part: Part; skewMs: number }
  | { do: "node"; side: Side; mode: NodeMode }
  | { do: "foreign"; transactions: number }
  | { do: "lose-lock" | "no-funds" | "jobs" }
  | { do: "reorg"; depth: number; loss: number }
  | { do: "redis"; way: "restart" | "flush" | "cut" | "silent" | "late" | "failover" }
  | { do: "postgres"; way: "crash" | "sessions" | "refuse" | "lock" | "read-only" }
  | { do: "line"; side: Side; way: "cut" | "reset" | LineMode }
  | { do: "facilitator"; mode: FacilitatorMode }
  | { do: "provider"; source: string; plan: { status?: number; delayMs?: number; headers?: object; body?: unknown } };

/** A fault: which row it counts for, when it begins and for how long it lasts, in milliseconds. */
export type Fault = FaultEvent & { row: Row; afterMs: number; ms: number };
export type Plan = {
  seed: number;
  rows: Row[];
  acts: Act[];
  faults: Fault[];
  /** Blocks that are mined before the round: no reorganisation reaches further back. */
  reach: number;
  /** The second API's clock is wrong: who pays keeps to the first. */
  skewed: boolean;
};

const API_POINTS = [...PAYMENT_FAULT_POINTS, PAID_MINT_FAULT_POINT, ...MINT_FAULT_POINTS, ...WRITE_FAULT_POINTS];
const IDEMPOTENCY_POINTS = ["idempotency.claimed", "idempotency.handled", "idempotency.finished"];
const MESSAGE_POINTS = ["messages.before-commit", "messages.after-commit"];
const WORKER_POINTS = [...SENDER_FAULT_POINTS, ...DISPATCHER_FAULT_POINTS, "job.score", "job.payment-sweep"];
const CHEATS = PAYMENT_VARIANTS.filter((variant) => !["plain", "copies", "reused-number"].includes(variant));
const PROVIDERS = ["github", "github", "x", "farcaster", "ethos"];
const SKEW_MS = 600_000;
/** Rows of one round; the rest of what happens is people's own doing. */
const ROWS_PER_ROUND = 8;
/** Newcomers of a round: agents that have just registered by themselves. */
export const NEWCOMERS = 3;

/** @param only draws from these rows alone */
export function drawPlan(seed: number, only: readonly Row[] = Object.keys(ROWS) as Row[]): Plan {
  const random = randomOf(seed);
  const left = [...only];
  const rows: Row[] = [];
  while (left.length > 0 && rows.length < ROWS_PER_ROUND)
    rows.push(...left.splice(Math.floor(random() * left.length), 1));
  const faults = rows.flatMap((row) =>
    EVENTS[row]((from) => pick(random, from), random).map((event) => timed(row, event, random)),
  );
  const acts = actsOf(rows, random);
  const deepest = Math.max(0, ...faults.map((fault) => (fault.do === "reorg" ? fault.depth : 0)));
  return {
    ...{ seed, rows: rows.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))), acts, faults },
    reach: Math.max(35, deepest + 5),
    skewed: faults.some((fault) => fault.do === "skew" && fault.part === "api-2"),
  };
}

function timed(row: Row, event: FaultEvent, random: () => number): Fault {
  const ms = event.do === "no-funds" ? between(random, 1_000, 2_500) : between(random, 600, 3_500);
  // A deep reorganisation comes late enough to take something with it.
  const afterMs = event.do === "reorg" ? between(random, 1_200, 4_500) : between(random, 0, 3_500);
  return { ...event, row, afterMs, ms };
}

type Draw = <T>(from: readonly T[]) => T;
const side = (draw: Draw) => draw(["api", "workers", "indexer"] as const);
const api = (draw: Draw) => draw(["api", "api-2"] as const);
const workers = (draw: Draw) => draw(["workers", "workers-2"] as const);

/** Killed anywhere or at one of some points, or frozen. */
function deathOf(part: Part, random: () => number, points: readonly string[]): FaultEvent[] {
  if (random() < 0.15) return [{ do: "freeze", part }];
  return [random() < 0.3 ? { do: "kill", part } : { do: "kill", part, point: pick(random, points) }];
}

/** What happens by each row. */
const EVENTS: Record<Row, (draw: Draw, random: () => number) => FaultEvent[]> = {
  F1: (draw, random) => deathOf(api(draw), random, [...API_POINTS, ...IDEMPOTENCY_POINTS, ...MESSAGE_POINTS]),
  F2: (draw, random) => deathOf(workers(draw), random, WORKER_POINTS),
  F3(draw) {
    const modes = ["sent-lost", "sent-known", "sent-nonce-low", "sent-underpriced", "hanging"] as const;
    return [{ do: "node", side: "workers", mode: draw(modes) }];
  },
  F4: (draw) => [{ do: "node", side: "workers", mode: draw(["sent-dropped", "sent-late", "sent-stuck"] as const) }],
  F5: (_, random) => [random() < 0.7 ? { do: "foreign", transactions: between(random, 1, 3) } : { do: "lose-lock" }],
  F6: () => [{ do: "no-funds" }],
  F7: (_, random) => [{ do: "reorg", depth: between(random, 2, 8), loss: 1 }],
  F8: () => [],
  F9: () => [],
  F10: (draw) => [{ do: "redis", way: draw(["restart", "flush", "cut", "silent", "late", "failover"] as const) }],
  F11(draw, random) {
    if (random() < 0.5)
      return [{ do: "postgres", way: draw(["crash", "sessions", "refuse", "lock", "read-only"] as const) }];
    const slow: LineMode = random() < 0.5 ? { kind: "late", ms: 80 } : { kind: "trickle", bytes: 200, everyMs: 3 };
    const way = draw(["cut", "reset", { kind: "silent" }, { kind: "half-open" }, slow] as const);
    return [{ do: "line", side: side(draw), way }];
  },
  F12: (draw) => [{ do: "node", side: side(draw), mode: draw([...NODE_MODES.server, ...NODE_MODES.chain]) }],
  F13: (_, random) => [{ do: "reorg", depth: between(random, 1, 29), loss: 0.3 }],
  F14: (_, random) => [{ do: "reorg", depth: between(random, 31, 200), loss: 0.3 }],
  F15: () => [{ do: "kill", part: "indexer" }],
  F16(draw, random) {
    if (random() < 0.4)
      return [{ do: "facilitator", mode: draw(["lost", "slow", "down", "rubbish", "liar"] as const) }];
    return [{ do: "provider", source: draw(PROVIDERS), plan: draw(FAILURES) }];
  },
  F17: (draw) => [{ do: "jobs" }, { do: "freeze", part: workers(draw) }],
  F18(draw, random) {
    const part = draw(["api-2", "workers", "workers-2"] as const);
    return [{ do: "skew", part, skewMs: random() < 0.5 ? SKEW_MS : -SKEW_MS }];
  },
  F19: (draw) => [{ do: "terminate", part: draw(["api", "api-2", "workers", "workers-2"] as const) }],
};

const FAILURES = [
  { status: 500 },
  { status: 503 },
  { status: 429, headers: { "retry-after": "2" } },
  { status: 200, body: "<html>Sign in to continue</html>" },
  { status: 200, body: `"${"x".repeat(10_000_000)}"` },
  { status: 302, headers: { location: "/github/users/nobody/gists" } },
  { delayMs: 12_000 },
] as const;

function actsOf(rows: readonly Row[], random: () => number): Act[] {
  let index = 0;
  const purchase = (variant: PaymentVariant, buys: "mint" | "report"): Act[] => {
    const by = needsOf(variant) || random() < 0.75 ? (random() < 0.7 ? "v2" : "v1") : "hash";
    const payer = `payer ${index}`;
    return Array.from({ length: variant === "shared" ? 2 : 1 }, () => ({
      kind: "purchase" as const,
      payment: { index: index++, buys, by, variant, payer, random: randomOf(Math.floor(random() * 2 ** 31)) },
    }));
  };
  const buys = () => (random() < 0.7 ? "mint" : "report");
  const acts: Act[] = [...purchase("plain", "mint"), ...purchase("plain", buys())];
  if (rows.includes("F8")) acts.push(...purchase("copies", buys()), { kind: "other-body" }, { kind: "message" });
  if (rows.includes("F9"))
    acts.push(...purchase(pick(random, CHEATS), buys()), ...purchase(pick(random, CHEATS), buys()));
  if (rows.includes("F16")) acts.push({ kind: "proof", newcomer: 2 }, { kind: "false-proof" });
  const more = between(random, 3, 5);
  for (let i = 0; i < more; i++)
    acts.push(
      weighted<Act>(random, [
        [{ kind: "direct-mint" }, 2],
        [{ kind: "sale" }, 2],
        [{ kind: "trait" }, 2],
        [{ kind: "attestation" }, 2],
        [{ kind: "message" }, 2],
        [{ kind: "verify", newcomer: between(random, 0, 1) }, 2],
        [{ kind: "update", newcomer: between(random, 0, 1) }, 2],
        [{ kind: "profile", newcomer: between(random, 0, 1) }, 1],
      ]),
    );
  // The last that is drawn: a seed that found a defect draws what it drew.
  for (let i = between(random, 3, 5); i > 0; i--) acts.push({ kind: pick(random, EVIDENCE) });
  return acts;
}

const PAYMENTS_AND_REORGS: readonly Row[] = ["F1", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F13", "F14", "F15"];

/** `rows` as they were drawn from; absent = from all. What each found has a test of its own as well, named here. */
export const REGRESSIONS: readonly { seed: number; rows?: readonly Row[]; found: string }[] = [
  {
    seed: 1,
    found:
      "a reorganisation deadlocked with readers and kept the tables locked for minutes (test/indexer/reorg.test.ts)",
  },
  {
    seed: 5007,
    found:
      "after a deep reorganisation while Ponder starts, its final blocks were asked from the node again (test/indexer/restart.deep.test.ts)",
  },
  {
    seed: 5018,
    found:
      "an exchange's attestation that a reorganisation took back went on counting (test/api/verify.test.ts); a lost transaction of the facilitator's key blocked those that followed within three seconds (test/clients/sending-queue.test.ts)",
  },
  {
    seed: 777,
    found:
      "a trait asked for again, while the index had taken it back and the sender had not sent it again yet, was added twice (test/workers/profile.test.ts)",
  },
  {
    seed: 12009,
    rows: PAYMENTS_AND_REORGS,
    found:
      "a transfer that a reorganisation had put elsewhere in its block paid a second time (test/payments/transfers.test.ts)",
  },
  ...[11001, 12006].map((seed) => ({
    seed,
    rows: PAYMENTS_AND_REORGS,
    found:
      "a payment was refused as used while our own order, or a front-runner, was settling it (test/payments/races.test.ts)",
  })),
];
