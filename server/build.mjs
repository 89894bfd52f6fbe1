// Builds the server's bundle and the dashboard where they are missing or older than their sources; --force always does,
// and --desktop builds the shell of the desktop too. Plain JavaScript without imports of ours, because it runs before
// anything is built and also reports a Node that is too old.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';

if (Number(process.versions.napi) < 10) {
  console.error(
    `Ground Control needs Node 22.18 or newer, and this is ${process.version}. Start it with npm, which brings its own.`,
  );
  process.exit(1);
}

const root = path.resolve(import.meta.dirname, '..');
/** In each bundle's folder: the packages of its modules. */
const listName = '.packages.json';
const common = ['shared/src', 'package-lock.json', 'server/build.mjs'];

const newest = (name) => {
  const info = statSync(name);
  if (!info.isDirectory()) return info.mtimeMs;
  return readdirSync(name).reduce((latest, child) => Math.max(latest, newest(path.join(name, child))), info.mtimeMs);
};

/**
 * Builds into a folder beside the old one and replaces it at the end, so that a concurrent start finds a complete
 * build.
 */
async function refresh(name, sources, build) {
  const out = path.join(root, 'dist', name);
  const stamp = path.join(out, '.built');
  const inputs = [...common, ...sources].map((source) => path.join(root, source));
  const isFresh = existsSync(stamp) && inputs.every((input) => newest(input) <= statSync(stamp).mtimeMs);
  if (isFresh && !process.argv.includes('--force')) return;
  const fresh = `${out}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  await build(fresh);
  writeFileSync(path.join(fresh, '.built'), '');
  const old = `${fresh}.old`;
  if (existsSync(out)) renameSync(out, old);
  renameSync(fresh, out);
  rmSync(old, { recursive: true, force: true });
}

/** A build takes seconds; a lock of this age was left by a killed build. */
const staleMs = 120_000;

/** Builds of one checkout wait for each other; the later ones then find nothing to do. */
async function alone(work) {
  const lock = path.join(root, 'dist/.building');
  mkdirSync(path.dirname(lock), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - since > staleMs) rmSync(lock, { recursive: true, force: true });
      await sleep(100);
    }
  }
  const release = () => rmSync(lock, { recursive: true, force: true });
  process.once('exit', release);
  await work();
  process.off('exit', release);
  release();
}

async function listPackages(outDir, modules) {
  const { packagesOf } = await import('./build-third-party.ts');
  const folders = packagesOf(modules).map((folder) => path.relative(root, path.resolve(root, folder)));
  writeFileSync(path.join(outDir, listName), JSON.stringify(folders));
}

async function buildServer(outdir) {
  const { build } = await import('esbuild');
  const { entries } = await import('./src/kernel/entry.ts');
  const { commonJs } = await import('./build-supervisor.ts');
  const { externals: external } = await import('./build-externals.ts');
  const from = (name) => path.join(root, 'server/src', name);
  const {
    supervisor,
    'issuer-library': issuer,
    ...others
  } = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, from(file)]));
  const builds = [
    { entryPoints: { groundctl: from('cli/main.ts'), index: from('index.ts'), ...others }, splitting: true },
    // In one file of CommonJS, which loads faster: a supervisor starts for every Run.
    { entryPoints: { supervisor }, ...commonJs },
    // Stores records under the names of its classes. Everywhere else each name that is kept would only take memory.
    { entryPoints: { 'issuer-library': issuer }, keepNames: true },
  ];
  const modules = [];
  for (const options of builds) {
    const { metafile } = await build({ ...bundleOptions, external, outdir, ...options });
    modules.push(...Object.keys(metafile.inputs));
  }
  await listPackages(outdir, modules);
  // Only the generator of migrations reads the snapshots.
  const filter = (source) => !source.endsWith('_snapshot.json');
  cpSync(path.join(root, 'server/migrations'), path.join(outdir, 'migrations'), { recursive: true, filter });
  // Its package brings a parser too, which npm would compile at every installation.
  const grammar = 'node_modules/@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-hcl.wasm';
  cpSync(path.join(root, grammar), path.join(outdir, path.basename(grammar)));
}

const bundleOptions = {
  metafile: true,
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  chunkNames: 'chunk-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: 'linked',
  // Not in the bundle, where one accented letter of an author doubles the memory of the text.
  legalComments: 'linked',
  alias: {
    // The Node condition names the CommonJS form, whose names a lazy import does not see.
    'isomorphic-git': path.join(root, 'node_modules/isomorphic-git/index.js'),
    // Its CommonJS form has requires that a bundle does not see.
    'jsonc-parser': path.join(root, 'node_modules/jsonc-parser/lib/esm/main.js'),
  },
  // Some dependencies are CommonJS and use these.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
};

async function buildPages(outDir) {
  const { build } = await import('vite');
  const modules = [];
  await build({
    configFile: path.join(root, 'renderer/vite.config.ts'),
    logLevel: 'warn',
    plugins: [{ name: 'list-modules', moduleParsed: ({ id }) => modules.push(id) }],
    build: { outDir, emptyOutDir: true },
  });
  await listPackages(outDir, modules);
  // Compressed once here instead of at every request.
  for (const name of readdirSync(path.join(outDir, 'assets'))) {
    const file = path.join(outDir, 'assets', name);
    const bytes = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(bytes));
    writeFileSync(`${file}.gz`, gzipSync(bytes));
  }
}

/** Generated from the endpoint tables, so it is the only part that runs our sources. */
async function buildClient(outDir) {
  const client = await import('./build-client.ts');
  await client.buildClient(outDir);
}

async function buildDesktop(outDir) {
  const { build } = await import('electron-vite');
  await build({
    root,
    configFile: path.join(root, 'electron.vite.config.ts'),
    // The server provides the pages, so there is no renderer.
    ignoreConfigWarning: true,
    logLevel: 'warn',
    build: { outDir },
  });
}

/** Notices for the third-party software in the product. */
async function buildThirdParty(outDir) {
  const { writeThirdParty } = await import('./build-third-party.ts');
  const lists = ['server', 'renderer'].map((name) => readFileSync(path.join(root, 'dist', name, listName), 'utf8'));
  // A package of the desktop contains Electron, and a Node for supervisors; the styles begin with those of Tailwind.
  writeThirdParty(
    root,
    outDir,
    lists.flatMap((list) => JSON.parse(list)),
    /^(?:electron|node-\w+-\w+|tailwindcss)$/,
  );
}

await alone(async () => {
  await refresh(
    'server',
    ['server/src', 'server/migrations', 'server/build-supervisor.ts', 'server/build-externals.ts'],
    buildServer,
  );
  await refresh('client', ['server/src/domains/discovery', 'server/build-client.ts'], buildClient);
  await refresh('renderer', ['renderer'], buildPages);
  if (process.argv.includes('--desktop'))
    await refresh('desktop', ['electron/src', 'electron.vite.config.ts'], buildDesktop);
  await refresh(
    'third-party',
    ['server/build-third-party.ts', `dist/server/${listName}`, `dist/renderer/${listName}`],
    buildThirdParty,
  );
});
