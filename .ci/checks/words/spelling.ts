import { lint } from 'cspell';
import { repositoryRoot } from '#server/kernel/entry';

/** Result of cspell: unknown words as `path:line word`, and the locations of each of its `flagWords`. */
type Spelling = { unknown: string[]; flagged: Map<string, string[]> };

/** Checks repository paths by `cspell.json`. Throws when a file cannot be read. */
export async function checkSpelling(files: readonly string[]): Promise<Spelling> {
  const spelling: Spelling = { unknown: [], flagged: new Map() };
  const { errors, files: checked } = await lint(
    [],
    {
      // As arguments they would be patterns, which are looked up in the whole tree.
      files: [...files],
      root: repositoryRoot,
      config: `${repositoryRoot}/cspell.json`,
      progress: false,
      summary: false,
      dot: true,
      cache: true,
      cacheLocation: `${repositoryRoot}/.cache/cspell`,
      cacheStrategy: 'content',
    },
    {
      issue({ text, uri, row, isFlagged }) {
        const location = `${decodeURI(uri ?? '').split(`${repositoryRoot}/`)[1]}:${row}`;
        const word = text.toLowerCase();
        if (isFlagged) spelling.flagged.set(word, [...(spelling.flagged.get(word) ?? []), location]);
        else spelling.unknown.push(`${location} ${text}`);
      },
      error(message, error) {
        throw new Error(`cspell: ${message}`, { cause: error });
      },
    },
  );
  if (errors > 0 || checked === 0) throw new Error('cspell could not check every file.');
  return spelling;
}
