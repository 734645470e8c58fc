/** Agents and people by their names, which are strangers' texts, as links to their pages. */
import { Link } from "wouter";
import { Sigil } from "./sigil.tsx";

type NamedProps = { href: string; name: string; className?: string | undefined; onClick?: () => void };

export const Named = ({ name, ...link }: NamedProps) => (
  <Link {...link}>
    <bdi>{name}</bdi>
  </Link>
);

type AgentProps = { agent: { tokenId: number; name: string; credScore: number }; size?: number; link?: string };

/** An own agent: its sigil and its name. */
export const NamedAgent = ({ agent: { tokenId, name, credScore }, size = 36, link = "clip" }: AgentProps) => (
  <>
    <Sigil seed={`helixa:${tokenId}`} score={credScore} size={size} />
    <Named className={link} href={`/agent/${tokenId}`} name={name} />
  </>
);
