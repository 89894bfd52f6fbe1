import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '#server/kernel/entry';

const performancePage = path.join(repositoryRoot, 'docs/performance.md');

/** Replaces a generated section of `docs/performance.md`. */
export function writeSection(name: string, content: string): void {
  writeFileSync(performancePage, replaceSection(readFileSync(performancePage, 'utf8'), name, content));
}

/** Returns the content of a generated section of `docs/performance.md`. */
export const readSection = (name: string): string => readSectionOf(readFileSync(performancePage, 'utf8'), name);

/** Returns the text between `<!-- name -->` and `<!-- /name -->`. */
export const readSectionOf = (text: string, name: string): string => findSection(text, name).content;

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. Throws when the text lacks one of them. */
export function replaceSection(text: string, name: string, content: string): string {
  const { before, after } = findSection(text, name);
  return `${before}\n\n${content.trim()}\n\n${after}`;
}

type Section = { before: string; content: string; after: string };

function findSection(text: string, name: string): Section {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end, from);
  if (from < start.length || to < 0) throw new Error(`The page has no section ${name}.`);
  return { before: text.slice(0, from), content: text.slice(from, to), after: text.slice(to) };
}
