/** Does work when all earlier work has ended, and returns its result. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates turns. Work that fails ends its turn. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
