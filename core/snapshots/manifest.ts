/** The manifest of a snapshot: what its files are, what they were taken from, and the signature over it (EIP-712). */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { hashTypedData } from "viem/utils";
import { array, object, record, type ZodType, z } from "zod";
import type { Address, Hex } from "../agents/facts.ts";
import { canonicalBytes } from "../canonical-json.ts";
import { signerOf } from "../cred/report/check.ts";
import { block, count, moment } from "../views/fields.ts";

/** Changes with the columns of the files: readers and deltas rest on them. */
export const SNAPSHOT_SCHEMA_VERSION = 1;

/** Names the moment in UTC: `20261130T074500Z`. */
export const SNAPSHOT_ID = /^\d{8}T\d{6}Z$/;
/** The id of a snapshot taken at a time. */
export const snapshotId = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

/** Names of the files of tables and of their changes. */
export const SNAPSHOT_FILE = /^[a-z_]+(\.parquet|(\.delta)?\.ndjson\.gz)$/;
/** Names of the files beside those of the tables. */
export const MANIFEST_FILE = "manifest.json";
export const README_FILE = "README.md";

const idSchema = z
  .string()
  .regex(SNAPSHOT_ID)
  .meta({ examples: ["20261130T074500Z"] });
export const hex = z.string().regex(/^0x[0-9a-f]+$/) as unknown as ZodType<Hex>;
const addressHex = z.string().regex(/^0x[0-9a-f]{40}$/) as unknown as ZodType<Address>;

const fileSchema = object({
  table: z.string().meta({ description: "The table whose rows it has; of a delta, whose changes" }),
  rows: count,
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type SnapshotFile = z.output<typeof fileSchema>;

/** What is signed: all but the signature. */
export const contentSchema = object({
  format: z.literal("agent-snapshot"),
  schemaVersion: z.int().min(1).meta({ description: "Changes with the columns of the files" }),
  id: idSchema,
  previous: idSchema.nullable().meta({
    description: "The snapshot that the files `<table>.delta.ndjson.gz` lead on from; null where there are none",
  }),
  takenAt: moment,
  chainId: z.int().min(1),
  registry: addressHex.meta({ description: "Contract of the identity tokens" }),
  block: block.meta({ description: "The last block whose events the rows have" }),
  finalizedBlock: block.meta({ description: "Up to here no reorganisation changes what the chain says" }),
  build: z.string().meta({ description: "Name of the build of the index" }),
  formula: object({
    version: z.string().meta({ description: "SHA-256 of the formula, 16 hex digits" }),
    signals: array(object({ key: z.string(), weight: z.int(), label: z.string(), description: z.string() })),
  }),
  epoch: object({
    epoch: z.int().min(1),
    root: hex,
    contract: addressHex,
    leaves: count,
    block,
    computedAt: moment,
    state: z.enum(["built", "published", "failed"]),
    txHash: hex.nullable(),
  })
    .nullable()
    .meta({ description: "The newest Merkle root of scores; its leaves are the table epoch_leaves" }),
  continueFrom: object({ events: count, credUpdates: count }).meta({
    description: "`after` of GET /api/v2/events/log and GET /api/v2/cred/updates for what happens after the snapshot",
  }),
  columns: record(z.string(), record(z.string(), z.string())).meta({
    description: "Of each table the SQL type of each column",
  }),
  files: record(z.string(), fileSchema),
});
export type SnapshotContent = z.output<typeof contentSchema>;

export const signatureSchema = object({ signer: addressHex, signature: hex });

export const manifestSchema = object({
  ...contentSchema.shape,
  signature: signatureSchema.nullable().meta({
    description: "EIP-712 over the hash of the rest in canonical form (RFC 8785); null where no signer is set",
  }),
}).meta({ id: "SnapshotManifest" });
export type SnapshotManifest = z.output<typeof manifestSchema>;

/** What is signed of a manifest, whatever else it has: all of it is in its hash. */
type Signed = Pick<SnapshotContent, "id" | "chainId" | "registry" | "block"> & { format: string };

/** The typed data that a manifest's signature is over. @see https://eips.ethereum.org/EIPS/eip-712 */
const snapshotTypedData = (content: Signed) => ({
  domain: { name: "AgentSnapshot", version: "1", chainId: content.chainId, verifyingContract: content.registry },
  types: {
    Snapshot: [
      { name: "id", type: "string" },
      { name: "block", type: "uint256" },
      { name: "manifestHash", type: "bytes32" },
    ],
  } as const,
  primaryType: "Snapshot" as const,
  message: {
    id: content.id,
    block: BigInt(content.block),
    manifestHash: `0x${bytesToHex(keccak_256(canonicalBytes(content)))}` as Hex,
  },
});

/** The bytes that a manifest's key signs. */
export const snapshotDigest = (content: Signed): Uint8Array =>
  hexToBytes(hashTypedData(snapshotTypedData(content)).slice(2));

/** The account that signed a manifest; null when none did, or something was changed since. */
export const manifestSigner = ({ signature, ...content }: Signed & Pick<SnapshotManifest, "signature">) => {
  if (signature === null) return null;
  const signer = signerOf(snapshotDigest(content), signature.signature);
  return signer === signature.signer ? signer : null;
};

/** Of a schema, what reads a manifest. It returns null for what is none, also for one of a later schema. */
export const readAs =
  <T>(schema: ZodType<T>) =>
  (text: string): T | null => {
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      return null;
    }
  };
export const readManifest = readAs(manifestSchema);
