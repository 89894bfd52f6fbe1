const key = 'connections.return';

/** Remembers the page that started an OAuth sign-in. Only an installation page is worth returning to. */
export function keepReturn(address: string): void {
  if (address.startsWith('/new?') || address.startsWith('/capsules/')) sessionStorage.setItem(key, address);
  else sessionStorage.removeItem(key);
}

/** The page to return to; undefined when the sign-in started on the Connections page. */
export const readReturn = (): string | undefined => sessionStorage.getItem(key) ?? undefined;
export const clearReturn = (): void => sessionStorage.removeItem(key);
