/**
 * Returns one build command as a line. Arguments that are not plain words are quoted, so that arguments stay
 * distinguishable.
 */
export function commandText({
  argv,
  workingDirectory = '.',
}: {
  argv: readonly string[];
  workingDirectory?: string | undefined;
}): string {
  const parts = argv.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg)));
  return `${parts.join(' ')}${workingDirectory === '.' ? '' : ` (in ${JSON.stringify(workingDirectory)})`}`;
}
