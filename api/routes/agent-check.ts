/** A check of an agent on demand: asks its endpoints now, and says what to mend and why it is not found. */
import { z } from "zod";
import { type Bucket, ofDay } from "../../core/agents/social-proof-allowances.ts";
import { OWN_PLATFORM, PLATFORMS, type PlatformKey } from "../../core/directory/platforms.ts";
import { quoted } from "../../core/quoted.ts";
import { siteOf, urlOf } from "../../core/urls.ts";
import { type AgentCheck, agentCheckSchema, agentCheckView, unlistedView } from "../../core/views/agent-check.ts";
import { takeTokens } from "../../db/callers/allowances.ts";
import { findDirectoryId } from "../../db/directory/rows.ts";
import {
  askSources,
  CHECKS_JOB,
  checkFacts,
  isAsking,
  moveAsked,
  sourcesToAsk,
  unlistedAgent,
} from "../../db/offers/checks.ts";
import { runSoon } from "../../db/operations/job-runs.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { endOf } from "../http/concurrency-limit.ts";
import { isSoon } from "../services/until-shown.ts";
import { directoryAgent, ofPlatform, ref, unknownAgent } from "./directory-agent.ts";

/**
 * Endpoints that are asked on demand in a day (UTC), for all agents that name them: of a host those that are shown to be its
 * agents', and those that only an agent names; of these also of a site, whose names cost nothing, or are many people's.
 */
const CONFIRMED_PER_HOST_AND_DAY = 1_000;
const SELF_DECLARED_PER_HOST_AND_DAY = 100;
const SELF_DECLARED_PER_SITE_AND_DAY = 1_000;
/** Max milliseconds that an answer waits for the endpoints, and between two looks. */
const WAIT_MS = 10_000;
const LOOK_MS = 250;
const RETRY_AFTER_SECONDS = 5;

export const agentCheck = endpoint({
  method: "post",
  path: "/api/v2/agent/{ref}/check",
  operationId: "checkAgent",
  tag: "Agents",
  summary: "Check an agent's endpoints now: which work, what to mend, and why the agent is not found",
  description:
    "Open to anybody, for agents of all registries. Its endpoints (8 at most) are requested as they are every day, without credentials and without payment, each once a minute at most; what comes of it is part of its record. The answer waits 10 seconds, then it is 202 and the same request again has the rest.",
  guard: { bucket: "reads" },
  params: z.object({ ref }),
  query: z.object({ platform: ofPlatform }),
  responses: {
    200: { description: "What was found", schema: agentCheckSchema },
    202: { description: "What is known; endpoints are still being checked", schema: agentCheckSchema },
  },
  errors: ["not_found"],
  async handler({ deps, params, query, at, networks, count, response }, json) {
    const { db } = deps;
    await count("checks", networks);
    const id = await findDirectoryId(db, params.ref, query.platform);
    if (id === null) return json(await unlisted(deps, params.ref, query.platform));
    const asked = await ask(deps, id, at);
    // Who hangs up withdraws what he alone waits for; its budgets stay taken. What he finds asked for others wait for as well.
    const isAlone = (await moveAsked(db, { id, now: at })) <= asked;
    let isOver = asked === 0;
    const gone = endOf(response);
    void deps.wait(WAIT_MS).then(() => (isOver = true));
    await isSoon(async () => isOver || gone.aborted || !(await isAsking(db, { id })), Infinity, LOOK_MS);
    if (gone.aborted && isAlone) await moveAsked(db, { id, since: at });
    const pending = await isAsking(db, { id });
    const facts = await checkFacts(db, id);
    if (facts === null) return unknownAgent();
    const view = agentCheckView(facts, { pending, asked: asked > 0 });
    if (!pending) return json(view);
    return json(view, { status: 202, final: false, headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } });
  },
});

/**
 * Has an agent's endpoints asked, as often as the day's budgets allow.
 * Check then write: the endpoints were not asked lately, then the budgets, then they are asked for; their rows are locked,
 * so that requests at once pay once.
 * @returns how many are asked
 */
async function ask({ db }: Pick<HandlerDeps, "db">, id: number, now: Date): Promise<number> {
  const count = await transaction(db, async (tx) => {
    const sources = await sourcesToAsk(tx, { id, now });
    if (sources.length === 0) return 0;
    const left = await takeTokens(tx, bucketsOf(sources, now), 1, now);
    // Where too few are left none of them is: an agent has a handful of endpoints.
    const isWithin = (source: Askable) => bucketsOf([source], now).every(({ name }) => left.get(name)! >= 0);
    const { within = [], refused = [] } = Object.groupBy(sources, (each) => (isWithin(each) ? "within" : "refused"));
    if (refused.length > 0) await takeTokens(tx, bucketsOf(refused, now), -1, now);
    return askSources(tx, { id, sources: within, now });
  });
  if (count > 0) await runSoon(db, [CHECKS_JOB]);
  return count;
}

type Askable = Awaited<ReturnType<typeof sourcesToAsk>>[number];

/** The budgets of today that some endpoints are asked from, each once. */
function bucketsOf(sources: readonly Askable[], now: Date): Bucket[] {
  const budgets = sources.flatMap(({ url, isConfirmed }) => {
    const place = urlOf(url)!;
    if (isConfirmed) return [{ name: `checked:${place.host}`, most: CONFIRMED_PER_HOST_AND_DAY }];
    return [
      { name: `checked-named:${place.host}`, most: SELF_DECLARED_PER_HOST_AND_DAY },
      { name: `checked-named-site:${siteOf(place)}`, most: SELF_DECLARED_PER_SITE_AND_DAY },
    ];
  });
  return [...Map.groupBy(budgets, ({ name }) => name)].map(([name, all]) => ofDay(name, all[0]!.most, all.length, now));
}

/** Why the directory does not show an agent. @throws Failure not_found where nothing is known of it */
async function unlisted(deps: HandlerDeps, ref: string, platform: PlatformKey | undefined): Promise<AgentCheck> {
  const platforms = platform ? [platform] : PLATFORMS.map(({ key }) => key);
  const found = await unlistedAgent(deps.db, { agentId: ref, platforms });
  if (found?.reason)
    return unlistedView(
      "unreadable_item",
      `What its registry says of it cannot be read: ${quoted(found.reason)}.`,
      "Mend its entry there.",
    );
  if (found) return unlistedView("gone", `Its registry has not had it since ${found.at}.`, "Register it there again.");
  const { id } = await directoryAgent(deps, ref, { platform: platform ?? OWN_PLATFORM });
  if (id !== null) return unknownAgent();
  return unlistedView("not_listed_yet", "It is registered; the directory shows it in a moment.", null);
}
