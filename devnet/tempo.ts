/** The development chain that payments by MPP settle on: Tempo with USDC.e at its real address, and money for everybody. */
import {
  createTestClient,
  encodeAbiParameters,
  type Hex,
  http,
  keccak256,
  numberToHex,
  parseEther,
  parseUnits,
  publicActions,
  stringToHex,
  walletActions,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { Actions } from "viem/tempo";
import { tempo } from "viem/tempo/chains";
import { ANSWER_MS } from "./anvil-process.ts";
import { devnetCast } from "./chain-keys.ts";
import { receiptActions } from "./receipts.ts";

/** Checksummed. Fees are paid in any of these; the node wants some of the first in every account that sends. */
export const TEMPO = {
  chainId: 4217,
  pathUsd: "0x20c0000000000000000000000000000000000000",
  usdce: "0x20C000000000000000000000b9537d11c60E8b50",
} as const;

/** A token that the node brings along; USDC.e is made like it. */
const PATTERN: Hex = "0x20c0000000000000000000000000000000000001";
/** Code of every token of this kind: the node itself does what they do. */
const TOKEN_CODE: Hex = "0xef";
const TOKEN_SLOTS = 64;
const [NAME_SLOT, SYMBOL_SLOT, BALANCES_SLOT] = [2n, 3n, 9n];

const USDCE_EACH = parseUnits("1000", 6);
const PATH_USD_EACH = parseUnits("100", 6);
const POOL = parseUnits("1000000", 6);

/**
 * Puts USDC.e on an empty local anvil of `--network tempo`, where fees can be paid in it, and gives each of the devnet's
 * accounts 1000; or finds it there.
 */
export async function deployTempo(rpcUrl: string): Promise<void> {
  const { operator, accounts } = devnetCast();
  const chain = openTempo(rpcUrl, privateKeyToAccount(operator));
  if (await isDeployed(chain)) return;
  await Promise.all(
    Array.from({ length: TOKEN_SLOTS }, async (_, slot) => {
      const value = await chain.getStorageAt({ address: PATTERN, slot: numberToHex(slot) });
      if (value && BigInt(value) !== 0n) await store(chain, BigInt(slot), value);
    }),
  );
  await store(chain, NAME_SLOT, shortText("Bridged USDC"));
  await store(chain, SYMBOL_SLOT, shortText("USDC.e"));
  await giveUsdce(rpcUrl, chain.account.address, POOL);
  await give(chain, TEMPO.pathUsd, chain.account.address, 2n * POOL);
  await Promise.all(accounts.map(({ address }) => giveUsdce(rpcUrl, address, USDCE_EACH)));
  await chain.setCode({ address: TEMPO.usdce, bytecode: TOKEN_CODE });
  // Validators are paid in pathUSD: fees in another token are exchanged by this pool. The last step, by which it is known.
  await Actions.amm.mintSync(chain, {
    userTokenAddress: TEMPO.usdce,
    validatorTokenAddress: TEMPO.pathUsd,
    validatorTokenAmount: POOL,
    to: chain.account.address,
  });
}

async function isDeployed(chain: TempoChain): Promise<boolean> {
  const pair = { userToken: TEMPO.usdce, validatorToken: TEMPO.pathUsd };
  const { reserveUserToken, reserveValidatorToken } = await Actions.amm.getPool(chain, pair);
  return reserveUserToken > 0n || reserveValidatorToken > 0n;
}

/** The variables (config/) by which the service takes payments on it; TEMPO_RPC_URL is the caller's. */
export const tempoEnv = () => ({
  TEMPO_CHAIN_ID: String(TEMPO.chainId),
  MPP_CURRENCY_ADDRESS: TEMPO.usdce,
  // The same after every start: what was asked for before is still known. It protects nothing of value.
  MPP_SECRET_KEY: keccak256(stringToHex(`mpp ${devnetCast().keys.deployer}`)),
});

/** USDC.e for an account, which is then its balance, and what the node wants to see for fees. @param units millionths of a dollar */
export async function giveUsdce(rpcUrl: string, to: Hex, units: bigint): Promise<void> {
  const chain = openTempo(rpcUrl);
  await give(chain, TEMPO.usdce, to, units);
  await give(chain, TEMPO.pathUsd, to, PATH_USD_EACH);
  // Fees are never paid in it, but the node looks at it for transactions with an ordinary nonce.
  await chain.setBalance({ address: to, value: parseEther("100") });
}

type TempoChain = ReturnType<typeof openTempo<PrivateKeyAccount | undefined>>;

/** A client of a local anvil of Tempo, with its test methods. */
export const openTempo = <A extends PrivateKeyAccount | undefined = undefined>(rpcUrl: string, account?: A) =>
  createTestClient({
    account: account as A,
    // viem lets the node wait for a receipt for three of its blocks: by its own block time 5 s.
    chain: { ...tempo, blockTime: ANSWER_MS / 3, rpcUrls: { default: { http: [rpcUrl] } } },
    mode: "anvil",
    transport: http(rpcUrl, { timeout: ANSWER_MS, retryCount: 0 }),
    cacheTime: 0,
    pollingInterval: 50,
  })
    .extend(publicActions)
    .extend(receiptActions)
    .extend(walletActions);

type Storing = Pick<TempoChain, "setStorageAt">;

const store = (chain: Storing, slot: bigint, value: Hex) =>
  chain.setStorageAt({ address: TEMPO.usdce, index: numberToHex(slot, { size: 32 }), value });

const give = (chain: Storing, token: Hex, to: Hex, units: bigint) =>
  chain.setStorageAt({
    address: token,
    index: keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [to, BALANCES_SLOT])),
    value: numberToHex(units, { size: 32 }),
  });

/** A text of less than 32 bytes as Solidity stores it. */
const shortText = (text: string): Hex => {
  const padded = stringToHex(text, { size: 31 });
  return `${padded}${numberToHex(2 * text.length, { size: 1 }).slice(2)}`;
};
