/** Seeds validations in the ERC-8004 validation registry: one that was answered, and one that was not. */
import { encodeFunctionData, keccak256, type PrivateKeyAccount, toHex, zeroHash } from "viem";
import { erc8004ValidationAbi } from "../abis/erc8004.ts";
import type { Devnet } from "./deploy.ts";
import type { Citizen } from "./seed-accounts.ts";
import type { SeedChain } from "./seed-chain.ts";

/** `by`: the name of the validator; the names are agents'. */
const VALIDATIONS = [
  { of: "Meridian", by: "Quill & Ledger", answer: { response: 95, tag: "audit" } },
  { of: "Meridian", by: "Tessellate", answer: null },
];

type Canonical = { agentId: string; owner: string };

/**
 * Asks for the validations that are not there yet, and answers them. Done again it changes nothing.
 * @param canonical what the index has of the identity registry
 */
export async function seedValidations(
  { chain, sendAll }: SeedChain,
  { contracts }: Devnet,
  { citizens, canonical }: { citizens: readonly Citizen[]; canonical: readonly Canonical[] },
): Promise<void> {
  const registry = { address: contracts.erc8004Validation, abi: erc8004ValidationAbi } as const;
  const accountOf = (name: string) => citizens.find(({ agent }) => agent.name === name)?.account;
  const idOf = (owner: PrivateKeyAccount) =>
    canonical.find((one) => one.owner.toLowerCase() === owner.address.toLowerCase())?.agentId;
  for (const { of, by, answer } of VALIDATIONS) {
    const [owner, validator] = [accountOf(of), accountOf(by)];
    const agentId = owner && idOf(owner);
    if (!owner || !validator || agentId === undefined) continue;
    const hash = keccak256(toHex(`local world: ${by} validates ${of}`));
    const status = { ...registry, functionName: "getValidationStatus", args: [hash] } as const;
    const isKnown = await chain.readContract(status).catch(() => null);
    if (isKnown) continue;
    const asked = encodeFunctionData({
      abi: registry.abi,
      functionName: "validationRequest",
      args: [validator.address, BigInt(agentId), "", hash],
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
