/**
 * Strings that earlier versions stored or sent, so that a rename of them would lose data or break a script: names of files
 * below the data folder, kinds of journal records, failpoints, metrics and keys of the browser's storage.
 */
const sources: readonly { kind: string; files: RegExp; pattern: RegExp }[] = [
  { kind: 'file', files: /^server\/src\//, pattern: /join\((?:[\w.]*[dD]ir|folder), '([^'/]+)'/g },
  {
    kind: 'journal',
    files: /^server\/src\/runner\/contract\/journal-record\.ts$/,
    pattern: /\bt: z\.literal\('(\w+)'\)/g,
  },
  { kind: 'failpoint', files: /^server\/src\/kernel\/failpoints\.ts$/, pattern: /^ {2}'([a-z]+(?:\.[a-zA-Z]+)+)',$/gm },
  { kind: 'metric', files: /^server\/src\//, pattern: /'(groundctl_[a-z_]+)'/g },
  { kind: 'storage', files: /^renderer\/src\//, pattern: /^const \w*[kK]ey = '([^']+)'/gm },
];

/** Lists the stored strings of source files as sorted lines `kind string`, each once. */
export function listStoredStrings(files: readonly { path: string; text: string }[]): string[] {
  const lines = files
    .filter(({ path }) => !/\.test\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      sources
        .filter((source) => source.files.test(path))
        .flatMap(({ kind, pattern }) => [...text.matchAll(pattern)].map(([, name]) => `${kind} ${name}`)),
    );
  return [...new Set(lines)].sort();
}
