/** The element tree of a card: the part of takumi's nodes that cards are made of. Plain JSON, no behaviour. */

export type Style = Record<string, string | number>;

export type BoxElement = { type: "container"; style: Style; children: CardElement[] };
export type TextElement = { type: "text"; text: string; dir: "ltr" | "rtl"; style: Style };
/** `src` is an SVG document of our own making, never an address: nothing is fetched while drawing. */
export type PictureElement = { type: "image"; src: string; style: Style };
export type CardElement = BoxElement | TextElement | PictureElement;

export const box = (style: Style, ...children: (CardElement | null)[]): BoxElement => ({
  type: "container",
  style: { display: "flex", ...style },
  children: children.filter((child) => child !== null),
});

/** Lines run in the direction of the first letter that has one. */
export const text = (content: string, style: Style): TextElement => ({
  type: "text",
  text: content,
  dir: RIGHT_TO_LEFT.test(content) ? "rtl" : "ltr",
  style,
});

const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}]/u;

export const picture = (svg: string, style: Style): PictureElement => ({ type: "image", src: svg, style });
