import { basename } from 'node:path';
import { declaredNames, splitName } from './declared-names.ts';
import { isAllowedName, retiredInNames, retiredPhrases } from './retired.ts';

/** One text file of the repository, by its path. */
type SourceFile = { path: string; text: string };

const isCode = (path: string): boolean => /\.tsx?$/.test(path);
/** Documentation and the English catalogues: what a user reads. */
const isMessage = (path: string): boolean =>
  path.endsWith('.md') || path.startsWith('renderer/src/i18n/en/') || path === 'shared/src/errors.ts';

/** Returns the locations of retired words in the names that a source declares and in its file name. */
export function countNames(files: readonly SourceFile[]): Map<string, string[]> {
  const locations = new Map<string, string[]>();
  for (const { path, text } of files) {
    if (!isCode(path)) continue;
    const names = [...declaredNames(text, path.endsWith('.tsx')), basename(path).split('.')[0] ?? ''];
    for (const name of names.filter((one) => !isAllowedName(one)))
      for (const word of splitName(name))
        if (retiredInNames.has(word)) locations.set(word, [...(locations.get(word) ?? []), `${path} ${name}`]);
  }
  return locations;
}

/** Returns the locations of retired phrases in documentation and English messages. */
export function countPhrases(files: readonly SourceFile[]): Map<string, string[]> {
  const locations = new Map<string, string[]>();
  for (const { path, text } of files) {
    if (!isMessage(path)) continue;
    for (const [index, line] of text.split('\n').entries())
      for (const { name, pattern } of retiredPhrases)
        for (const _ of line.matchAll(pattern))
          locations.set(name, [...(locations.get(name) ?? []), `${path}:${index + 1}`]);
  }
  return locations;
}

const docComment = /\/\*\*\s*(?:\*\s*)?([A-Za-z]+)/g;
/** Words that open a clause in the place of a noun; a doc comment begins with a verb or a noun phrase. */
const clauseOpenings = new Set(['What', 'Who', 'Whether', 'How', 'Where', 'Which', 'Why']);

/** Lists the doc comments of code that open with a relative clause, by the word they open with. */
export function countOpenings(files: readonly SourceFile[]): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { path, text } of files) {
    if (!isCode(path)) continue;
    for (const match of text.matchAll(docComment)) {
      const [, word = ''] = match;
      if (!clauseOpenings.has(word)) continue;
      const line = text.slice(0, match.index).split('\n').length;
      places.set(word, [...(places.get(word) ?? []), `${path}:${line}`]);
    }
  }
  return places;
}
