import { pathToFileURL } from 'node:url';
import { entryFile } from '#server/kernel/entry';
import type { IssuerPorts } from './configuration.ts';
import type { IssuerRequest } from './current-request.ts';

export type IssuerAnswer = { status: number; headers: Record<string, string | string[]>; body: string };
export type Issuer = { answer(request: IssuerRequest): Promise<IssuerAnswer> };

/**
 * Loads the library of the issuer, which takes 9 MiB and a third of a start. It is a bundle of its own, because it needs
 * the names of its classes, which would cost as much again in every other module.
 */
const loadLibrary = (): Promise<typeof import('./issuer-library.ts')> =>
  import(pathToFileURL(entryFile('issuer-library')).href);

/** Creates an OpenID Connect issuer. Its first request loads the library. */
export function createIssuer(ports: IssuerPorts): Issuer {
  let issuer: Issuer | undefined;
  return {
    async answer(request) {
      const { createLoadedIssuer } = await loadLibrary();
      issuer ??= createLoadedIssuer(ports);
      return issuer.answer(request);
    },
  };
}
