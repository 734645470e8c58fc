/** `npm run bench -- payments [--short]`: how fast mints are accepted, and what a paid mint's answer waits for. */
import acceptance from "./payments/acceptance.ts";
import answers from "./payments/answers.ts";

/** @param args `--short` for a quick look; `--accept` for the acceptance alone, which needs no chain */
export default async function payments(args: string[]): Promise<void> {
  const short = args.includes("--short");
  await acceptance(short ? 1_000 : 4_000);
  if (!args.includes("--accept")) await answers(short ? 5 : 40);
}
