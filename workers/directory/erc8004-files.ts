/** Shows the agents of the canonical ERC-8004 registry in the directory, with what their registration files say. */
import pLimit from "p-limit";
import type { Documents, Validators } from "../../clients/ports.ts";
import { type Defect, defect, UnreadableFile } from "../../core/directory/file-defects.ts";
import {
  type Gateways,
  locateFile,
  type Registration,
  readRegistration,
} from "../../core/directory/foreign-registration-file.ts";
import { backoffMs } from "../../core/times.ts";
import {
  dueErc8004,
  ERC8004,
  type Erc8004Agent,
  type FileResult,
  removeVanished,
  type StoredFile,
  staleErc8004,
  storeErc8004,
} from "../../db/directory/erc8004.ts";
import { beginPull, endPull, notePage, pullState } from "../../db/directory/pulls.ts";
import type { JobContext } from "../context.ts";
import { defineJob } from "../job.ts";
import { DOCUMENT_MS, TooSlowToRead, withinTime } from "../within-time.ts";
import { unpack } from "./unpack.ts";

const EVERY_MS = 15_000;
const AGENTS_PER_TRANSACTION = 100;
/** Max files of one run, and max milliseconds of reading them: the next run shows new agents before it reads further ones. */
const FILES_PER_RUN = 2_000;
const MAX_FILES_MS = 45_000;
const FILES_AT_ONCE = 16;
/** Milliseconds until a file is read again: its server may change it without a change on the chain. */
const REFRESH_MS = 86_400_000;
const RETRY_MS = 60_000;

/**
 * Resumes: at stale agents by id, then at due ones by the owner's turn; a failure is tried later each time, up to a
 * day, and files of servers take 45 s of a run. Tokens of many owners delay others' files by about 0.3 s each.
 */
export const erc8004Files = defineJob({
  name: "erc8004-files",
  readsUntrusted: true,
  schedule: { everyMs: EVERY_MS },
  async run({ db, clock, config, documents, log, fault }) {
    const began = clock();
    await pullState(db, ERC8004);
    await beginPull(db, { source: ERC8004, mode: "incremental", now: began });
    let changed = await removeVanished(db, began);

    /**
     * Check then write: the stale list and the file, then file, item and row (db/directory/erc8004.ts); URI or block
     * may change: rows are read under an advisory lock, and the digest is of the block that was read, so a newer one
     * stays stale.
     */
    async function take(agents: readonly Erc8004Agent[], from: Documents): Promise<void> {
      const now = clock();
      const limit = pLimit(FILES_AT_ONCE);
      const results = await Promise.all(
        agents.map((agent) => limit(() => lookAt(agent, from, config.upstreams.gateways, now, log))),
      );
      const rules = { now, exchangeSchema: config.attestationSchemas[0]! };
      const different = await storeErc8004(db, results, config.chain.id, rules);
      changed += different;
      const page = { cursor: null, items: agents.length, expected: null, changed: different, quarantined: 0 };
      await notePage(db, { source: ERC8004, ...page });
      fault("pull.erc8004");
    }

    // First the data of the chain and of the URI itself, which needs no server.
    for (let after: string | undefined; ; ) {
      const agents = await staleErc8004(db, began, AGENTS_PER_TRANSACTION, after);
      if (agents.length > 0) await take(agents, NOT_YET);
      if (agents.length < AGENTS_PER_TRANSACTION) break;
      after = agents.at(-1)!.agentId;
    }
    const due = await dueErc8004(db, { now: clock(), limit: FILES_PER_RUN });
    const until = clock().getTime() + MAX_FILES_MS;
    for (let from = 0; from < due.length && clock().getTime() <= until; from += AGENTS_PER_TRANSACTION) {
      await take(due.slice(from, from + AGENTS_PER_TRANSACTION), documents);
    }
    await endPull(db, {
      source: ERC8004,
      mode: "incremental",
      watermark: began.toISOString(),
      whole: false,
      removed: 0,
      note: null,
      now: clock(),
      nextRunAt: new Date(began.getTime() + EVERY_MS),
    });
    return changed;
  },
});

/** The answer for every server while none is called. */
const NOT_YET: Documents = { get: async () => ({ kind: "deferred", seconds: 0 }) };

