import { useRef, useState } from 'react';
import { ApiError, newKey } from './client.ts';

type Key = Record<'idempotency-key', string>;
/** Function that returns the idempotency key of a request of the intent, by the name of the request. */
export type Keys = (request: string) => Key;

/**
 * One action of the user that runs once, however often it is requested: nothing starts while it is in progress, and
 * when the answer was lost the next attempt sends the same keys. Resolves with undefined when it failed; `error` holds
 * the reason.
 */
export function useIntent<A extends unknown[], T>(work: (keyOf: Keys, ...args: A) => Promise<T>) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const isGoing = useRef(false);
  const requestKeys = useRef(new Map<string, Key>());

  async function run(...args: A): Promise<T | undefined> {
    if (isGoing.current) return undefined;
    isGoing.current = true;
    setState({ isBusy: true });
    const keyOf: Keys = (request) => {
      const key = requestKeys.current.get(request) ?? newKey();
      requestKeys.current.set(request, key);
      return key;
    };
    try {
      const result = await work(keyOf, ...args);
      requestKeys.current.clear();
      setState({ isBusy: false });
      return result;
    } catch (error) {
      if (error instanceof ApiError) requestKeys.current.clear();
      setState({ isBusy: false, error });
      return undefined;
    } finally {
      isGoing.current = false;
    }
  }
  return { ...state, run, reset: () => setState({ isBusy: false }) };
}
