/** Services of an agent: name and address. The agent wrote the address, so it is an untrusted link. */
import { OutLink } from "../parts/out-link.tsx";

export type ServiceItem = { name: string; endpoint: string; version: string | null };

/** Registration files name the agent's wallet among their services: it is shown as its wallet. */
const isPlace = ({ name }: ServiceItem) => name.toLowerCase() !== "agentwallet";

export const Services = ({ of }: { of: readonly ServiceItem[] }) => (
  <ul className="services">
    {of.filter(isPlace).map(({ name, endpoint, version }) => (
      <li key={`${name} ${endpoint}`}>
        <span className="tag">
          <bdi>{name}</bdi>
        </span>
        <span>
          <OutLink text={endpoint} /> {version && <span className="faint">version {version}</span>}
        </span>
      </li>
    ))}
  </ul>
);
