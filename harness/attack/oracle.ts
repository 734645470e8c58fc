/** What must be true after an attack: everybody honest has everything, every cursor is at the head, every process is the one that was started. */
import { attempt } from "../../devnet/attempt.ts";
import { balanceOf, closeBooks } from "../books.ts";
import { LONG } from "../patience.ts";
import { logLines, partsBelow, restartsIn, uncaughtIn } from "../stack-parts.ts";
import { ageAbandoned, countOf, OPEN, staleScores } from "../under-way.ts";
import { leftWrong } from "../until.ts";
import { type Business, lostIncome, madeIncome, notFound, unheardReviews } from "./business.ts";
import type { Honest } from "./honest.ts";
import type { World } from "./world.ts";

/** One thing that must be true, and what is not. */
export type Verdict = { what: string; wrong: string[]; seconds: number };

/** Within which every cursor has moved past the head of the end, milliseconds. */
const CATCH_UP_MS = LONG;
const EVERY_MS = 500;
const SHOWN = 5;
const ALL_OPEN = { ...OPEN, "events without a place": "offchain.event where position is null" };
export type Processes = ReturnType<typeof partsBelow>;
export const processesOf = ({ stack }: World): Processes => partsBelow(stack.process.pid!);

const LEVEL_WARN = 40;
const MAX_WARNINGS = 25;

/** What the processes' logs warn of, the most frequent first: for who looks for the cause of a breach. */
export function warningsOf({ stack }: World): string[] {
  const counted = new Map<string, number>();
  for (const { file, line } of logLines(stack)) {
    const said = attempt(() => JSON.parse(line) as Said, undefined);
    if (!said || said.level < LEVEL_WARN) continue;
    const cause = said.err?.message ?? said.cause?.message ?? said.reason ?? "";
    const text = `${file} ${said.msg}: ${String(cause)
      .replaceAll(/\d{2,}|0x[0-9a-f]+/gi, "#")
      .slice(0, 200)}`;
    counted.set(text, (counted.get(text) ?? 0) + 1);
  }
  return [...counted]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MAX_WARNINGS)
    .map(([text, times]) => `${times}× ${text}`);
}

type Said = { level: number; msg?: string; reason?: string; err?: { message?: string }; cause?: { message?: string } };

/** Everything that is asked about, once the play is over. */
type After = {
  world: World;
  honest: Honest;
  business: Business;
  /** The processes as they were when it began. */
  before: Processes;
  /** Block of the chain at the end, and when that was. */
  head: number;
  ended: Date;
  /** Honest agents that were not yet seen as they are. */
  unseen: Honest["agents"];
  say(line: string): void;
};
/** How what must be true is asked. @returns what is wrong, a sentence each */
type Ask = ((after: After) => Promise<string[]>) & {
  /** How often CATCH_UP_MS it may take to become true. */
  times?: number;
};
const within = (times: number, ask: Ask): Ask => Object.assign(ask, { times });

/** @param before the processes as they were when it began @param say gets each verdict */
export async function judge(
  { world, honest, business }: Pick<After, "world" | "honest" | "business">,
  before: Processes,
  say: (line: string) => void,
): Promise<Verdict[]> {
  const head = Number(await world.chain.getBlockNumber());
  const after: After = { world, honest, business, before, head, ended: new Date(), unseen: [...honest.agents], say };
  const verdicts = await Promise.all(Object.entries(TRUTHS).map(([what, ask]) => follows(what, ask, after)));
  for (const [what, ask] of Object.entries(AT_THE_END)) verdicts.push(await follows(what, within(0, ask), after));
  return verdicts;
}

/** Asks until nothing is wrong, a minute at most. */
async function follows(what: string, ask: Ask, after: After): Promise<Verdict> {
  const began = Date.now();
  const wrong = await leftWrong(() => ask(after), { timeoutMs: (ask.times ?? 1) * CATCH_UP_MS, everyMs: EVERY_MS });
  const seconds = (Date.now() - began) / 1000;
  const shown = wrong.slice(0, SHOWN).map((one) => `\n      ${one}`);
  after.say(`${wrong.length === 0 ? "ok   " : "WRONG"} ${what} (${seconds.toFixed(1)} s)${shown.join("")}`);
  return { what, wrong, seconds };
}

