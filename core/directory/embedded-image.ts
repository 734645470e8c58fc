/** Pictures that a registration file has in itself, as data URIs, and which of them are served. */
import { base64Bytes, dataUriOf } from "../data-uri.ts";
import { rowRef } from "./platforms.ts";

/** A file with a larger picture is read without it. */
export const MAX_IMAGE_BYTES = 32_768;
/** What browsers show in a page as a picture: there an SVG runs no script and loads nothing. */
export const IMAGE_TYPES = ["svg+xml", "png", "jpeg", "gif", "webp", "avif"].map((type) => `image/${type}`);

export type EmbeddedImage = { type: string; bytes: Uint8Array };

/** @returns null for what is no picture in a data URI */
export function embeddedImage(uri: string): EmbeddedImage | null {
  const given = /^data:image\//i.test(uri) ? dataUriOf(uri) : null;
  const type = given?.type.replace("image/jpg", "image/jpeg") ?? "";
  if (given === null || !IMAGE_TYPES.includes(type) || given.data === "") return null;
  const isPlain = !given.parameters.includes("base64") || given.data.startsWith("<");
  const bytes = isPlain ? new TextEncoder().encode(given.data) : base64Bytes(given.data);
  if (bytes === null || (type === "image/svg+xml" && isHeavy(bytes))) return null;
  return { type, bytes };
}

/** What asks a reader for more work than an SVG of its size shows: shapes drawn again and again, entities, filters, moves, other documents and scripts. */
const HEAVY =
  /<\s*(?:[^\s<>/:]+:)?(?:use|filter|pattern|marker|mask|foreignobject|script|animate\w*|set|image|feimage|iframe)\b|<!entity\b|filter\s*:|@keyframes\b|animation\s*:/i;
/** A text in another form than UTF-8 is not looked through: its characters are two bytes or more. */
const isHeavy = (bytes: Uint8Array): boolean => {
  const svg = new TextDecoder().decode(bytes);
  return svg.includes("\0") || HEAVY.test(svg);
};

/** The data URI that is stored of a picture; `embeddedImage` reads it. */
export const imageUri = ({ type, bytes }: EmbeddedImage): string =>
  `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;

/** Where the service serves the picture of an agent's file, below its own address. */
export const imagePath = (agentId: string): string => `/api/terminal/agent/${rowRef("erc8004", agentId)}/image`;
