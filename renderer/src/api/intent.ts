import { useRef, useState } from 'react';
import { ApiError, newKey } from './client.ts';

type Key = Record<'idempotency-key', string>;
/** The key of one request of the intent, by the name of the request. */
export type Keys = (request: string) => Key;

/**
 * One deed of a person, done once however often it is asked for: while it goes on nothing starts again, and when the
 * answer got lost the next try carries the same keys. Resolves with undefined when it failed; `error` says why.
 */
export function useIntent<A extends unknown[], T>(work: (keyOf: Keys, ...given: A) => Promise<T>) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const isGoing = useRef(false);
  const made = useRef(new Map<string, Key>());

  async function run(...given: A): Promise<T | undefined> {
    if (isGoing.current) return undefined;
    isGoing.current = true;
    setState({ isBusy: true });
    const keyOf: Keys = (request) => {
      const key = made.current.get(request) ?? newKey();
      made.current.set(request, key);
      return key;
    };
    try {
      const result = await work(keyOf, ...given);
      made.current.clear();
      setState({ isBusy: false });
      return result;
    } catch (error) {
      if (error instanceof ApiError) made.current.clear();
      setState({ isBusy: false, error });
      return undefined;
    } finally {
      isGoing.current = false;
    }
  }
  return { ...state, run, forget: () => setState({ isBusy: false }) };
}
