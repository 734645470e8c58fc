/** Metrics of a page as the browser itself reports them, by its PerformanceObserver. */
import type { BrowserContext, Page } from "playwright-core";

/** The machine of a reader: CPU `slower` times, and a network of Lighthouse's mobile preset. */
export type Device = {
  name: "desk" | "phone";
  viewport: { width: number; height: number };
  cpuSlower: number;
  network: { latency: number; downloadThroughput: number; uploadThroughput: number } | null;
};

const KBIT = 1024 / 8;
export const DEVICES: readonly Device[] = [
  { name: "desk", viewport: { width: 1360, height: 900 }, cpuSlower: 1, network: null },
  {
    name: "phone",
    viewport: { width: 390, height: 844 },
    cpuSlower: 4,
    // Slow 4G as Lighthouse throttles it: 150 ms, 1.6 Mbit/s down, 750 kbit/s up.
    network: { latency: 150, downloadThroughput: 1638.4 * KBIT, uploadThroughput: 750 * KBIT },
  },
];

/** Milliseconds, and the sum of layout shifts; `shifted`: the elements of the greatest of them, for the person who mends them. */
type Observed = { lcp: number; cls: number; inp: number; shifted: string[] };
/** Bytes over the network (compressed) by the kind of file. */
type Transferred = Record<"script" | "style" | "font" | "data" | "requests", number>;

/** Runs in the page before its own scripts: collects what the observers report. */
const OBSERVE = `
  const found = (window.observed = { lcp: 0, cls: 0, inp: 0, shifted: [] });
  const on = (type, take, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
  on("largest-contentful-paint", ({ startTime }) => { found.lcp = startTime; });
  const named = ({ node }) => node?.nodeType === 1 ? node.tagName.toLowerCase() + "." + node.className : String(node?.parentElement?.className);
  on("layout-shift", ({ value, hadRecentInput, sources }) => {
    if (hadRecentInput) return;
    found.cls += value;
    if (value > 0.02) found.shifted.push(value.toFixed(3) + " " + sources.map(named).join(", "));
  });
  on("event", ({ interactionId, duration }) => { if (interactionId) found.inp = Math.max(found.inp, duration); },
    { durationThreshold: 16 });`;

/** Bytes by the kind of file, out of the browser's own resource timing. */
const TRANSFERRED = `(() => {
  const entries = performance.getEntriesByType("resource");
  const sum = (kind) => entries.filter(({ name }) => kind.test(new URL(name).pathname))
    .reduce((all, { encodedBodySize }) => all + encodedBodySize, 0);
  return { script: sum(/\\.js$/), style: sum(/\\.css$/), font: sum(/\\.woff2$/), data: sum(/^\\/api\\//),
    requests: entries.length + 1 };
})()`;

/** Waits for two frames, so that the observers have had what the last act caused. */
const SETTLED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
  setTimeout(() => done(window.observed), 50))))`;

/** What a person does first: changes the theme once around, uses the search field, then the first control of the page itself. */
async function interact(page: Page): Promise<void> {
  for (let theme = 0; theme < 3; theme++) await page.getByRole("button", { name: /^Theme/ }).click();
  await page.locator("#search").focus();
  await page.keyboard.type("mer", { delay: 30 });
  await page.keyboard.press("Escape");
  const control = page
    .getByRole("main")
    .locator("summary, textarea, input:not([type=file]), button[aria-pressed], button[aria-expanded]")
    .first();
  if (!(await control.isVisible())) return;
  await control.focus();
  await page.keyboard.press("Space");
  const typed = await control.evaluate((one) =>
    /input|textarea/i.test((one as unknown as { tagName: string }).tagName),
  );
  await page.keyboard.press(typed ? "Backspace" : "Space");
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached" });
}

/**
 * Visits a page in a new context.
 * @param open brings it to the state in which a person reads it
 * @param then what else is done with it, at full speed
 */
export async function visit(
  context: BrowserContext,
  device: Device,
  open: (page: Page) => Promise<void>,
  then?: (page: Page) => Promise<void>,
): Promise<Observed & Transferred> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  try {
    const devtools = await context.newCDPSession(page);
    if (device.cpuSlower > 1) await devtools.send("Emulation.setCPUThrottlingRate", { rate: device.cpuSlower });
    if (device.network) await devtools.send("Network.emulateNetworkConditions", { offline: false, ...device.network });
    await page.addInitScript({ content: OBSERVE });
    await open(page);
    const bytes = await page.evaluate<Transferred>(TRANSFERRED);
    const { lcp, cls, shifted } = await page.evaluate<Observed>(SETTLED);
    await interact(page);
    const { inp } = await page.evaluate<Observed>(SETTLED);
    await devtools.detach();
    await then?.(page);
    return { lcp, cls, shifted, inp, ...bytes };
  } finally {
    await page.close();
  }
}

/** What a browser context needs to be a device. */
export const contextOf = ({ name, viewport }: Device) => ({
  viewport,
  ...(name === "phone" && { hasTouch: true, isMobile: true }),
});
