/** Views of how offers have changed, and of pins: what of an agent was reviewed, in a file that is checked without the service. */
import { array, object, z } from "zod";
import { canonicalHash } from "../canonical-json.ts";
import { MAX_NAMED } from "../events/events.ts";
import { type OfferChange, offerChangeSchema, type Version, versionSchema } from "../offers/offer-change.ts";
import type { Payee } from "../offers/payees.ts";
import { block, moment } from "./fields.ts";

const endpoint = object({ kind: z.string(), url: z.string() })
  .nullable()
  .meta({ description: "null: what the agent itself lists, with its owner" });
const hash = z.string().meta({ description: "SHA-256 of the canonical form (RFC 8785) of the version" });
const confirmed = z.boolean().meta({ description: "It is shown to be the agent's; false: the agent only names it" });
const current = object({
  ...{ endpoint, hash, firstAt: moment, since: moment, confirmed },
  readAt: moment.nullable().meta({ description: "When it was read last; null of what the agent itself lists" }),
  payees: array(
    object({ payTo: z.string(), endpoint: z.string().nullable(), since: moment, until: moment.nullable() }),
  ).meta({
    description: "Who is paid there, and was: those that were paid longest; of what it lists, at all its endpoints",
  }),
});
const recorded = object({
  ...{ id: z.int().min(1), endpoint, at: moment, firstAt: moment, hash, change: offerChangeSchema },
  changes: z.int().min(1).meta({ description: "How many are folded into it; the first of them was read at `firstAt`" }),
}).meta({ id: "RecordedOfferChange" });

export const offerHistorySchema = object({
  versions: array(current).meta({ description: "What is offered now, and since when" }),
  changes: array(recorded).meta({ description: "The newest first" }),
  limit: z.int().min(1),
  nextBefore: z.int().min(1).nullable().meta({ description: "`before` of the next page; null on the last" }),
}).meta({ id: "OfferHistory" });

const pinned = { agent: z.string().meta({ examples: ["helixa-1"] }), at: moment };
export const pinFileSchema = object({
  id: z.string().meta({ description: "Names agent, time and, by its hash, what was offered" }),
  ...{ ...pinned, block: block.meta({ description: "The last block that was indexed" }) },
  versions: array(object({ endpoint, hash, confirmed, version: versionSchema })),
}).meta({ id: "Pin" });

/** Hours since a reading, beyond which it says nothing of what is offered now. */
const MAX_READ_HOURS = 72;

export const pinStateSchema = object({
  ...pinned,
  status: z.enum(["same", "changed", "unknown"]).meta({
    description: `same: every confirmed version, and what it lists, is the one that was pinned; unknown: so it was, but one was not read for ${MAX_READ_HOURS} hours, or no endpoint is confirmed and another version is named`,
  }),
  versions: array(current),
  changes: array(recorded).meta({ description: "The newest since then, what was taken back among them" }),
}).meta({ id: "PinState" });

type Kept = { source: string; hash: string };
type VersionRow = Kept & { version: Version; firstAt: Date; since: Date; readAt: Date | null; confirmed: boolean } & {
  payees: Payee[];
};
type ChangeRow = Kept & { id: number; at: Date; firstAt: Date; changes: number; change: OfferChange };

function endpointOf({ source }: Kept): z.output<typeof endpoint> {
  const [kind, url] = source.split(" ") as [string, string];
  return kind === "agent" ? null : { kind, url };
}

export const historyView = (versions: readonly VersionRow[], changes: readonly ChangeRow[]) => ({
  versions: versions.map((row) => ({
    ...{ endpoint: endpointOf(row), hash: row.hash, confirmed: row.confirmed },
    ...{ firstAt: row.firstAt.toISOString(), since: row.since.toISOString() },
    ...{ readAt: row.readAt?.toISOString() ?? null, payees: row.payees.slice(0, MAX_NAMED) },
  })),
  changes: changes.map(({ source: _, at, firstAt, ...row }) => ({
    ...{ ...row, endpoint: endpointOf({ ...row, source: _ }), at: at.toISOString(), firstAt: firstAt.toISOString() },
  })),
});

/** Names what is pinned: of which agent, when, and by hashes which confirmed versions, and which of all. Nothing else of a pin is kept. */
export type PinName = { agent: string; at: Date; digest: string; all: string };

const digestOf = (versions: readonly Kept[]): string =>
  canonicalHash(versions.map((row) => ({ endpoint: endpointOf(row), hash: row.hash }))).slice(0, 32);
/** Others than the agent may change what it only names. */
const areConfirmed = (versions: readonly VersionRow[]) => versions.filter(({ confirmed }) => confirmed);

/** Whether an agent offers what was pinned, as far as it was read lately. */
export function pinStatus(versions: readonly VersionRow[], pin: PinName, now: Date) {
  const confirmed = areConfirmed(versions);
  if (digestOf(confirmed) !== pin.digest) return "changed";
  const hasConfirmed = confirmed.some((row) => endpointOf(row) !== null);
  if (!hasConfirmed && digestOf(versions) !== pin.all) return "unknown";
  const from = now.getTime() - MAX_READ_HOURS * 3_600_000;
  const isOld = (row: VersionRow) => endpointOf(row) !== null && (row.readAt === null || row.readAt.getTime() < from);
  return confirmed.some(isOld) ? "unknown" : "same";
}

export function readPinId(text: string): PinName | null {
  const [, digest, all, ms, agent] = /^pin_([0-9a-f]{32})([0-9a-f]{32})_(\d{12,14})_([\w-]{1,2800})$/.exec(text) ?? [];
  const named = Buffer.from(agent ?? "", "base64url").toString();
  return digest && all && !named.includes("\0") ? { agent: named, at: new Date(Number(ms)), digest, all } : null;
}

export function pinFile(
  { agent, at, block }: { agent: string; at: Date; block: number },
  versions: readonly VersionRow[],
): z.output<typeof pinFileSchema> {
  // What is compared later, and the whole file.
  const digests = digestOf(areConfirmed(versions)) + digestOf(versions);
  const id = `pin_${digests}_${at.getTime()}_${Buffer.from(agent).toString("base64url")}`;
  const shown = versions.map(({ hash, version, confirmed, ...row }) => ({
    ...{ endpoint: endpointOf({ ...row, hash }), hash, confirmed, version },
  }));
  return { id, agent, at: at.toISOString(), block, versions: shown };
}
