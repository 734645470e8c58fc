/** The button that reads the next page of a list. */
import { Button } from "./button.tsx";

type Props = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };

export const More = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: Props) =>
  hasNextPage && (
    <p className="actions push-down">
      <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </Button>
    </p>
  );
