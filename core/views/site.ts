/** The deployment as the views see it: its URLs, contract and prices. */
import type { Address } from "../agents/facts.ts";
import type { PriceList } from "../payments/prices.ts";

export type Site = {
  serviceName: string;
  /** Base URLs without a trailing slash. */
  publicUrl: string;
  webUrl: string;
  explorer: string;
  /** Address of the identity contract. */
  contract: Address;
  /** Prices in force. */
  prices: PriceList;
};
