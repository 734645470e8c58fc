/** The sections of an agent's management: one entry each. */
import type { ComponentType } from "react";
import type { MessageKey } from "../say.tsx";
import type { SectionProps } from "./section-props.ts";

export type Section = {
  /** The last part of the address. */
  key: string;
  label: MessageKey;
  load: () => Promise<{ default: ComponentType<SectionProps> }>;
};

/** In the order in which they are shown; the first is the one of `/agent/7/manage`. */
export const SECTIONS: readonly Section[] = [
  { key: "score", label: "prove.score", load: () => import("./score.tsx") },
  { key: "words", label: "manage.words", load: () => import("./self-description.tsx") },
  { key: "traits", label: "manage.traits", load: () => import("./traits.tsx") },
  { key: "listing", label: "manage.listing", load: () => import("./listing.tsx") },
  { key: "proofs", label: "prove.proofs", load: () => import("./proofs.tsx") },
  { key: "accounts", label: "manage.accounts", load: () => import("./accounts.tsx") },
  { key: "token", label: "manage.token", load: () => import("./token.tsx") },
  { key: "erc8004", label: "manage.erc8004", load: () => import("./erc8004.tsx") },
  { key: "referral", label: "prove.referral", load: () => import("./referral.tsx") },
  { key: "webhooks", label: "prove.webhooks", load: () => import("./webhooks.tsx") },
  { key: "transfer", label: "manage.transfer", load: () => import("./transfer.tsx") },
];
