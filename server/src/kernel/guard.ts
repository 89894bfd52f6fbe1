/** First import of every entry. The SQLite binding crashes on an older Node, so this prints a readable error instead. */
if (Number(process.versions.napi ?? 0) < 10) {
  const remedy = import.meta.url.includes('node_modules')
    ? 'Install Node 24, and start it again.'
    : 'Start it with npm, which brings its own.';
  process.stderr.write(`Ground Control needs Node 22.18 or newer, and this is ${process.version}. ${remedy}\n`);
  process.exit(1);
}
