/*
 * Names in a plan that a person may mistake for others: letters of two alphabets in one word, invisible characters, and names that look
 * like each other (after UTS #39, for the letters that look like Latin ones).
 */

/** A letter and the Latin one that it looks like. */
const twins: ReadonlyMap<string, string> = new Map(
  [
    // Cyrillic, Greek and Armenian, after the data of UTS #39.
    'аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ӏl АA ВB ЕE КK МM НH ОO РP СC ТT ХX ЅS ІI ЈJ',
    'αa οo ρp νv υu ιi ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
    'օo սu հh ցg զq ոn',
  ]
    .flatMap((line) => line.split(' '))
    .map(([letter = '', latin = '']) => [letter, latin] as const),
);

const notAscii = /[^ -~]/;
const unseen = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;
const tokenPattern = /[\p{L}\p{M}\p{N}_-]+/gu;
const latin = /\p{Script=Latin}/u;
const otherAlphabet = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}]/u;

const skeletonOf = (name: string): string =>
  Array.from(name.normalize('NFKC').replace(unseen, ''), (char) => twins.get(char) ?? char).join('');

const isMixed = (name: string): boolean =>
  (name.match(tokenPattern) ?? []).some((part) => latin.test(part) && otherAlphabet.test(part));

/** Returns the names that may be mistaken for others, in their order. */
export function findSimilarNames(names: Iterable<string>): string[] {
  const all = [...new Set(names)];
  const suspects = all.filter((name) => notAscii.test(name));
  if (suspects.length === 0) return [];
  const counts = new Map<string, number>();
  for (const name of all) counts.set(skeletonOf(name), (counts.get(skeletonOf(name)) ?? 0) + 1);
  return suspects.filter(
    (name) => isMixed(name) || name.search(unseen) >= 0 || (counts.get(skeletonOf(name)) ?? 0) > 1,
  );
}

const namedInMessage = 5;
const namedLength = 120;

/** Returns a name with code points in place of characters that are not ASCII. */
const spelled = (name: string): string => {
  const text = name.replace(/[^ -~]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
  return text.length > namedLength ? `${text.slice(0, namedLength)}…` : text;
};

/** Returns the warning about such names; undefined where there are none. */
export function similarNamesMessage(names: Iterable<string>): string | undefined {
  const similar = findSimilarNames(names);
  if (similar.length === 0) return undefined;
  const more = similar.length - namedInMessage;
  const list = similar.slice(0, namedInMessage).map(spelled).join(', ');
  return `Names in this plan can be mistaken for others: ${list}${more > 0 ? ` and ${more} more` : ''}. Characters beyond ASCII are shown as their codes here. Compare the names with those you expect, then approve.`;
}
