// Bundles the server when the bundle is missing or older than its sources; --force always does.
// Plain JavaScript without imports of ours, because it runs before anything is built and also says when Node is too old.
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

if (Number(process.versions.napi) < 10) {
  console.error(
    `Ground Control needs Node 22.18 or newer, and this is ${process.version}. Start it with npm, which brings its own.`,
  );
  process.exit(1);
}

const root = path.resolve(import.meta.dirname, '..');
const out = path.join(root, 'dist/server');
const stamp = path.join(out, '.built');
const inputs = ['server/src', 'server/migrations', 'shared/src', 'package-lock.json', 'server/build.mjs'].map((name) =>
  path.join(root, name),
);

const newest = (name) => {
  const info = statSync(name);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(name).reduce((latest, child) => Math.max(latest, newest(path.join(name, child))), info.mtimeMs);
};

const isFresh = existsSync(stamp) && inputs.every((name) => newest(name) <= statSync(stamp).mtimeMs);
if (!isFresh || process.argv.includes('--force')) {
  const { build } = await import('esbuild');
  const from = (name) => path.join(root, 'server/src', name);
  // Built beside the old one and put in its place at the end, so that a start meanwhile finds a whole bundle.
  const fresh = `${out}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  await build({
    entryPoints: {
      groundctl: from('cli/main.ts'),
      'git-worker': from('git/git-worker.ts'),
      'scan-worker': from('scan/scan-worker.ts'),
      supervisor: from('runner/supervisor/main.ts'),
    },
    outdir: fresh,
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    splitting: true,
    chunkNames: 'chunk-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    // Its Node condition names the CommonJS form, whose names a lazy import does not see.
    alias: { 'isomorphic-git': path.join(root, 'node_modules/isomorphic-git/index.js') },
    // Native, and the WASM parser that finds its file beside itself.
    external: ['better-sqlite3', '@cdktn/hcl2json'],
    // Some dependencies are CommonJS and ask for these.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  cpSync(path.join(root, 'server/migrations'), path.join(fresh, 'migrations'), { recursive: true });
  writeFileSync(path.join(fresh, '.built'), '');
  rmSync(out, { recursive: true, force: true });
  renameSync(fresh, out);
}
