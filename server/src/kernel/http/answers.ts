export type Headers = Record<string, string | string[]>;

/** Answers of handlers, one function per status. */
export const ok = <B>(body: B, headers: Headers = {}) => ({ status: 200 as const, body, headers });
export const created = <B>(body: B, headers: Headers = {}) => ({ status: 201 as const, body, headers });
export const accepted = <B>(body: B, headers: Headers = {}) => ({ status: 202 as const, body, headers });
export const noContent = (headers: Headers = {}) => ({ status: 204 as const, body: undefined, headers });
/** Redirects to another address of the same record. */
export const redirectTo = (location: string, headers: Headers = {}) => ({
  status: 302 as const,
  body: undefined,
  headers: { ...headers, location },
});
/** Redirects the browser to a GET of another address. */
export const seeOther = (location: string, headers: Headers = {}) => ({
  status: 303 as const,
  body: undefined,
  headers: { ...headers, location },
});
export const unavailable = <B>(body: B) => ({ status: 503 as const, body });
