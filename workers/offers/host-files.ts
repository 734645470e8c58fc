/** Asks hosts which agents are their own: an endpoint counts for an agent when its host names the agent back. */
import pLimit from "p-limit";
import { HOST_FILE, namedAgents } from "../../core/directory/named-agents.ts";
import { parseDocument } from "../../core/offers/document.ts";
import { backoffMs } from "../../core/times.ts";
import { dueHostFiles, forgetHosts, type HostFileRead, storeHostFiles } from "../../db/offers/host-files.ts";
import { touchChanged } from "../../db/offers/offers.ts";
import { storeSet } from "../../db/sql/store-set.ts";
import type { JobContext } from "../context.ts";
import { DOCUMENT_MS, withinTime } from "../within-time.ts";
import { after, DAY_MS } from "./read-endpoint.ts";

/** Hosts that are due in one run, how many are asked at once and stored together, and max milliseconds of asking. */
const HOSTS_PER_RUN = 256;
const HOSTS_AT_ONCE = 16;
const HOSTS_PER_STATEMENT = 64;
const MAX_ASKING_MS = 10_000;
/** Milliseconds until a host that names no agent is asked again, doubled with each time up to a day. */
const RETRY_MS = 300_000;

type DueHost = Awaited<ReturnType<typeof dueHostFiles>>[number];

/** Reads what is due. @returns rows of the directory of which the host says something else now */
export async function readHostFiles(context: JobContext): Promise<number> {
  const { db, clock, fault } = context;
  const began = clock();
  const due = await dueHostFiles(db, { now: began, limit: HOSTS_PER_RUN });
  const gone = due.filter(({ isNamed }) => !isNamed).map(({ origin }) => origin);
  if (gone.length > 0) await forgetHosts(db, { origins: gone });
  const named = due.filter(({ isNamed }) => isNamed);
  const limit = pLimit(HOSTS_AT_ONCE);
  let changed = 0;
  for (let from = 0; from < named.length; from += HOSTS_PER_STATEMENT) {
    const batch = named.slice(from, from + HOSTS_PER_STATEMENT);
    const isOver = () => clock().getTime() - began.getTime() > MAX_ASKING_MS;
    if (isOver()) break;
    const results = await Promise.all(batch.map((host) => limit(() => (isOver() ? null : read(context, host)))));
    const reads = results.filter((one) => one !== null);
    changed += await store(context, reads);
    fault("offers.hosts");
  }
  return changed;
}

/** Reads the file of one host. A host without such a file in two reads names no agents; after a failure its last file stays valid. */
async function read({ endpoints, clock, log }: JobContext, { origin, failures }: DueHost): Promise<HostFileRead> {
  const later = () => new Date(clock().getTime() + backoffMs(RETRY_MS, DAY_MS, failures));
  try {
    const answer = await endpoints.send({ url: origin + HOST_FILE, headers: { accept: "application/json" } });
    if (answer.kind === "deferred") return { origin, names: null, failures, nextTryAt: after(clock(), answer.seconds) };
    if (answer.kind === "answered" && answer.status < 500 && answer.status !== 429) {
      const names = answer.status === 200 ? withinTime(DOCUMENT_MS, () => namedAgents(parseDocument(answer.text))) : [];
      if (names.length > 0) return { origin, names, failures: 0, nextTryAt: after(clock(), DAY_MS / 1000) };
      // A refusal or a maintenance page may be temporary, so an answer without names counts only the second time.
      return { origin, names: failures === 0 ? null : names, failures: failures + 1, nextTryAt: later() };
    }
  } catch (error) {
    log.debug({ err: error, origin }, "what a host says of its agents cannot be read");
  }
  return { origin, names: null, failures: failures + 1, nextTryAt: later() };
}

const store = ({ db, clock, log }: JobContext, reads: readonly HostFileRead[]): Promise<number> =>
  storeSet(db, reads, {
    store: (tx, some) => storeHostFiles(tx, some, clock()),
    async settle(tx, ids, refused) {
      for (const { item, error } of refused)
        log.warn({ err: error, origin: item.origin }, "what a host says of its agents cannot be stored");
      const bare = refused.map(({ item }) => ({ ...item, names: null }));
      const all = [...ids, ...(await storeHostFiles(tx, bare, clock()))];
      await touchChanged(tx, { ids: all });
      return all.length;
    },
  });
