/** Characters of a value that a plan in a terminal shows. */
const shownLength = 80;
/** Number of characters of the common beginning that are shown before the first difference. */
const lead = 20;

/** Returns the beginning of a value that is too long for a line. */
export const cutValue = (text: string): string => excerpt(text, 0);

/** Cuts two values around their first difference, so that the cut values always differ. */
export function cutChange(before: string, after: string): [string, string] {
  if (before.length <= shownLength && after.length <= shownLength) return [before, after];
  const start = Math.max(0, firstDifference(before, after) - lead);
  return [excerpt(before, start), excerpt(after, start)];
}

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  return at;
}

/** Returns at most 80 characters from `start`, with an ellipsis where something is left out. */
function excerpt(text: string, start: number): string {
  const head = start === 0 ? '' : '…';
  const rest = text.slice(wholeCharacter(text, start));
  const space = shownLength - head.length;
  return head + (rest.length <= space ? rest : `${rest.slice(0, wholeCharacter(rest, space - 1))}…`);
}

/** Returns the index, or the one before it when the index is in the middle of a surrogate pair. */
const wholeCharacter = (text: string, at: number): number =>
  at > 0 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
