/*
 * A press of "Look inside" on the first page is asked for by a person; an address in a link is not. The difference is
 * kept in memory, where no link can set it.
 */
let requestedAddress: string | undefined;

/** A person asked to look inside this address; the page that does it comes next. */
export const requestInspection = (address: string): void => {
  requestedAddress = address;
};

/**
 * Whether a person asked for this address just now. It can be read any number of times: a page may be rendered and thrown
 * away before it is shown, so only the one that is shown forgets what was asked.
 */
export const isInspectionRequested = (address: string): boolean => requestedAddress === address;

/** The page that was asked for is shown: whoever comes to the address again comes by its link alone. */
export const clearInspectionRequest = (): void => {
  requestedAddress = undefined;
};
