/** First import of every entry. The SQLite binding crashes on an older Node, so this prints a readable error instead. */
if (Number(process.versions.napi ?? 0) < 10) {
  process.stderr.write(
    `Ground Control needs Node 22.18 or newer, and this is ${process.version}. Start it with npm, which brings its own.\n`,
  );
  process.exit(1);
}
