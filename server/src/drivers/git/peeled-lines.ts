import { notGit } from './ref-list.ts';

const mark = '^{}';

/**
 * Checks the lines of a version 0 advertisement one by one: what a tag points at must stand right behind the tag, as
 * gitprotocol-pack demands. isomorphic-git searches its whole list for the tag of any other such line, so that a list that
 * fits the limits could hold up this thread for hours. Throws `source_not_git`.
 */
export function createPeelCheck(): (line: string) => void {
  const seen = new Set<string>();
  let tag: string | undefined;
  return (line) => {
    const name = line.slice(line.indexOf(' ') + 1).split('\0', 1)[0] ?? '';
    if (!name.endsWith(mark)) {
      tag = seen.has(name) || name.includes('^') ? undefined : name;
      seen.add(name);
      return;
    }
    // An empty repository has no ref to put its capabilities behind, and makes up this one.
    if (name !== `capabilities${mark}` && (tag === undefined || name !== tag + mark)) throw notGit();
  };
}
