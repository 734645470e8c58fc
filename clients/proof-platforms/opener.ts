/** The type of functions that open a platform's reader, from its settings and the connections of the process. */
import type { SettingsOf, UpstreamVariables } from "../../core/operations/upstream-variable.ts";
import type { Proxies } from "../http/egress.ts";
import type { Http } from "../http.ts";
import type { ProofReader } from "../ports.ts";

export type ReaderParts = {
  http: Http;
  /** User agent for hosts that are not reached through `http`. */
  userAgent: string;
  /** Undefined: those hosts are dialled directly. */
  proxies?: Proxies | undefined;
  /** Registers a function that runs when the process ends. */
  onClose(close: () => Promise<void>): void;
};

/** @returns null when a required setting is missing */
export type OpenReader<V extends UpstreamVariables, Claim> = (
  settings: SettingsOf<V>,
  parts: ReaderParts,
) => ProofReader<Claim> | null;

export const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };
