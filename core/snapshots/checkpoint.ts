/** The manifest of a checkpoint: the tables of an index as they are at a final block, to begin an index of the same build with. */
import { object, z } from "zod";
import { hex, readAs, signatureSchema, contentSchema as snapshot } from "./manifest.ts";

/** Name of the file of a table: lines of COPY's text format. */
export const checkpointFile = (table: string): string => `${table}.copy.gz`;
/** Of the block, and the name of the folder. */
export const checkpointId = (block: number): string => `checkpoint-${block}`;

const { chainId, registry, build, block, files } = snapshot.shape;
/** What is signed: all but the signature, as of a snapshot; the format, which is in it, tells the two apart. */
const contentSchema = object({
  format: z.literal("index-checkpoint"),
  /** Changes with the form of the files. */
  schemaVersion: z.literal(1),
  id: z.string(),
  /** The rows have the events up to `block`, which is final. The name of the build stands for code, chain and contracts. */
  ...{ chainId, registry, build, block, blockHash: hex, files },
});
export type CheckpointContent = z.output<typeof contentSchema>;

const manifestSchema = object({ ...contentSchema.shape, signature: signatureSchema });
export type CheckpointManifest = z.output<typeof manifestSchema>;

/** @returns the manifest; null for what is none, also for one of another schema */
export const readCheckpoint = readAs(manifestSchema);
