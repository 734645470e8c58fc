/** The port of signed requests (Web Bot Auth). */

/** A public key of Ed25519 as a JSON Web Key (RFC 8037); `kid` is its thumbprint (RFC 7638). */
export type DirectoryKey = { kty: "OKP"; crv: "Ed25519"; x: string; kid: string; use: "sig" };

/** Signs what this service asks of others as its own. */
export interface RequestSigner {
  headersFor(url: URL): Record<string, string>;
  /** The keys by which others check it, and headers that sign an answer with them: each key signs. */
  directory(): { keys: DirectoryKey[]; headers: Record<string, string> };
}
