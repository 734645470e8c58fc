/** How an account on each platform is proven in the browser: where the text goes, and the fields that name the account. */

import { gistFileName } from "../../../core/proof-platforms/github.ts";
import type { ByProofPlatform } from "../../../core/proof-platforms.ts";
import type { MessageKey } from "../say.tsx";

type ProofField = {
  /** As in the request's body. */
  name: string;
  label: MessageKey;
  optional?: true;
  numeric?: true;
  /** Max characters. */
  max: number;
};

export type ProofForm = {
  /** Where the text is published, as a sentence. */
  how: MessageKey;
  /** The name of the file that has the text. @param prefix lower-case name of the service */
  fileName?: (prefix: string) => string;
  /** Where the account publishes it. @param text the text to publish */
  place: (text: string) => string;
  open: MessageKey;
  /** The first is filled with the account of a recorded proof. */
  fields: readonly ProofField[];
};

export const PROOF_FORMS: ByProofPlatform<ProofForm> = {
  x: {
    how: "prove.x.how",
    place: () => "https://x.com/settings/profile",
    open: "prove.x.open",
    fields: [{ name: "handle", label: "prove.x.handle", max: 16 }],
  },
  github: {
    how: "prove.github.how",
    fileName: gistFileName,
    place: () => "https://gist.github.com/",
    open: "prove.github.open",
    fields: [
      { name: "username", label: "prove.github.username", max: 40 },
      { name: "gistId", label: "prove.github.gist", max: 200, optional: true },
    ],
  },
  farcaster: {
    how: "prove.farcaster.how",
    place: (text) => `https://farcaster.xyz/~/compose?text=${encodeURIComponent(text)}`,
    open: "prove.farcaster.open",
    fields: [{ name: "username", label: "prove.farcaster.username", max: 80 }],
  },
};
