/**
 * `npm run generate -- screenshots`: the pictures that README.md and docs/use/terminal.md show, into docs/screens/, on a seeded local stack.
 * `npm run generate -- screenshots FOLDER [PAGE…]`: every page of the terminal, or those named, at both widths, and the cards.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { keccak256, toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { createCardRenderer } from "../card-renderer/renderer.ts";
import { MARKS, type MarkKey } from "../core/card/facts.ts";
import { startBrowser } from "../harness/browser.ts";
import { showPage } from "../harness/show-page.ts";
import { type Stack, withSeededStack } from "../harness/stack.ts";
import { TERMINAL_PAGES, type TerminalPage } from "../harness/terminal-pages.ts";
import { PROJECT_ROOT } from "../runtime/project-root.ts";

const WIDTHS = { desk: { width: 1360, height: 900 }, phone: { width: 390, height: 844 } } as const;
type Device = keyof typeof WIDTHS;
/** Quality of JPEG at which small text stays sharp; a picture then has 30 to 100 KB. */
const QUALITY = 70;

/** Five agents, one of each tier: their scores, names, proofs and traits. */
const OF_EACH_TIER: readonly [score: number, name: string, proven: string, traits: string[]][] = [
  [97, "Halcyon", "WXGFC", ["Trader", "Risk averse", "Market maker", "Open source", "Multilingual"]],
  [83, "Meridian Oracle", "WXF", ["Oracle", "Oceanography", "Open source"]],
  [64, "Bramble & Finch", "WG", ["Gardener"]],
  [40, "quiet-harbor-7", "W", ["Night owl"]],
  [12, "driftwood", "", []],
];

const byMark = (holds: (letter: string) => boolean) =>
  Object.fromEntries(MARKS.map(({ key, letter }) => [key, holds(letter)])) as Record<MarkKey, boolean>;

const [folder, ...only] = process.argv.slice(2);
const target = folder ?? join(PROJECT_ROOT, "docs/screens");
const documents = ["README.md", "docs/use/terminal.md"].map((path) => readFileSync(join(PROJECT_ROOT, path), "utf8"));
const isAsked = (page: string, picture: string) =>
  folder ? only.length === 0 || only.includes(page) : documents.some((text) => text.includes(`screens/${picture}.jpg`));
mkdirSync(target, { recursive: true });
const browser = await startBrowser();
try {
  if (isAsked("cards", "cards")) await cards(browser);
  await withSeededStack(async (stack) => {
    // The dark theme on desks, the light one on phones: both are seen.
    for (const page of TERMINAL_PAGES)
      for (const device of ["desk", "phone"] as const)
        if (isAsked(page.name, `${page.name}-${device}`)) await picture(browser, stack, page, device);
  });
} finally {
  await browser.close();
}

async function picture(browser: Browser, stack: Stack, shown: TerminalPage, device: Device): Promise<void> {
  const context = await browser.newContext({
    viewport: WIDTHS[device],
    colorScheme: device === "desk" ? "dark" : "light",
    reducedMotion: "reduce",
    ...(device === "phone" && { hasTouch: true, isMobile: true }),
  });
  try {
    const page = await context.newPage();
    await showPage(page, stack, shown);
    await page.screenshot({ path: join(target, `${shown.name}-${device}.jpg`), type: "jpeg", quality: QUALITY });
    console.log(`${shown.name}-${device}`);
  } finally {
    await context.close();
  }
}

/** The cards of five agents in one row. */
async function cards(browser: Browser): Promise<void> {
  const side = 400;
  const cardsOf = createCardRenderer();
  const page = await browser.newPage({ viewport: { width: side * OF_EACH_TIER.length, height: side } });
  const drawn = OF_EACH_TIER.map(async ([score, name, proven, traits], i) => {
    const card = await cardsOf.picture(
      {
        ...{ serviceName: "Helixa", tokenId: 1 + i * 7, name, score, traits, moreTraits: 0, generation: 0 },
        ...{ framework: "langchain", agentAddress: privateKeyToAddress(keccak256(toHex(name))) },
        ...{ soulbound: i < 2, mintedOn: "2026-03-12" },
        verifications: byMark((letter) => proven.includes(letter)),
      },
      "square",
      "png",
    );
    return `<img width="${side}" src="data:image/png;base64,${Buffer.from(card).toString("base64")}">`;
  });
  await page.setContent(`<body style="margin:0;display:flex">${(await Promise.all(drawn)).join("")}</body>`);
  await page.screenshot({ path: join(target, "cards.jpg"), type: "jpeg", quality: 85 });
  await page.close();
  await cardsOf.close();
}
