/** How the reader of a platform is opened: by its settings, over the connections of the process. */
import type { SettingsOf, UpstreamVariables } from "../../core/upstream-variable.ts";
import type { Http } from "../http.ts";
import type { ProofReader } from "../ports.ts";

export type ReaderParts = {
  http: Http;
  /** Names the service to hosts that are reached outside of `http`. */
  userAgent: string;
  /** Registers what the end of the process closes. */
  onClose(close: () => Promise<void>): void;
};

/** @returns null where a setting is missing without which the platform cannot be asked */
export type OpenReader<V extends UpstreamVariables, Claim> = (
  settings: SettingsOf<V>,
  parts: ReaderParts,
) => ProofReader<Claim> | null;

export const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };
