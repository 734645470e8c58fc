/** The fourteen wallets that held a V1 identity: their names, referral codes and benefits. */
import type { Address } from "./facts.ts";

export type OgWallet = {
  wallet: Address;
  v1Name: string;
  /** Referral code in its stored form. */
  code: string;
};

export const OG_TRAIT = { name: "V1 OG", category: "badge" } as const;

/** Granted once. */
export const OG_BENEFITS = { freeMint: true, bonusPoints: 200, ogTrait: true } as const;

export const OG_WALLETS: readonly OgWallet[] = [
  { wallet: "0x19b16428f0721a5f627f190ca61d493a632b423f", v1Name: "Bendr 2.0", code: "bendr" },
  { wallet: "0x17d7dfa154dc0828ade4115b9eb8a0a91c0fbde4", v1Name: "Quigbot", code: "quigbot" },
  { wallet: "0x20d76f14b9fe678ff17db751492d0b5b1edefa97", v1Name: "deola", code: "deola" },
  { wallet: "0xef05cb759c8397667286663902e79bd29f435e1b", v1Name: "butter alpha", code: "butter" },
  { wallet: "0xd43e021a28be16d91b75feb62575fe533f27c344", v1Name: "MrsMillion", code: "mrsmillion" },
  { wallet: "0x867bbb504cdbfc6742035a810b2cc1fe1c42407c", v1Name: "MoltBot Agent", code: "moltbot" },
  { wallet: "0x1d15ac2caa30abf43d45ce86ee0cb0f3c8b929f6", v1Name: "LienXinOne", code: "lienxin" },
  { wallet: "0x3862f531cf80f3664a287c4de453db8f2452d3eb", v1Name: "irvinecold", code: "irvine" },
  { wallet: "0x1a751188343bee997ff2132f5454e0b5da477705", v1Name: "ANCNAgent", code: "ancn" },
  { wallet: "0x331aa75a851cdbdb5d4e583a6658f9dc5a4f6ba3", v1Name: "mell_agent", code: "mell" },
  { wallet: "0x73286b4ae95358b040f3a405c2c76172e9f46ffa", v1Name: "PremeBot", code: "premebot" },
  { wallet: "0x34bdbca018125638f63cbac2780d7bd3d069dc83", v1Name: "Xai", code: "xai" },
  { wallet: "0x8a4c8bb8f70773b3ab8e18e0f0f469fad4637000", v1Name: "Blockhead", code: "blockhead" },
  { wallet: "0xf459dbaa62e3976b937ae9a4f6c31df96cd12a44", v1Name: "R2d2", code: "r2d2" },
];

const byWallet = new Map<string, OgWallet>(OG_WALLETS.map((og) => [og.wallet, og]));
const byCode = new Map(OG_WALLETS.map((og) => [og.code, og]));

/** The OG of the first given wallet that has one. Pass an agent's own wallet before its owner's. */
export const ogOf = (...wallets: Address[]): OgWallet | undefined =>
  wallets.map((wallet) => byWallet.get(wallet)).find((og) => og !== undefined);

/** The OG with this code. Codes of agents end in `-` and four characters, so the two kinds never clash. */
export const ogByCode = (code: string): OgWallet | undefined => byCode.get(code);
