/** Seeds validations in the ERC-8004 validation registry: one that was answered, and one that was not. */
import { encodeFunctionData, keccak256, toHex, zeroHash } from "viem";
import { erc8004ValidationAbi } from "../abis/erc8004.ts";
import type { Devnet } from "./deploy.ts";
import type { ByName } from "./seed-accounts.ts";
import type { SeedChain } from "./seed-chain.ts";

/** `by`: the name of the validator; the names are agents'. */
const VALIDATIONS = [
  { of: "Meridian", by: "Quill & Ledger", answer: { response: 95, tag: "audit" } },
  { of: "Meridian", by: "Tessellate", answer: null },
];

/**
 * Asks for the validations that are not there yet, and answers them. Done again it changes nothing.
 */
export async function seedValidations(
  { chain, sendAll }: SeedChain,
  { contracts }: Devnet,
  { accountOf, idOf }: ByName,
): Promise<void> {
  const registry = { address: contracts.erc8004Validation, abi: erc8004ValidationAbi } as const;
  for (const { of, by, answer } of VALIDATIONS) {
    const [owner, validator, agentId] = [accountOf(of), accountOf(by), idOf(of)];
    if (!owner || !validator || agentId === undefined) continue;
    const hash = keccak256(toHex(`local world: ${by} validates ${of}`));
    const status = { ...registry, functionName: "getValidationStatus", args: [hash] } as const;
    const isKnown = await chain.readContract(status).catch(() => null);
    if (isKnown) continue;
    const asked = encodeFunctionData({
      abi: registry.abi,
      functionName: "validationRequest",
      args: [validator.address, agentId, "", hash],
    });
    await sendAll(owner, [{ to: registry.address, data: asked }]);
    if (answer === null) continue;
    const answered = encodeFunctionData({
      abi: registry.abi,
      functionName: "validationResponse",
      args: [hash, answer.response, "", zeroHash, answer.tag],
    });
    await sendAll(validator, [{ to: registry.address, data: answered }]);
  }
}
