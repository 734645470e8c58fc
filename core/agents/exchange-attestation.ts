/** The exchange's attestation of a wallet on the chain: the two calls that find it, and how their answers are read. */
import { decodeFunctionResult, encodeFunctionData } from "viem/utils";
import { attestationIndexerAbi } from "../../abis/attestation-indexer.ts";
import { easAbi } from "../../abis/eas.ts";
import type { Address, Hex } from "./facts.ts";

/** An attestation as EAS stores it. Times are Unix seconds; 0 = never. */
export type StoredAttestation = {
  uid: Hex;
  schema: Hex;
  attester: Address;
  recipient: Address;
  data: Hex;
  attestedAt: number;
  expiresAt: number;
  revokedAt: number;
};

const NO_UID = `0x${"0".repeat(64)}`;

/** Call of the exchange's indexer: the newest attestation of a wallet under a schema. */
export const uidCall = (wallet: Address, schema: Hex): Hex =>
  encodeFunctionData({ abi: attestationIndexerAbi, functionName: "getAttestationUid", args: [wallet, schema] });

/** The uid in an answer to `uidCall`; null: the wallet was never attested; undefined: not an answer of this function. */
export function uidOf(answer: Hex): Hex | null | undefined {
  if (answer.length !== 66) return undefined;
  return answer === NO_UID ? null : answer;
}

/** Call of EAS: an attestation by its uid. */
export const attestationCall = (uid: Hex): Hex =>
  encodeFunctionData({ abi: easAbi, functionName: "getAttestation", args: [uid] });

/** The attestation in an answer to `attestationCall`; null: there is none; undefined: not an answer of this function. */
export function attestationOf(answer: Hex): StoredAttestation | null | undefined {
  try {
    const found = decodeFunctionResult({ abi: easAbi, functionName: "getAttestation", data: answer });
    if (found.uid === NO_UID) return null;
    return {
      uid: found.uid,
      schema: found.schema,
      attester: found.attester.toLowerCase() as Address,
      recipient: found.recipient.toLowerCase() as Address,
      data: found.data,
      attestedAt: seconds(found.time),
      expiresAt: seconds(found.expirationTime),
      revokedAt: seconds(found.revocationTime),
    };
  } catch {
    return undefined;
  }
}

/** A uint64 may exceed what a number holds exactly; such a time never comes. */
const seconds = (time: bigint) => Number(time < BigInt(Number.MAX_SAFE_INTEGER) ? time : Number.MAX_SAFE_INTEGER);
