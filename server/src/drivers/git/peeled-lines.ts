import { notGit } from './ref-list.ts';

const mark = '^{}';

/**
 * Creates a check for the lines of a version 0 advertisement: a peeled line must directly follow its tag, as
 * gitprotocol-pack requires. isomorphic-git searches its whole list for the tag of any other such line, so a list
 * within the limits could block this thread for hours. Throws `source_not_git`.
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
    // An empty repository has no ref to attach its capabilities to, and sends this pseudo ref.
    if (name !== `capabilities${mark}` && (tag === undefined || name !== tag + mark)) throw notGit();
  };
}
