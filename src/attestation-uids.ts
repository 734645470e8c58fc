/** Attestations proven by their uid: EAS computes it from every field, so a uid that matches proves the fields. */
import { encodePacked, type Hex, keccak256, zeroHash } from "viem";
import { easAbi } from "../abis/eas.ts";
import { callDecoder } from "./call-data.ts";

type LoggedAttestation = { uid: Hex; schemaUID: Hex; attester: Hex; recipient: Hex };
type Terms = { expirationTime: bigint; revocable: boolean; refUID: Hex; data: Hex };

/** Decodes `attest` of EAS, and of an attester contract with the same function in front of it. */
const decodeAttest = callDecoder(easAbi, ["attest"]);

/** What exchanges attest: yes, for ever, until it is revoked. */
const YES: Terms = {
  expirationTime: 0n,
  revocable: true,
  refUID: zeroHash,
  data: `0x${"1".padStart(64, "0")}`,
};

/** The uid as EAS 1.0.1 and later compute it (`_getUID`), for the first attestation with these fields in its block. */
const uidOf = ({ schemaUID, recipient, attester }: LoggedAttestation, time: bigint, terms: Terms): Hex =>
  keccak256(
    encodePacked(
      ["bytes32", "address", "address", "uint64", "uint64", "bool", "bytes32", "bytes", "uint32"],
      [schemaUID, recipient, attester, time, terms.expirationTime, terms.revocable, terms.refUID, terms.data, 0],
    ),
  );

/**
 * The fields of an attestation that its event does not carry: those in the transaction's input, otherwise those that
 * exchanges use.
 * @param time Unix seconds of the event's block, which EAS stores
 * @returns null when the uid proves neither
 */
export function provenAttestation(
  logged: LoggedAttestation,
  time: bigint,
  input: Hex,
): (Terms & { time: bigint }) | null {
  const inInput = decodeAttest(input)?.args[0].data;
  const terms = [inInput, YES].find((guess) => guess !== undefined && uidOf(logged, time, guess) === logged.uid);
  return terms === undefined ? null : { ...terms, time };
}
