import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';

const pagesIn = (folder: string): string[] =>
  readdirSync(path.join(repositoryRoot, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name));
const pages = ['.', 'docs', 'docs/adr'].flatMap(pagesIn);
const read = (page: string): string => readFileSync(path.join(repositoryRoot, page), 'utf8');

/** Returns the anchor that code hosts give a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading ?? ''));

/** Returns the relative links of a page as paths from the root, with their anchors. Code blocks are skipped. */
const linksOf = (page: string): { file: string; anchor: string }[] =>
  [
    ...read(page)
      .replaceAll(/```[\s\S]*?```/g, '')
      .matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
  ].map(([, file, anchor]) => ({ file: file ? path.join(path.dirname(page), file) : page, anchor: anchor ?? '' }));
const isDead = ({ file, anchor }: { file: string; anchor: string }): boolean =>
  !existsSync(path.join(repositoryRoot, file)) || (anchor !== '' && !anchorsOf(file).includes(anchor));

it.each(pages)('%s has no dead relative link', (page) => {
  expect(linksOf(page).filter(isDead)).toEqual([]);
});

it.each(['docs', 'docs/adr'])('%s/README.md links every page of its folder', (folder) => {
  const index = path.join(folder, 'README.md');
  const linked = linksOf(index).map(({ file }) => file);
  expect(pagesIn(folder).filter((page) => page !== index && !linked.includes(page))).toEqual([]);
});

it('keeps README.md within 8 KB and ARCHITECTURE.md within 7 KB', () => {
  expect(statSync(path.join(repositoryRoot, 'README.md')).size).toBeLessThanOrEqual(8_192);
  expect(statSync(path.join(repositoryRoot, 'ARCHITECTURE.md')).size).toBeLessThanOrEqual(7_168);
});
