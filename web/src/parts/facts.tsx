/** Facts about one thing: entries of a description list, each a label and what stands behind it. */
import type { ReactNode } from "react";

type FactProps = {
  label: ReactNode;
  children: ReactNode;
  /** Of the value, as `title`. */
  className?: string;
  title?: string | undefined;
};

export const Fact = ({ label, children, ...value }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd {...value}>{children}</dd>
  </div>
);
