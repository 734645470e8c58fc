/** The small parts of a card: trait chips, the soulbound pill, the verification marks. */
import { box, type CardElement, picture, text } from "./element.ts";
import type { MARKS } from "./facts.ts";
import { CHIP } from "./measure.ts";
import type { Palette } from "./palette.ts";

export const DISPLAY = { fontFamily: "display", fontWeight: 700 } as const;
export const BODY = { fontWeight: 500 } as const;

const pill = {
  height: CHIP.height,
  alignItems: "center",
  paddingLeft: CHIP.padding,
  paddingRight: CHIP.padding,
  borderRadius: CHIP.height / 2,
} as const;

export const chip = (label: string, palette: Palette): CardElement =>
  box(
    { ...pill, border: `2px solid ${palette.line}` },
    text(label, { fontSize: CHIP.size, lineHeight: 1.2, whiteSpace: "nowrap" }),
  );

/** A closed padlock, then the word. */
export const soulboundPill = (palette: Palette): CardElement =>
  box(
    { ...pill, border: `2px solid ${palette.accent}`, color: palette.accent },
    picture(
      `<svg xmlns="http://www.w3.org/2000/svg" width="18" height="22" viewBox="0 0 18 22"><path d="M4.5 9V6a4.5 4.5 0 0 1 9 0v3" fill="none" stroke="${palette.accent}" stroke-width="2.4"/><rect x="1" y="9" width="16" height="12" rx="3" fill="${palette.accent}"/></svg>`,
      { width: 18, height: 22, marginRight: CHIP.lock - 18 },
    ),
    text("Soulbound", { fontSize: CHIP.size, lineHeight: 1.2, whiteSpace: "nowrap" }),
  );

/** Proven: a filled disc with a tick. Absent: an empty ring. The difference is in the shape, not in the colour alone. */
export function mark(
  { letter, label }: (typeof MARKS)[number],
  proven: boolean,
  { size, label: labelSize }: { size: number; label: number },
  palette: Palette,
): CardElement {
  const disc = { width: size, height: size, borderRadius: size / 2, alignItems: "center", justifyContent: "center" };
  return box(
    { alignItems: "center" },
    box(
      proven
        ? { ...disc, backgroundColor: palette.accent, color: palette.onAccent }
        : { ...disc, border: `2px solid ${palette.line}`, color: palette.muted },
      text(letter, { ...DISPLAY, fontSize: size / 2, lineHeight: 1.2 }),
    ),
    text(label, { marginLeft: 9, fontSize: labelSize, lineHeight: 1.2, color: proven ? palette.text : palette.muted }),
    proven ? tick(palette.accent) : null,
  );
}

/** Two sides of a turned rectangle; an image would cost more to draw. */
const tick = (colour: string): CardElement =>
  box({
    width: 15,
    height: 8,
    marginLeft: 8,
    marginTop: -5,
    borderLeft: `3px solid ${colour}`,
    borderBottom: `3px solid ${colour}`,
    transform: "rotate(-45deg)",
  });
