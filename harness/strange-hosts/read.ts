/** Reads one endpoint as the job of offers does, without a database. */
import { foreignEndpoints } from "../../clients/foreign-endpoints.ts";
import type { PublicHttp } from "../../clients/public-http.ts";
import type { SourceKind } from "../../core/offers/source-kinds.ts";
import type { DueSource } from "../../db/offers/due-sources.ts";
import type { JobContext } from "../../workers/context.ts";
import { readSource } from "../../workers/offers/read-endpoint.ts";
import { testLog } from "../log.ts";

export type HostReading = {
  /** `deferred` when it was put off. */
  status: string;
  answers: boolean;
  offers: string[];
  why: string | null;
};

export async function readHost(http: PublicHttp, kind: SourceKind, url: string): Promise<HostReading> {
  const row = {
    id: 1,
    status: "waiting" as const,
    etag: null,
    lastModified: null,
    digest: null,
    failures: 0,
    method: null,
  };
  const source: DueSource = {
    ...{ kind, url, host: new URL(url).host, isConfirmed: false, isNew: true },
    ...{ owner: null, trust: 0, declared: null, rows: [row] },
  };
  // Each reading has paces of its own: it is not the one before that it waits for.
  const context = { clock: () => new Date(), endpoints: foreignEndpoints(http), log: testLog() };
  const found = await readSource(context as unknown as JobContext, source);
  if ("at" in found) return { status: "deferred", answers: false, offers: [], why: null };
  const { status, answers, offers, why } = found;
  return { status: status ?? "waiting", answers, offers: (offers ?? []).map(({ name }) => name), why };
}