/** Reads an agent's file. An unexpected error concerns this agent only, and its earlier content stays. */
async function lookAt(
  agent: Erc8004Agent,
  documents: Documents,
  gateways: Gateways,
  now: Date,
  log: JobContext["log"],
): Promise<FileResult> {
  try {
    return await readFile(agent, documents, gateways, now);
  } catch (error) {
    log.warn({ err: error, agentId: agent.agentId }, "a registration file could not be read");
    return {
      agent,
      status: "unreachable",
      registration: agent.file?.uri === agent.uri ? agent.file.content : null,
      errors: [defect("unreachable", "The file cannot be looked at.")],
      etag: null,
      lastModified: null,
      failures: (agent.file?.failures ?? 0) + 1,
      nextTryAt: new Date(now.getTime() + REFRESH_MS),
    };
  }
}

/**
 * Reads an agent's file, unless the known one is still fresh. The earlier content stays while the server is away or
 * answers with something else: a maintenance page removes no agent's name.
 */
export async function readFile(
  agent: Erc8004Agent,
  documents: Documents,
  gateways: Gateways,
  now: Date,
): Promise<FileResult> {
  const file = agent.file?.uri === agent.uri ? agent.file : null;
  const replaced = (status: FileResult["status"], rest: Partial<FileResult>): FileResult => ({
    agent,
    status,
    registration: null,
    errors: [],
    etag: null,
    lastModified: null,
    failures: 0,
    nextTryAt: null,
    ...rest,
  });
  const kept = (status: FileResult["status"], rest: Partial<FileResult>): FileResult =>
    replaced(status, {
      registration: file?.content ?? null,
      ...(file?.content && validatorsOf(file)),
      failures: file?.failures ?? 0,
      ...rest,
    });
  const place = located(agent.uri, gateways);
  if (place.kind === "absent") return replaced("parsed", { errors: ["no_file"] });
  if (place.kind === "unusable") return replaced("refused", { errors: [place.reason] });
  if (place.kind === "inline") {
    const read = readText(place.text, place.warnings);
    return typeof read === "string"
      ? replaced("unreadable", { errors: [read] })
      : replaced("parsed", { registration: read });
  }
  if (file?.nextTryAt && !file.due)
    return kept(file.status, { errors: file.errors, nextTryAt: new Date(file.nextTryAt) });

  const later = new Date(now.getTime() + REFRESH_MS);
  const failures = (file?.failures ?? 0) + 1;
  const retryAt = new Date(now.getTime() + backoffMs(RETRY_MS, REFRESH_MS, failures));
  // Content that an earlier worker stored lacks what is read by now: it is read as a whole.
  const validators = file?.content?.active === undefined ? null : validatorsOf(file);
  let answer = await documents.get(place.url, validators);
  // What the configured gateway does not have may be had of the one that the URI names.
  if (answer.kind === "failed" && place.gateway) answer = await documents.get(place.gateway, validators);
  switch (answer.kind) {
    case "unchanged":
      return kept("parsed", { failures: 0, nextTryAt: later });
    case "fetched": {
      const read = readText(answer.text, place.warnings);
      if (typeof read === "string") return kept("unreadable", { errors: [read], failures, nextTryAt: retryAt });
      return replaced("parsed", { registration: read, ...answer.validators, nextTryAt: later });
    }
    case "deferred":
      return kept(file?.status ?? "waiting", {
        errors: file?.errors ?? [],
        nextTryAt: new Date(now.getTime() + answer.seconds * 1000),
      });
    case "failed": {
      const status = answer.final ? "refused" : "unreachable";
      return kept(status, {
        errors: [defect("unreachable", answer.reason)],
        failures,
        nextTryAt: answer.final ? later : retryAt,
      });
    }
  }
}

/** Where the file is. One that its URI contains is decoded here, which has a limit of time as well. */
function located(uri: Erc8004Agent["uri"], gateways: Gateways): ReturnType<typeof locateFile> {
  try {
    return withinTime(DOCUMENT_MS, () => locateFile(uri, gateways, unpack));
  } catch (error) {
    if (error instanceof TooSlowToRead) return { kind: "unusable", reason: defect("too_slow", error.message) };
    throw error;
  }
}

/** A file, or why the content is not one. */
function readText(text: string, warnings: readonly Defect[]): Registration | Defect {
  try {
    const read = withinTime(DOCUMENT_MS, () => readRegistration(text));
    return { ...read, warnings: [...warnings, ...read.warnings] };
  } catch (error) {
    if (error instanceof UnreadableFile) return error.defect;
    if (error instanceof TooSlowToRead) return defect("too_slow", error.message);
    throw error;
  }
}

const validatorsOf = ({ etag, lastModified }: StoredFile): Validators => ({ etag, lastModified });
