/** The first import of every entry: the SQLite binding ends an older Node with a crash, so it is told in a sentence instead. */
if (Number(process.versions.napi ?? 0) < 10) {
  process.stderr.write(
    `Ground Control needs Node 22.18 or newer, and this is ${process.version}. Start it with npm, which brings its own.\n`,
  );
  process.exit(1);
}