const none =
  (what: keyof typeof ALL_OPEN) =>
  async ({ world }: After): Promise<string[]> => {
    const left = await countOf(world.db, ALL_OPEN[what]);
    return left === 0 ? [] : [`${left} ${what}`];
  };
const readerOf = ({ world }: After) => world.client("10.99.0.1");
/** Whether a read of the block at the end succeeds. */
const reads =
  (path: string) =>
  async (after: After): Promise<string[]> => {
    const { status, code } = await readerOf(after).get(`${path}minBlock=${after.head}`);
    return status === 200 ? [] : [`${path}: ${status} ${code}`];
  };

const TRUTHS: Record<string, Ask> = {
  "the queue of transactions is empty": none("transactions that are not sent"),
  "every registration is decided": none("mints that are not decided"),
  "the index is at the head": reads("/api/v2/stats?"),
  "the directory is at the head": reads("/api/terminal/agents?limit=1&"),
  "every change of the index is dispatched": none("events that are no jobs yet"),
  "the event log is numbered to its end": none("events without a place"),
  async "every place of the event log is given once, and no event is there twice"({ world }) {
    const { rows } = await world.db.query(
      `select place, count(*)::int as events from (
           select position::text as place from offchain.event where position is not null
           union all select 'final ' || final_position from offchain.event where final_position is not null
           union all select id from offchain.event) places
         group by place having count(*) > 1 limit 10`,
    );
    return rows.map((row) => JSON.stringify(row));
  },
  async "the log is handed out to webhooks to its end"({ world }) {
    const { rows } = await world.db.query(
      "select head::int, position::int from offchain.event_log, offchain.webhook_cursor",
    );
    return rows.every(({ head, position }) => position >= head) ? [] : [JSON.stringify(rows)];
  },
  "every job runs, and none fails": within(2, brokenJobs),
  "every sound agent of every registry is listed, with its price": within(2, unlistedAgents),
  async "every sound agent of the canonical registry is listed"({ world }) {
    const { rows } = await world.db.query(
      "select name from offchain.directory where removed_at is null and name = any($1)",
      [world.canonical],
    );
    return world.canonical
      .filter((name) => !rows.some((row) => row.name === name))
      .map((name) => `${name} is not listed`);
  },
  "every score is what its facts make it"({ world, honest }) {
    const ids = honest.agents.map(({ tokenId }) => tokenId);
    return staleScores(world.db, ids);
  },
  async "every honest agent is shown as it is, by its id, its wallet, in the list and in the directory"(after) {
    const looks = await Promise.all(after.unseen.map(async (agent) => ({ agent, wrong: await wronglyShown(agent) })));
    after.unseen = looks.filter(({ wrong }) => wrong.length > 0).map(({ agent }) => agent);
    return looks.flatMap(({ agent, wrong }) => wrong.map((one) => `agent ${agent.tokenId}: ${one}`));
  },
  async "every honest agent has its event on the stream and its delivery by webhook"({ world, honest }) {
    const delivered = new Set(world.receivers.received.map(({ tokenId }) => tokenId));
    return honest.agents
      .slice(1)
      .flatMap(({ tokenId }) => [
        ...(honest.followed.has(tokenId) ? [] : [`no event of agent ${tokenId} on the stream`]),
        ...(delivered.has(tokenId) ? [] : [`no delivery about agent ${tokenId}`]),
      ]);
  },
  "the business is found by its words, before who copied them": (after) => notFound(after.business, readerOf(after)),
  "each review by a customer has its event": (after) => unheardReviews(after.business, readerOf(after)),
  "what customers paid the business is organic income": within(3, (after) =>
    lostIncome(after.business, readerOf(after)),
  ),
  "money that went round is nobody's income": within(3, (after) => madeIncome(after.world.loops, readerOf(after))),
  "the books balance to the unit, every token was paid for once": within(2, async ({ world, honest }) => {
    await ageAbandoned(world.db);
    const wallets = honest.agents.map(({ wallet }) => wallet.address);
    return (await closeBooks({ ...world, free: world.phase === "free", honest: wallets })).differences;
  }),
};

