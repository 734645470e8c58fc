/** The input by which an agent's controller links a token: the supported chains, and the form of an address on each. */
import { strictObject, z } from "zod";
import { checksum, parseAddress } from "../addresses.ts";
import { addressBytes } from "../solana/keys.ts";
import { textSchema } from "../text.ts";
import type { LinkedToken } from "./linked-token.ts";
import { LINKED_TOKEN } from "./traits.ts";

const evm = { shape: (text: string) => parseAddress(text) !== null, what: "a 0x address of 20 bytes" };
const CHAINS = {
  base: evm,
  ethereum: evm,
  arbitrum: evm,
  optimism: evm,
  polygon: evm,
  bsc: evm,
  avalanche: evm,
  solana: { shape: (text: string) => addressBytes(text) !== null, what: "a Solana address in base58" },
} as const;
type ChainName = keyof typeof CHAINS;
const CHAIN_NAMES = Object.keys(CHAINS) as [ChainName, ...ChainName[]];

export const linkTokenSchema = strictObject({
  contractAddress: z.string().trim().max(64),
  chain: z.string().trim().toLowerCase().pipe(z.enum(CHAIN_NAMES)).default("base"),
  symbol: textSchema({ min: 1, max: 32 }),
  name: textSchema({ min: 1, max: 64 }).optional(),
})
  .check((ctx) => {
    const { contractAddress, chain } = ctx.value;
    const { shape, what } = CHAINS[chain];
    if (!shape(contractAddress))
      ctx.issues.push({ code: "custom", input: ctx.value, path: ["contractAddress"], message: `must be ${what}` });
  })
  .transform((token) => {
    const address = parseAddress(token.contractAddress);
    return { ...token, contractAddress: address ? checksum(address) : token.contractAddress };
  });
export type TokenInput = z.output<typeof linkTokenSchema>;

/** The traits that store a linked token on chain: name → value. The chain stores the value as the trait's category. */
export const storedTraits = (token: LinkedToken): [name: string, value: string][] => [
  [LINKED_TOKEN, token.contractAddress],
  [`${LINKED_TOKEN}-chain`, token.chain],
  [`${LINKED_TOKEN}-symbol`, token.symbol],
  [`${LINKED_TOKEN}-name`, token.name],
];
