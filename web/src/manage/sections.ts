/** The sections of an agent's management: one entry each. */
import type { ComponentType } from "react";
import type { SectionProps } from "./section-props.ts";

export type Section = {
  /** The last part of the address. */
  key: string;
  label: string;
  load: () => Promise<{ default: ComponentType<SectionProps> }>;
};

/** In the order in which they are shown; the first is the one of `/agent/7/manage`. */
export const SECTIONS: readonly Section[] = [
  { key: "score", label: "What lifts this score", load: () => import("./score.tsx") },
  { key: "words", label: "Words and personality", load: () => import("./self-description.tsx") },
  { key: "traits", label: "Traits", load: () => import("./traits.tsx") },
  { key: "listing", label: "What it offers", load: () => import("./listing.tsx") },
  { key: "proofs", label: "Proofs", load: () => import("./proofs.tsx") },
  { key: "accounts", label: "Accounts", load: () => import("./accounts.tsx") },
  { key: "token", label: "Token", load: () => import("./token.tsx") },
  { key: "erc8004", label: "ERC-8004 registration", load: () => import("./erc8004.tsx") },
  { key: "referral", label: "Referrals", load: () => import("./referral.tsx") },
  { key: "webhooks", label: "Webhooks", load: () => import("./webhooks.tsx") },
  { key: "transfer", label: "Transfer", load: () => import("./transfer.tsx") },
];
