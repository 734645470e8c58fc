/** A process that draws cards with one engine and measures their cost: `takumi` and `webp` as the service does, `satori` with resvg. */
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Resvg } from "@resvg/resvg-js";
import satori, { type Font } from "satori";
import { pathOf } from "../../card-renderer/font-index.ts";
import { createPaint } from "../../card-renderer/paint.ts";
import { CARD_SIZES, type CardSize, drawCard } from "../../core/card/draw.ts";
import type { CardElement } from "../../core/card/element.ts";
import type { CardFacts } from "../../core/card/facts.ts";
import { cpuMsSince } from "../../harness/figures.ts";

export type Engine = "takumi" | "webp" | "satori";
export type Batch = { size: CardSize; cards: CardFacts[]; inFlight: number };
/** CPU of the whole process, all threads; delays of the event loop in ms. */
export type Cost = { cpuMs: number; wallMs: number; bytes: number; delay: { p99: number; max: number } };

/** Draws cards only. */
type Draw = (card: CardFacts, size: CardSize) => Promise<Uint8Array>;
const webpPaint =
  (paint = createPaint()): Draw =>
  (card, size) =>
    paint(card, size, "webp");
const ENGINES: Record<Engine, () => Draw> = { takumi: createPaint, webp: webpPaint, satori: satoriPaint };

if (process.send) {
  const paint = ENGINES[process.argv[2] as Engine]();
  process.on("message", async (batch: Batch) => process.send!(await measure(paint, batch)));
}

/** Draws a batch, `inFlight` cards at a time, and says what it cost. */
export async function measure(paint: Draw, { size, cards, inFlight }: Batch): Promise<Cost> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const waiting = [...cards];
  let bytes = 0;
  // Its timer costs CPU of its own each millisecond the loop is free.
  if (inFlight > 1) delay.enable();
  // The histogram begins with the loop's next turn, and contains a block at the end only one turn later.
  await turn();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let card = waiting.pop(); card; card = waiting.pop()) bytes += (await paint(card, size)).length;
    }),
  );
  const wallMs = (performance.now() - started) / cards.length;
  const cpuMs = cpuMsSince(cpu) / cards.length;
  await turn();
  delay.disable();
  return {
    ...{ cpuMs, wallMs },
    bytes: bytes / cards.length,
    delay: { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 },
  };
}

const turn = () => new Promise((done) => setTimeout(done, 5));

/** The same tree, laid out by satori and drawn by resvg. It reads WOFF, not WOFF2. */
function satoriPaint(): Draw {
  const font = (name: string, slug: string, weight: 500 | 700): Font => ({
    name,
    weight,
    style: "normal",
    data: readFileSync(pathOf(`@fontsource/${slug}/files/${slug}-latin-${weight}-normal.woff`)),
  });
  const fonts = [font("Inter", "inter", 500), font("Inter", "inter", 700), font("Space Grotesk", "space-grotesk", 700)];
  return async (card, size) => {
    const svg = await satori(reactLike(drawCard(card, size)) as never, { ...CARD_SIZES[size], fonts });
    return new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng();
  };
}

function reactLike(element: CardElement): unknown {
  const { style } = element;
  if (element.type === "container") return { type: "div", props: { style, children: element.children.map(reactLike) } };
  if (element.type === "text") {
    const fontFamily = style.fontFamily === "display" ? "Space Grotesk" : "Inter";
    return { type: "div", props: { style: { display: "flex", ...style, fontFamily }, children: element.text } };
  }
  const src = `data:image/svg+xml;base64,${Buffer.from(element.src).toString("base64")}`;
  return { type: "img", props: { src, width: style.width, height: style.height, style } };
}
