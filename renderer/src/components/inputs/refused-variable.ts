import { ApiError } from '../../api/client.ts';

/** The input that the server refused, with its message; `removed` are the names of the request that lose their value. */
export function refusedVariable(error: unknown, removed: readonly string[] = []): [string, string] | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const field = String(error.details['field']);
  const at = /^\/variablePatch\/remove\/(\d+)/.exec(field)?.[1];
  const name = at === undefined ? /^\/(?:variables|variablePatch\/set)\/([^/]+)/.exec(field)?.[1] : removed[Number(at)];
  return name === undefined ? undefined : [name, error.message];
}
