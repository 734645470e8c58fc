/** The API's view of reviews in the canonical ERC-8004 reputation registry. Keys are in snake_case, like the directory's rows. */
import { checksum } from "../addresses.ts";
import type { Address } from "../agents/facts.ts";

/** An entry of the registry. Texts are the client's own. */
export type Review = {
  client: Address;
  index: string;
  /** The integer as written; the value is this divided by 10^`decimals`. */
  value: string;
  decimals: number;
  tag1: string;
  tag2: string;
  uri: string;
  revoked: boolean;
  /** Unix seconds. */
  givenAt: number;
  txHash: string;
  responses: number;
};

/** Max characters of a shown URI; longer ones are cut, because they contain a whole file. */
export const MAX_URI = 2_000;

export const reviewView = ({ client, index, value, decimals, tag1, tag2, uri, revoked, ...rest }: Review) => ({
  client: checksum(client),
  index,
  value: decimalText(value, decimals),
  tags: [tag1, tag2].filter((tag) => tag !== "").map((tag) => tag.slice(0, 64)),
  uri: uri === "" ? null : uri.slice(0, MAX_URI),
  revoked,
  given_at: iso(rest.givenAt),
  tx_hash: rest.txHash,
  responses: rest.responses,
});

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Divides an integer of any size by a power of ten, exactly, without trailing zeros. */
export function decimalText(integer: string, decimals: number): string {
  const digits = integer.replace("-", "").padStart(decimals + 1, "0");
  const sign = integer.startsWith("-") ? "-" : "";
  const fraction = digits.slice(digits.length - decimals).replace(/(?<!0)0+$/, "");
  return sign + digits.slice(0, digits.length - decimals) + (decimals > 0 && fraction ? `.${fraction}` : "");
}
