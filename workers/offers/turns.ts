/** Which endpoints that are due are read in a run: the budgets of hosts, and of owners who name many. */
import { ofDay } from "../../core/agents/social-proof-allowances.ts";
import { siteOf, urlOf } from "../../core/urls.ts";
import { takeTokens } from "../../db/callers/allowances.ts";
import type { DueSource } from "../../db/offers/due-sources.ts";
import type { DeferredSource, urlsOfHosts } from "../../db/offers/offers.ts";
import type { Queryable } from "../../db/sql/transaction.ts";
import { DAY_MS } from "./read-endpoint.ts";

/** Max URLs of one host that are read in a day; the rest waits for the next day. Of a host with more, each has its turn in as many days as all take. */
export const URLS_PER_HOST_AND_DAY = 1_000;
/** Max URLs that only agents name, of all hosts of one site together, that are read in a day (UTC): names below it cost nothing. */
const NAMED_PER_SITE_AND_DAY = 10_000;
/** Max URLs of one host in a run that are shown to be its agents'; they have no turns. */
const CONFIRMED_PER_RUN = 100;
/**
 * Max URLs in a run that only one owner's agents name, of those shown to be theirs and of the others; each further hundred
 * is due `NEXT_OF_OWNER_MS` later.
 */
const URLS_PER_OWNER_AND_RUN = 100;
const NEXT_OF_OWNER_MS = 600_000;
const NEXT_RUN_MS = 30_000;

/** Milliseconds that a further URL of an owner's agents waits, 0: none. So one owner's endpoints, which may be slow, do not fill the runs. */
function ownersTurns(): (source: DueSource) => number {
  const counts = new Map<string, number>();
  return ({ owner, isConfirmed }) => {
    if (owner === null) return 0;
    const of = `${owner} ${isConfirmed}`;
    const before = counts.get(of) ?? 0;
    counts.set(of, before + 1);
    return Math.floor(before / URLS_PER_OWNER_AND_RUN) * NEXT_OF_OWNER_MS;
  };
}

type Turns = { within: DueSource[]; beyond: DeferredSource[] };

/** @param hosts counts of the hosts; what has its turn is added */
export function turnsOf(due: readonly DueSource[], hosts: Awaited<ReturnType<typeof urlsOfHosts>>, began: Date): Turns {
  const within: DueSource[] = [];
  const beyond: DeferredSource[] = [];
  const waitOf = ownersTurns();
  for (const source of due) {
    const wait = waitOf(source);
    if (wait > 0) {
      beyond.push({ source, at: new Date(began.getTime() + wait), checkedAt: null });
      continue;
    }
    const host = hosts.get(source.host)!;
    // How many URLs of a host strangers name in addition to its own is no reason to read its own less.
    const isWithin = source.isConfirmed ? host.confirmed++ < CONFIRMED_PER_RUN : host.read++ < URLS_PER_HOST_AND_DAY;
    const later = source.isConfirmed ? NEXT_RUN_MS : DAY_MS;
    if (isWithin) within.push(source);
    else beyond.push({ source, at: new Date(began.getTime() + later), checkedAt: null });
  }
  return { within, beyond };
}

/** Takes what is within its turn from the day's budgets of sites; what is beyond them waits a day. */
export async function withinSites(db: Queryable, { within, beyond }: Turns, began: Date): Promise<Turns> {
  const named = within.filter(({ isConfirmed }) => !isConfirmed);
  const sites = [...Map.groupBy(named, ({ url }) => siteOf(urlOf(url)!))].map(([site, all]) => ({
    ...{ all, bucket: ofDay(`read-named-site:${site}`, NAMED_PER_SITE_AND_DAY, all.length, began) },
  }));
  const buckets = sites.map(({ bucket }) => bucket);
  const left = await takeTokens(db, buckets, 1, began);
  const late = new Set(
    sites.flatMap(({ all, bucket }) => all.slice(Math.min(all.length, all.length + left.get(bucket.name)!))),
  );
  const at = new Date(began.getTime() + DAY_MS);
  return {
    within: within.filter((source) => !late.has(source)),
    beyond: [...beyond, ...[...late].map((source) => ({ source, at, checkedAt: null }))],
  };
}
