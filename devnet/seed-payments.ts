/** Seeds payments to agents' wallets as x402 makes them: authorizations (EIP-3009) in USDC, each settled by its payer. */
import { keccak256, parseUnits, toHex } from "viem";
import { usdcAbi } from "../abis/usdc.ts";
import { authorizationDigest, transferData } from "../core/payments/authorization.ts";
import type { Devnet } from "./deploy.ts";
import type { ByName } from "./seed-accounts.ts";
import type { SeedChain } from "./seed-chain.ts";

/** The names are agents'. Meridian has two customers, and paid itself; Kestrel has one. */
const PAYMENTS: { payer: string; to: string; usdc: string }[] = [
  { payer: "Quill & Ledger", to: "Meridian", usdc: "0.25" },
  { payer: "Quill & Ledger", to: "Meridian", usdc: "0.1" },
  { payer: "Tessellate", to: "Meridian", usdc: "0.5" },
  { payer: "Meridian", to: "Meridian", usdc: "2" },
  { payer: "Nightjar", to: "Kestrel", usdc: "0.05" },
];

const VALID_SECONDS = 3_600n;

/** Makes the payments that are not made yet. Done again it changes nothing. */
export async function seedPayments(
  { chain, sendAll }: SeedChain,
  { chainId, contracts: { usdc } }: Devnet,
  { accountOf }: Pick<ByName, "accountOf">,
): Promise<void> {
  const token = { address: usdc, abi: usdcAbi } as const;
  const validBefore = (await chain.getBlock()).timestamp + VALID_SECONDS;
  const known = PAYMENTS.flatMap(({ payer, to, ...of }, i) => {
    const [from, recipient] = [accountOf(payer), accountOf(to)?.address];
    return from && recipient
      ? [{ from, to: recipient, ...of, nonce: keccak256(toHex(`local world: payment ${i + 1}`)) }]
      : [];
  });
  const callOf = async ({ from, to, usdc: amount, nonce }: (typeof known)[number]) => {
    const args = [from.address, nonce] as const;
    if (await chain.readContract({ ...token, functionName: "authorizationState", args })) return [];
    const message = { from: from.address, to, value: parseUnits(amount, 6), validAfter: 0n, validBefore, nonce };
    const domain = { name: "USD Coin", version: "2", chainId, verifyingContract: usdc };
    const signature = await from.sign({ hash: authorizationDigest(message, domain) });
    return [{ to: usdc, data: transferData(message, signature) }];
  };
  await Promise.all(
    [...Map.groupBy(known, ({ from }) => from)].map(async ([from, own]) =>
      sendAll(from, (await Promise.all(own.map(callOf))).flat()),
    ),
  );
}
