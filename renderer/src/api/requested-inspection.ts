/*
 * The user requests an inspection with "Inspect repository" on the first page; an address in a link does not count. The
 * request is held in memory, where no link can set it.
 */
let requestedAddress: string | undefined;

/** Records that the user requested an inspection of this address; the install page opens next. */
export const requestInspection = (address: string): void => {
  requestedAddress = address;
};

/**
 * Reports whether a user just requested this address. It can be read any number of times, because a page may be
 * rendered and discarded before it is shown; only the page that is shown clears the request.
 */
export const isInspectionRequested = (address: string): boolean => requestedAddress === address;

/** Clears the request once the page is shown. Another visit to the same address then counts as a plain link. */
export const clearInspectionRequest = (): void => {
  requestedAddress = undefined;
};
