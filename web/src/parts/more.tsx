/** The button that reads the next page of a list. */

type Props = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };

export const More = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: Props) =>
  hasNextPage && (
    <p className="actions push-down">
      <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Show more
      </button>
    </p>
  );
