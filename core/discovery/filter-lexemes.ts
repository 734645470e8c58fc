/** Lexemes of a document by which filters find it. No word has their first character. */
import { PROTOCOLS, type Protocol } from "../directory/protocols.ts";

const lexeme = (kind: string, value: string | number) => `!${kind}${value}`;

export const platformLexeme = (platform: string) => lexeme("p", platform);
export const protocolLexeme = (protocol: Protocol) => lexeme("s", PROTOCOLS.indexOf(protocol));
export const chainLexeme = (chain: number) => lexeme("c", chain);
export const verifiedLexeme = (verified: boolean) => lexeme("v", verified ? 1 : 0);
export const pricedLexeme = lexeme("$", "");
/** What no document has: no word contains the sign. */
export const NOWHERE = "!";
