/** One command of a build as a line: what is more than a plain word stands in quotes, so that no argument hides in another. */
export function commandText({
  argv,
  workingDirectory = '.',
}: {
  argv: readonly string[];
  workingDirectory?: string | undefined;
}): string {
  const words = argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return `${words.join(' ')}${workingDirectory === '.' ? '' : ` (in ${JSON.stringify(workingDirectory)})`}`;
}
