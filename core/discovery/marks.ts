/** Marks: lexemes of a document that stand for what is filtered by. No word has their first character. */
import { PROTOCOLS, type Protocol } from "../directory/protocols.ts";

const mark = (kind: string, value: string | number) => `!${kind}${value}`;

/** Number of ranges of trust; the highest is `TRUST_RANGES - 1`. */
export const TRUST_RANGES = 10;
/** Lowest trust, in thousandths, of each range above the lowest. */
const TRUST_FROM = [40, 80, 120, 170, 220, 280, 350, 430, 520];

/** The range of a trust in thousandths, 0 to 9. */
export const trustRange = (trust: number): number => TRUST_FROM.filter((from) => trust >= from).length;

export const trustMark = (range: number) => mark("t", range);
export const platformMark = (platform: string) => mark("p", platform);
export const protocolMark = (protocol: Protocol) => mark("s", PROTOCOLS.indexOf(protocol));
export const chainMark = (chain: number) => mark("c", chain);
export const verifiedMark = (verified: boolean) => mark("v", verified ? 1 : 0);
/** Any known price. */
export const pricedMark = mark("$", "");
