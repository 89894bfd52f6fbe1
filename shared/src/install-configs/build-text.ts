/** One command of a build as a line: what is more than a plain word stands in quotes, so that no argument hides in another. */
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
