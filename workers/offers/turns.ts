/** Which endpoints that are due are read in a run: the budgets of hosts, and of owners who name many. */
import type pg from "pg";
import { ofDay } from "../../core/agents/social-proof-allowances.ts";
import { siteOf, urlOf } from "../../core/urls.ts";
import { takeAll } from "../../db/callers/allowances.ts";
import type { DueSource } from "../../db/offers/due-sources.ts";
import type { DeferredSource, urlsOfHosts } from "../../db/offers/offers.ts";
import { after, DAY_MS } from "./read-endpoint.ts";

/** Max URLs of one host that are read in a day; the rest waits for the next day. Of a host with more, each has its turn in as many days as all take. */
export const URLS_PER_HOST_AND_DAY = 1_000;
/** Max URLs that only agents name, of all hosts of one site together, that are read in a day (UTC): names below it cost nothing. */
const SELF_DECLARED_PER_SITE_AND_DAY = 10_000;
/** Of these, those that only one owner's agents name, and all those of several owners or of one that is not known. */
const OF_OWNER = 1_000;
const OF_NO_OWNER = 5_000;
/** Max URLs of one host in a run that are shown to be its agents'; they have no turns. */
const CONFIRMED_PER_RUN = 100;
/**
 * Max URLs in a run that only one owner's agents name, of those shown to be theirs and of the others; each further hundred
 * is due `NEXT_OF_OWNER_MS` later.
 */
const URLS_PER_OWNER_AND_RUN = 100;
const NEXT_OF_OWNER_MS = 600_000;
const NEXT_RUN_MS = 30_000;

type Turns = { within: DueSource[]; beyond: DeferredSource[] };

/** @param hosts counts of the hosts; what has its turn is added */
export function turnsOf(due: readonly DueSource[], hosts: Awaited<ReturnType<typeof urlsOfHosts>>, began: Date): Turns {
  const within: DueSource[] = [];
  const beyond: DeferredSource[] = [];
  const ofOwners = new Map<string, number>();
  for (const source of due) {
    // One owner's endpoints, which may be slow, do not fill the runs.
    const owner = `${source.owner} ${source.isConfirmed}`;
    const before = ofOwners.get(owner) ?? 0;
    ofOwners.set(owner, before + 1);
    let wait = source.owner === null ? 0 : Math.floor(before / URLS_PER_OWNER_AND_RUN) * NEXT_OF_OWNER_MS;
    if (wait === 0) {
      const host = hosts.get(source.host)!;
      // How many URLs of a host strangers name in addition to its own is no reason to read its own less.
      const isWithin = source.isConfirmed ? host.confirmed++ < CONFIRMED_PER_RUN : host.read++ < URLS_PER_HOST_AND_DAY;
      if (!isWithin) wait = source.isConfirmed ? NEXT_RUN_MS : DAY_MS;
    }
    if (wait === 0) within.push(source);
    else beyond.push({ source, at: new Date(began.getTime() + wait), checkedAt: null });
  }
  return { within: newFirst(within), beyond };
}

const siteOfSource = ({ url }: DueSource): string => siteOf(urlOf(url)!);

/** Of what only agents name on a site, what was never read has the first of its places: the others have had their turn. */
function newFirst(sources: readonly DueSource[]): DueSource[] {
  const named = sources.filter(({ isConfirmed }) => !isConfirmed);
  const inOrder = named.toSorted((a, b) => Number(b.isNew) - Number(a.isNew));
  const bySite = Map.groupBy(inOrder, siteOfSource);
  return sources.map((source) => (source.isConfirmed ? source : bySite.get(siteOfSource(source))!.shift()!));
}

/** Takes what is read next from the day's budgets of sites, in its order; what is beyond them waits for the next day. */
export async function withinSites(db: pg.Pool, sources: readonly DueSource[], now: Date): Promise<Turns> {
  const turns: Turns = { within: [], beyond: [] };
  for (const source of sources) {
    const [site, { owner }] = [siteOfSource(source), source];
    const buckets = [
      ofDay(`read-named-site:${site}`, SELF_DECLARED_PER_SITE_AND_DAY, 1, now),
      ofDay(`read-named-site:${site} ${owner}`, owner === null ? OF_NO_OWNER : OF_OWNER, 1, now),
    ];
    const wait = source.isConfirmed ? 0 : await takeAll(db, buckets, now);
    if (wait === 0) turns.within.push(source);
    else turns.beyond.push({ source, at: after(now, wait), checkedAt: null });
  }
  return turns;
}
