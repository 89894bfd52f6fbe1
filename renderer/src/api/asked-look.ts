/*
 * A press of "Look inside" on the first page is asked for by a person; an address in a link is not. The difference is
 * kept in memory, where no link can set it.
 */
let asked: string | undefined;

/** A person asked to look inside this address; the page that does it comes next. */
export const askToLook = (address: string): void => {
  asked = address;
};

/** Whether a person asked for this address just now; true once. */
export function takeAsked(address: string): boolean {
  const isAsked = asked === address;
  asked = undefined;
  return isAsked;
}
