/** How an account on each platform is proven in the browser: where the text goes, and the fields that name the account. */
import { gistFileName } from "../../../core/proof-platforms/github.ts";
import type { ByProofPlatform } from "../../../core/proof-platforms.ts";
import type { FieldEntry } from "../parts/form.tsx";

export type ProofForm = {
  /** Where the text is published, as a sentence. */
  how: string;
  /** The name of the file that has the text. @param prefix lower-case name of the service */
  fileName?: (prefix: string) => string;
  /** Where the account publishes it. @param text the text to publish */
  place: (text: string) => string;
  open: string;
  /** They name the account as the request's body does; the first is filled with the account of a recorded proof. */
  fields: readonly FieldEntry[];
};

export const PROOF_FORMS: ByProofPlatform<ProofForm> = {
  x: {
    how: "Put this text into the bio of your account, as a word of its own.",
    place: () => "https://x.com/settings/profile",
    open: "Edit your profile on X",
    fields: [{ name: "handle", label: "Handle on X", max: 16 }],
  },
  github: {
    how: "Create a public gist with a file of this name that holds this text.",
    fileName: gistFileName,
    place: () => "https://gist.github.com/",
    open: "Create a gist on GitHub",
    fields: [
      { name: "username", label: "GitHub username", max: 40 },
      { name: "gistId", label: "Id or address of the gist", max: 200, optional: true },
    ],
  },
  farcaster: {
    how: "Publish a cast of its own, not a reply, that holds this text as a word of its own.",
    place: (text) => `https://farcaster.xyz/~/compose?text=${encodeURIComponent(text)}`,
    open: "Write a cast on Farcaster",
    fields: [{ name: "username", label: "Farcaster name", max: 80 }],
  },
};
