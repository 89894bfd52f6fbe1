import { ApiError } from '../../api/client.ts';

/** The input that the server refused, with its message. */
export function refusedVariable(error: unknown): [string, string] | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const name = /^\/(?:variables|variablePatch\/set)\/([^/]+)/.exec(String(error.details['field']))?.[1];
  return name === undefined ? undefined : [name, error.message];
}
