/** The button of forms and panels: a click that submits nothing unless it says so. */
import type { ComponentProps } from "react";

type ButtonProps = Omit<ComponentProps<"button">, "className"> & {
  /** The one thing to do here. */
  strong?: boolean;
};

export const Button = ({ strong = false, type = "button", ...attributes }: ButtonProps) => (
  <button type={type} className={strong ? "button strong" : "button"} {...attributes} />
);
