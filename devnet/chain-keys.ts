/** The development chain's accounts, all from one public mnemonic: worthless anywhere else. */
import { pbkdf2Sync } from "node:crypto";
import { bytesToHex, type Hex } from "viem";
import { HDKey, privateKeyToAddress } from "viem/accounts";

/** Public: never send anything of value to its accounts. */
const DEV_MNEMONIC = "agent agent agent agent agent agent agent agent agent agent agent secret";

/** `address` is checksummed. */
export type Account = { address: Hex; privateKey: Hex };

export type DevnetKeys = {
  /** Owner of the identity token and of the handshake registry; the service sends from it. */
  deployer: Hex;
  /** Directs the exchange's attester and is an attester itself. */
  attester: Hex;
  /** Holds the service token's supply; receives payments. */
  treasury: Hex;
  /** Signs receipts. */
  receiptSigner: Hex;
  /** Signs the agent card (P-256). */
  agentCard: Hex;
  /** Pays the gas when the service settles x402 payments itself. */
  facilitator: Hex;
  /** Of the simulated hosts of agents: is paid by their customers, and pays the gas of the settlements. */
  agentHosts: Hex;
};

export type Cast = {
  keys: DevnetKeys;
  /** For people and tests: nothing of the stack uses them. */
  accounts: Account[];
  /** Acts for all other accounts on Base: owns the canonical registries, mints USDC. */
  operator: Hex;
};

const ACCOUNTS = 10;

const casts = new Map<string, Cast>();

/** Every account of a devnet. */
export function devnetCast(mnemonic = DEV_MNEMONIC): Cast {
  const cast = casts.get(mnemonic) ?? derived(mnemonic);
  casts.set(mnemonic, cast);
  return cast;
}

function derived(mnemonic: string): Cast {
  // BIP-39's seed by Node's own PBKDF2: in JavaScript it would take seconds.
  const seed = pbkdf2Sync(mnemonic.normalize("NFKD"), "mnemonic", 2048, 64, "sha512");
  // The parent of them all once, and not with each: a step costs as much as a signature.
  const parent = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0");
  const derive = (index: number): Account => {
    const privateKey = bytesToHex(parent.deriveChild(index).privateKey!);
    return { address: privateKeyToAddress(privateKey), privateKey };
  };
  const key = (index: number) => derive(ACCOUNTS + index).privateKey;
  return {
    accounts: Array.from({ length: ACCOUNTS }, (_, i) => derive(i)),
    keys: {
      deployer: key(0),
      attester: key(1),
      treasury: key(2),
      receiptSigner: key(3),
      agentCard: key(7),
      facilitator: key(5),
      agentHosts: key(6),
    },
    operator: key(4),
  };
}
