/** What the views know about the deployment they are shown in. */
import type { Address } from "../facts.ts";
import type { PriceList } from "../prices.ts";

export type Site = {
  serviceName: string;
  /** Base URLs without a trailing slash. */
  publicUrl: string;
  webUrl: string;
  explorer: string;
  /** The identity token. */
  contract: Address;
  /** In force. */
  prices: PriceList;
};
