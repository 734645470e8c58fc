/** What the making of snapshots is given in tests. */
import { pino } from "pino";
import { createReceiptSigner } from "../../../clients/signer.ts";
import { snapshotFolder } from "../../../db/snapshots/folder.ts";

export const SIGNER = createReceiptSigner(`0x${"5".repeat(64)}`);

export const CONTEXT = {
  log: pino({ level: "silent" }),
  fault: () => {},
  snapshotSigner: SIGNER,
};

export const snapshotOf = (url: string, folder: string) => ({
  ...{ url, place: snapshotFolder(folder), chainId: 8453, publicUrl: "https://agents.example" },
  registry: "0x2e3b541c59d38b84e3bc54e977200230a204fe60" as const,
});
