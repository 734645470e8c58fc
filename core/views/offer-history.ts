/** Views of how offers have changed, and of pins: what of an agent was reviewed, in a file that is checked without the service. */
import { array, object, z } from "zod";
import { canonicalHash } from "../canonical-json.ts";
import { type OfferChange, offerChangeSchema, type Version, versionSchema } from "../offers/offer-change.ts";
import { block, moment } from "./fields.ts";

const endpoint = object({ kind: z.string(), url: z.string() })
  .nullable()
  .meta({ description: "null: what the agent itself lists, with its owner" });
const hash = z.string().meta({ description: "SHA-256 of the canonical form (RFC 8785) of the version" });
const confirmed = z.boolean().meta({ description: "It is shown to be the agent's; false: the agent only names it" });
const current = object({ endpoint, hash, firstAt: moment, since: moment, confirmed });
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
  versions: array(object({ endpoint, hash, version: versionSchema })),
}).meta({ id: "Pin" });
export type PinFile = z.output<typeof pinFileSchema>;

export const pinStateSchema = object({
  ...pinned,
  status: z.enum(["same", "changed"]).meta({ description: "same: every version is the one that was pinned" }),
  versions: array(current),
  changes: array(recorded).meta({ description: "The newest since then, what was taken back among them" }),
}).meta({ id: "PinState" });

type Kept = { source: string; hash: string };
type VersionRow = Kept & { version: Version; firstAt: Date; since: Date; confirmed: boolean };
type ChangeRow = Kept & { id: number; at: Date; firstAt: Date; changes: number; change: OfferChange };

function endpointOf({ source }: Kept): z.output<typeof endpoint> {
  const [kind, url] = source.split(" ") as [string, string];
  return kind === "agent" ? null : { kind, url };
}

export const historyView = (versions: readonly VersionRow[], changes: readonly ChangeRow[]) => ({
  versions: versions.map((row) => ({
    ...{ endpoint: endpointOf(row), hash: row.hash, confirmed: row.confirmed },
    ...{ firstAt: row.firstAt.toISOString(), since: row.since.toISOString() },
  })),
  changes: changes.map(({ source: _, at, firstAt, ...row }) => ({
    ...{ ...row, endpoint: endpointOf({ ...row, source: _ }), at: at.toISOString(), firstAt: firstAt.toISOString() },
  })),
});

/** Names what is pinned: of which agent, when, and by its hash which versions. Nothing else of a pin is kept. */
export type PinName = { agent: string; at: Date; digest: string };

const DIGEST_CHARS = 32;
export const digestOf = (versions: readonly Kept[]): string =>
  canonicalHash(versions.map((row) => ({ endpoint: endpointOf(row), hash: row.hash }))).slice(0, DIGEST_CHARS);

export function readPinId(text: string): PinName | null {
  const [, digest, ms, agent] = /^pin_([0-9a-f]{32})_(\d{12,14})_([\w-]{1,2800})$/.exec(text) ?? [];
  const named = Buffer.from(agent ?? "", "base64url").toString();
  return digest && !named.includes("\0") ? { agent: named, at: new Date(Number(ms)), digest } : null;
}

export function pinFile(
  { agent, at, block }: { agent: string; at: Date; block: number },
  versions: readonly VersionRow[],
): PinFile {
  const id = `pin_${digestOf(versions)}_${at.getTime()}_${Buffer.from(agent).toString("base64url")}`;
  const shown = versions.map((row) => ({ endpoint: endpointOf(row), hash: row.hash, version: row.version }));
  return { id, agent, at: at.toISOString(), block, versions: shown };
}
