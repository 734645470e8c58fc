/** A sentence of the document: text between backticks is code. */
import { Fragment } from "react";

export const Prose = ({ text }: { text: string }) =>
  text.split("`").map((part, place) => <Fragment key={place}>{place % 2 === 1 ? <code>{part}</code> : part}</Fragment>);
