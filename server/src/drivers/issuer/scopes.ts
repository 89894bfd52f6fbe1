/**
 * The library gives `offline_access` to a request with `prompt=consent` only; here consent is
 * always on record, so inside the library the scope has another name.
 */
const offline = { sent: 'offline_access', inside: 'offline' };

const renamed =
  (from: string, to: string) =>
  (scope: string): string =>
    scope
      .split(' ')
      .map((one) => (one === from ? to : one))
      .join(' ');

export const offlineScope = offline.inside;
/** Scopes of a request, as the library knows them. */
export const insideScopes = renamed(offline.sent, offline.inside);
/** Scopes of the library, as clients know them. */
export const sentScopes = renamed(offline.inside, offline.sent);
