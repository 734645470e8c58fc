/** Shows the agents of the canonical ERC-8004 registry in the directory, with what their registration files say. */
import pLimit from "p-limit";
import { z } from "zod";
import type { Documents, Validators } from "../../clients/ports.ts";
import {
  type Gateways,
  locateFile,
  type Registration,
  readRegistration,
} from "../../core/terminal/registration-file.ts";
import {
  ERC8004,
  type Erc8004Agent,
  type FileResult,
  removeVanished,
  type StoredFile,
  staleErc8004,
  storeErc8004,
} from "../../db/directory/erc8004.ts";
import { beginPull, endPull, notePage, pullState } from "../../db/directory/pulls.ts";
import { defineJob } from "../job.ts";

const EVERY_MS = 15_000;
const PAGE = 100;
const AT_ONCE = 8;
/** A file that was read is looked at again after this long: its server may change it without the chain. */
const REFRESH_MS = 86_400_000;
const RETRY_MS = 60_000;

export const erc8004Files = defineJob({
  name: "erc8004-files",
  concurrency: 1,
  schedule: { everyMs: EVERY_MS },
  input: z.object({}),
  async run({ db, clock, config, documents, fault }) {
    const began = clock();
    const limit = pLimit(AT_ONCE);
    await pullState(db, ERC8004);
    await beginPull(db, ERC8004, "incremental", began);
    let changed = await removeVanished(db, began);
    for (;;) {
      const agents = await staleErc8004(db, began, PAGE);
      const now = clock();
      const results = await Promise.all(
        agents.map((agent) => limit(() => readFile(agent, documents, config.upstreams.gateways, now))),
      );
      const rules = { now, exchangeSchema: config.attestationSchemas[0]! };
      const different = await storeErc8004(db, results, config.chain.id, rules);
      changed += different;
      await notePage(db, ERC8004, {
        cursor: null,
        items: agents.length,
        expected: null,
        changed: different,
        quarantined: 0,
      });
      fault("pull.erc8004");
      if (agents.length < PAGE) break;
    }
    await endPull(db, ERC8004, {
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

/** Looks at an agent's file, unless the known one is still good. What was read before stays while its server is away. */
export async function readFile(
  agent: Erc8004Agent,
  documents: Documents,
  gateways: Gateways,
  now: Date,
): Promise<FileResult> {
  const known = agent.file?.uri === agent.uri ? agent.file : null;
  const result = (status: FileResult["status"], rest: Partial<FileResult>): FileResult => ({
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
  const parsed = (text: string, warnings: string[], rest: Partial<FileResult>): FileResult => {
    try {
      const read = readRegistration(text);
      const registration: Registration = { ...read, warnings: [...warnings, ...read.warnings] };
      return result("parsed", { registration, ...rest });
    } catch (error) {
      return result("unreadable", { errors: [(error as Error).message], ...rest });
    }
  };
  const place = locateFile(agent.uri, gateways);
  if (place.kind === "absent") return result("parsed", { errors: ["The agent names no registration file."] });
  if (place.kind === "unusable") return result("refused", { errors: [place.reason] });
  if (place.kind === "inline") return parsed(place.text, place.warnings, {});
  const later = new Date(now.getTime() + REFRESH_MS);
  if (known && !known.due && known.content)
    return result("parsed", { registration: known.content, ...validatorsOf(known), nextTryAt: later });
  const answer = await documents.get(place.url, known?.content ? validatorsOf(known) : null);
  if (answer.kind === "unchanged")
    return result("parsed", { registration: known!.content, ...validatorsOf(known!), nextTryAt: later });
  if (answer.kind === "fetched") return parsed(answer.text, place.warnings, { ...answer.validators, nextTryAt: later });
  if (answer.kind === "deferred")
    return result(known?.content ? "parsed" : "unreachable", {
      registration: known?.content ?? null,
      ...(known?.content && validatorsOf(known)),
      errors: known?.content ? [] : ["The server is to be asked less often: the file is looked at later."],
      failures: known?.failures ?? 0,
      nextTryAt: new Date(now.getTime() + answer.seconds * 1000),
    });
  const failures = (known?.failures ?? 0) + 1;
  const wait = answer.final ? REFRESH_MS : Math.min(REFRESH_MS, RETRY_MS * 2 ** Math.min(failures, 12));
  return result(answer.final ? "refused" : "unreachable", {
    registration: known?.content ?? null,
    ...(known?.content && validatorsOf(known)),
    errors: [answer.reason],
    failures,
    nextTryAt: new Date(now.getTime() + wait),
  });
}

const validatorsOf = ({ etag, lastModified }: StoredFile): Validators => ({ etag, lastModified });
