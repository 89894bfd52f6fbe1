const key = 'connections.return';

/** Remembers the page that a sign-in elsewhere was begun on; only one of the installation is worth going back to. */
export function keepReturn(address: string): void {
  if (address.startsWith('/new?') || address.startsWith('/capsules/')) sessionStorage.setItem(key, address);
  else sessionStorage.removeItem(key);
}

/** The page to go back to; undefined when the sign-in was begun among the Connections. */
export const readReturn = (): string | undefined => sessionStorage.getItem(key) ?? undefined;
export const clearReturn = (): void => sessionStorage.removeItem(key);
