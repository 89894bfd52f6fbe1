import { AsyncLocalStorage } from 'node:async_hooks';
import type { IssuerPerson } from './ports.ts';

export type IssuerRequest = {
  method: 'GET' | 'POST';
  /** Path and query. */
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  person?: IssuerPerson | undefined;
};

/** The request that a callback of the library belongs to. */
export const currentRequest = new AsyncLocalStorage<IssuerRequest>();
