/**
 * What a direct call of the identity contract stores, decoded from the transaction's input: fields that no event carries.
 *
 * A call counts when the transaction itself calls the contract and the arguments agree with the event. The functions here
 * store their arguments unchanged and call no other contract, except that a mint calls its receiver. So their events in
 * the transaction are their own. For all other transactions (calls through another contract, bundles of smart accounts)
 * the result is null, and the contract is read.
 */
import type { Hex } from "viem";
import { identityAbi } from "../abis/identity.ts";
import { callDecoder } from "./call-data.ts";
import { type ChainEvent, lower } from "./event-facts.ts";

const MINTS = ["mint", "register", "mintWithSIWA", "mintFor"] as const;
const TEXT_OF = { setOrigin: "origin", setMission: "mission", setLore: "lore", setManifesto: "manifesto" } as const;
const NARRATIVES = ["setNarrative", "setOrigin", "setMission", "setLore", "setManifesto"] as const;

const decodeMint = callDecoder(identityAbi, MINTS);
const decodePersonality = callDecoder(identityAbi, ["setPersonality"]);
const decodeNarrative = callDecoder(identityAbi, NARRATIVES);

/** The contract's enum MintOrigin: values that a mint without a parameter for it stores. */
const ORIGIN = { human: 0, siwa: 1 };
/** What every mint stores, independent of its arguments. */
const NEW = { generation: 0, parentId: 0n, currentVersion: "1.0" };

/** Whether the transaction itself calls the contract that emitted the event. */
const isDirect = ({ transaction, log }: ChainEvent) =>
  transaction.to !== null && lower(transaction.to) === lower(log.address);

/**
 * The agent as a direct mint stores it.
 * @param event the Transfer from the zero address that is the transaction's first mint: a receiver can mint further
 *   tokens in its hook
 * @param to the token's first owner
 */
export function mintCall(event: ChainEvent, to: Hex) {
  const call = isDirect(event) ? decodeMint(event.transaction.input) : null;
  if (call === null) return null;
  if (call.name === "mintFor") {
    const [receiver, agentAddress, name, framework, soulbound, origin] = call.args;
    return lower(receiver) === lower(to) ? { ...NEW, agentAddress, name, framework, soulbound, origin } : null;
  }
  // The others mint to the caller.
  if (lower(event.transaction.from) !== lower(to)) return null;
  const [agentAddress, name, framework] = call.args;
  const soulbound = call.name === "register" ? false : call.args[3];
  const origin = call.name === "mintWithSIWA" ? ORIGIN.siwa : ORIGIN.human;
  return { ...NEW, agentAddress, name, framework, soulbound, origin };
}

/** The personality that a direct setPersonality stores. @param tokenId the token of PointsAwarded("update_personality") */
export function personalityCall(event: ChainEvent, tokenId: bigint) {
  const call = isDirect(event) ? decodePersonality(event.transaction.input) : null;
  return call !== null && call.args[0] === tokenId ? call.args[1] : null;
}

/**
 * The texts that a direct call stores: all four, or the one that its function names.
 * @param tokenId the token of NarrativeSet, and `field` its field
 */
export function narrativeCall(event: ChainEvent, tokenId: bigint, field: string) {
  const call = isDirect(event) ? decodeNarrative(event.transaction.input) : null;
  if (call === null || call.args[0] !== tokenId) return null;
  if (call.name === "setNarrative") return field === "all" ? call.args[1] : null;
  const text = TEXT_OF[call.name];
  return field === text ? { [text]: call.args[1] } : null;
}
