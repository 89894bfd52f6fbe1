import { ApiError } from '../../api/client.ts';

type Request = {
  /** Names that lose their value. */
  removed?: readonly string[];
  /** Dependencies of an installation, keyed by input. */
  dependencies?: readonly { outputs: Readonly<Record<string, unknown>> }[] | undefined;
};

/** The input that the server refused, with its message. `request` resolves the positions in lists. */
export function refusedVariable(error: unknown, request: Request = {}): [string, string] | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const name = nameAt(String(error.details['field']), request);
  return name === undefined ? undefined : [name, error.message];
}

function nameAt(field: string, { removed = [], dependencies = [] }: Request): string | undefined {
  const at = /^\/variablePatch\/remove\/(\d+)/.exec(field)?.[1];
  if (at !== undefined) return removed[Number(at)];
  const [, index, output] = /^\/dependencies\/(\d+)(?:\/outputs\/([^/]+))?/.exec(field) ?? [];
  if (index !== undefined) return output ?? Object.keys(dependencies[Number(index)]?.outputs ?? {})[0];
  return /^\/(?:variables|variablePatch\/set)\/([^/]+)/.exec(field)?.[1];
}
