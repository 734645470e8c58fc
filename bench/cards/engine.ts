/** A process that draws cards with one engine and measures their cost: `takumi` and `webp` as the service does, `satori` with resvg. */
import { readFileSync } from "node:fs";
import { Resvg } from "@resvg/resvg-js";
import satori, { type Font } from "satori";
import { pathOf } from "../../card-renderer/font-index.ts";
import { createPaint } from "../../card-renderer/paint.ts";
import { CARD_SIZES, type CardSize, drawCard } from "../../core/card/draw.ts";
import type { CardElement } from "../../core/card/element.ts";
import type { CardFacts } from "../../core/card/facts.ts";
import { cpuMsSince, stopwatch } from "../../harness/figures.ts";

export type Engine = "takumi" | "webp" | "satori";
export type Batch = { size: CardSize; cards: CardFacts[] };
/** CPU of the whole process, all threads. */
export type Cost = { cpuMs: number; wallMs: number; bytes: number };

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

/** Draws a batch, one card after the other, and says what each cost. */
async function measure(paint: Draw, { size, cards }: Batch): Promise<Cost> {
  let bytes = 0;
  const cpu = process.cpuUsage();
  const [ms] = await stopwatch(async () => {
    for (const card of cards) bytes += (await paint(card, size)).length;
  });
  const each = (total: number) => total / cards.length;
  return { cpuMs: each(cpuMsSince(cpu)), wallMs: each(ms), bytes: each(bytes) };
}

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