/** Asked once, after all the others. */
const AT_THE_END: Record<string, Ask> = {
  async "the built-in payees got nothing: others are configured"({ world }) {
    const units = await Promise.all(Object.values(world.builtIn).map((one) => balanceOf(world.base, one)));
    return units.every((each) => each === 0n) ? [] : [`they got ${units.join(" and ")} units`];
  },
  async "fees stayed within their caps"({ world, say }) {
    const { rows } = await world.db.query(
      "select coalesce(max(max_priority_fee_per_gas_wei), 0)::text as tip, coalesce(max(max_fee_per_gas_wei), 0)::text as fee from offchain.transaction_attempt",
    );
    const spent = world.senderWei - (await world.chain.getBalance({ address: world.builtIn.deployer }));
    say(
      `      highest tip ${Number(rows[0].tip) / 1e9} gwei, highest fee ${Number(rows[0].fee) / 1e9} gwei, spent ${Number(spent) / 1e18} ETH`,
    );
    if (BigInt(rows[0].tip) > world.mostTipWei) return [`a tip of ${Number(rows[0].tip) / 1e9} gwei`];
    return spent > world.mostWei ? [`the sender spent ${Number(spent) / 1e18} ETH`] : [];
  },
  async "no process ended"({ world, before }) {
    const now = processesOf(world);
    const gone = before.filter(({ name, pid }) => !now.some((one) => one.name === name && one.pid === pid));
    return [...gone.map(({ name, pid }) => `${name} is not process ${pid} any more`), ...restartsIn(world.stack)];
  },
  "no exception was left uncaught": async ({ world }) => uncaughtIn(world.stack),
};

type Source = { key: string; lastSuccessAt: string | null; nextRunAt: string | null; error: string | null };

async function brokenJobs(after: After): Promise<string[]> {
  const { ended } = after;
  const { body } = await readerOf(after).get("/api/v2/status");
  return (body.sources as Source[]).flatMap(({ key, lastSuccessAt, nextRunAt, error }) => {
    const due = nextRunAt !== null && new Date(nextRunAt).getTime() - ended.getTime() < CATCH_UP_MS / 4;
    const late = due && (lastSuccessAt === null || new Date(lastSuccessAt) < ended);
    return error || late ? [`${key}: ${error ?? `has not succeeded since ${lastSuccessAt}`}`] : [];
  });
}

/** Sound agents of other registries that are not listed, or not with their price. */
async function unlistedAgents({ world }: After): Promise<string[]> {
  const { sound } = world.registries;
  const { rows } = await world.db.query(
    "select platform, agent_id, name, market_cap_usd as cap from offchain.directory where removed_at is null and (agent_id = any($1) or name = any($2))",
    [sound.map(({ agentId }) => agentId), sound.map(({ name }) => name)],
  );
  return sound.flatMap(({ source, agentId, name, marketCapUsd }) => {
    const row = rows.find((one) => one.platform === source && (one.agent_id === agentId || one.name === name));
    if (!row) return [`${source} ${agentId} is not listed`];
    return marketCapUsd !== undefined && row.cap !== marketCapUsd ? [`${source} ${agentId} costs ${row.cap}`] : [];
  });
}

/** What is wrong with what is shown of an honest agent. */
async function wronglyShown({ tokenId, wallet, client, proved, block }: Honest["agents"][number]): Promise<string[]> {
  const wrong: string[] = [];
  const look = async (where: string, path: string) => {
    const { status, code, body } = await client.get(path);
    if (status !== 200) wrong.push(`${where}: ${status} ${code}`);
    return status === 200 ? body : undefined;
  };
  const own = await look("by its id", `/api/v2/agent/${tokenId}?minBlock=${block}`);
  const byWallet = await look("by its wallet", `/api/v2/agent/${wallet.address}`);
  if (byWallet && byWallet.tokenId !== tokenId) wrong.push(`its wallet shows agent ${byWallet.tokenId}`);
  if (byWallet?.walletConfirmed === false) wrong.push("its wallet is not taken for its own");
  const list = await look("in the list", `/api/v2/agents?search=${wallet.address}`);
  if (list && !list.agents.some((one: { tokenId: number }) => one.tokenId === tokenId)) wrong.push("the list lacks it");
  const row = await look("in the directory", `/api/terminal/agent/${tokenId}?platform=helixa`);
  if (own && row && row.cred_score !== own.credScore)
    wrong.push(`the directory scores it ${row.cred_score}, the agent ${own.credScore}`);
  const verified = await look("its proofs", `/api/v2/agent/${tokenId}/verifications`);
  for (const proof of proved)
    if (proof === "wallet" ? own && !own.verified : verified && verified[proof]?.status !== "verified")
      wrong.push(`its proof by ${proof} does not show`);
  return wrong;
}
