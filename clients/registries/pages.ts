/** How the pages of a registry are opened. */
import type { Upstream } from "../http.ts";
import type { Registry } from "../ports.ts";

/** @param upstream opened on the registry's URL @param about.chainId of the chain whose agents are listed */
export type OpenPages = (upstream: Upstream, about: { chainId: number }) => Registry;
