/** The log filters of the index, as Ponder requests them: which events of which contract, with which arguments. */
import { type Abi, type Hex, pad, toEventSelector } from "viem";
import { easAbi } from "../../abis/eas.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi, erc8004ValidationAbi } from "../../abis/erc8004.ts";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import { serviceTokenAbi } from "../../abis/service-token.ts";
import type { Config } from "../../config/config.ts";

/** One filter: Ponder requests the logs of each for itself. */
export type LogFilter = {
  contract: string;
  address: Hex;
  /** First topics: one of these events. */
  events: Hex[];
  /** Topics 1 to 3 where the index has only some arguments; null: any. */
  args?: (Hex[] | null)[];
};

/** Events that handlers in src/ are registered for; test/indexer/estimate.deep.test.ts compares them with Ponder's filters. */
const EVENTS: Record<keyof Config["indexed"], { abi: Abi; names: readonly string[] | "all" }> = {
  Identity: { abi: identityAbi, names: "all" },
  Eas: { abi: easAbi, names: ["Attested", "Revoked"] },
  Erc8004Identity: {
    abi: erc8004IdentityAbi,
    names: [
      "Transfer",
      "Registered",
      "URIUpdated",
      "MetadataSet",
      "OwnershipTransferred",
      "Upgraded",
      "EIP712DomainChanged",
    ],
  },
  Erc8004Reputation: {
    abi: erc8004ReputationAbi,
    names: ["NewFeedback", "FeedbackRevoked", "ResponseAppended", "OwnershipTransferred", "Upgraded"],
  },
  Erc8004Validation: { abi: erc8004ValidationAbi, names: "all" },
  Handshakes: { abi: handshakesAbi, names: ["HandshakeCompleted"] },
  ServiceToken: { abi: serviceTokenAbi, names: ["Transfer"] },
};

/** The filters of the contracts that are named. */
export function logFilters(
  config: Pick<Config, "indexed" | "attesters" | "attestationSchemas">,
  contracts: readonly string[],
): LogFilter[] {
  const { indexed, attesters, attestationSchemas } = config;
  const counted = [null, attesters.map((attester) => pad(attester, { size: 32 })), attestationSchemas];
  return Object.entries(EVENTS)
    .filter(([contract]) => contracts.includes(contract))
    .flatMap(([contract, { abi, names }]): LogFilter[] => {
      const known = indexed[contract as keyof Config["indexed"]];
      if (known === undefined) return [];
      const { address } = known;
      const events = abi.flatMap((entry) =>
        entry.type === "event" && (names === "all" || names.includes(entry.name)) ? [toEventSelector(entry)] : [],
      );
      // A filter with arguments is not merged with others of its contract.
      if (contract === "Eas") return events.map((event) => ({ contract, address, events: [event], args: counted }));
      return [{ contract, address, events }];
    });
}
