/** Marks: lexemes of a document that stand for what is filtered by. No word has their first character. */
import { PROTOCOLS, type Protocol } from "../directory/protocols.ts";

const mark = (kind: string, value: string | number) => `!${kind}${value}`;

export const platformMark = (platform: string) => mark("p", platform);
export const protocolMark = (protocol: Protocol) => mark("s", PROTOCOLS.indexOf(protocol));
export const chainMark = (chain: number) => mark("c", chain);
export const verifiedMark = (verified: boolean) => mark("v", verified ? 1 : 0);
/** Any known price. */
export const pricedMark = mark("$", "");
