type Awaited = { isLoading: boolean; failureCount: number };

/** True until a query is answered or has failed once: what is below its content waits no longer for a retry. */
export const isAwaited = ({ isLoading, failureCount }: Awaited): boolean => isLoading && failureCount === 0;
