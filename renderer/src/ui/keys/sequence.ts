/** Time in which the second key has to follow. */
const sequenceMs = 1_500;

/**
 * Returns a reader of sequences of two keys. It returns the meaning of the second key when it follows the first in time,
 * and undefined for every other key.
 */
export function createSequence<T>(first: string, meanings: ReadonlyMap<string, T>) {
  let until = Number.NEGATIVE_INFINITY;
  return (key: string, at: number): T | undefined => {
    const meaning = at < until ? meanings.get(key) : undefined;
    until = key === first && meaning === undefined ? at + sequenceMs : Number.NEGATIVE_INFINITY;
    return meaning;
  };
}
