import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The parts of a CycloneDX 1.5 document (https://cyclonedx.org/docs/1.5/json) that are read here. */
type Component = {
  'bom-ref': string;
  name: string;
  version: string;
  properties?: { name: string; value: string }[];
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
};
export type Bom = {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const inPackage = /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/;

/** The folders of the packages that the modules of a bundle come from, sorted. */
export function packagesOf(modules: Iterable<string>): string[] {
  const folders = [...modules].flatMap((module) => inPackage.exec(module)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** The part of a bill of materials that names shipped packages only, by `name@version`, and their dependencies on each other. */
export function onlyShipped(bom: Bom, isShipped: (component: Component) => boolean): Bom {
  const components = bom.components.filter(isShipped);
  const refs = new Set(components.map((component) => component['bom-ref']));
  const own = bom.metadata.component['bom-ref'];
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref) || ref === own)
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => refs.has(name)) }));
  return { ...bom, components, dependencies };
}

/** The licenses, copyright notices and notices that a package brings, in one text. Empty where it brings none. */
export function noticesIn(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && /^(?:license|licence|copying|notice|copyright)/i.test(entry.name),
  );
  const texts = names.map(({ name }) => readFileSync(path.join(folder, name), 'utf8').trim());
  return [...new Set(texts)].join('\n\n');
}

/** True for a package that only building or testing the product needs, as npm marks it. */
const isForDevelopment = ({ properties = [] }: Component): boolean =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

const licensesOf = ({ licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name).join(', ') || 'not declared';

function section(component: Component, folder: string | undefined): string {
  const title = `${component.name} ${component.version} (${licensesOf(component)})`;
  const text = folder === undefined ? '' : noticesIn(folder);
  return `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text || 'The package brings no license text of its own.'}\n`;
}

/** Every installed copy of a package, by `name@version`. */
function installed(root: string): Map<string, string> {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const copies = Object.keys(lock.packages)
    .map((name) => path.join(root, name))
    .filter((folder) => folder !== root && existsSync(path.join(folder, 'package.json')));
  return new Map(
    copies.map((folder) => {
      const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Component;
      return [`${name}@${version}`, folder];
    }),
  );
}

/**
 * Writes what a package or image says of the software that it contains: a bill of materials (CycloneDX 1.5, by
 * `npm sbom`) and the notices of each package. Shipped are the packages inside the bundles, the dependencies of the
 * product that are installed here, and those named in `besides`.
 */
export function writeThirdParty(root: string, outDir: string, bundled: string[], besides: RegExp): void {
  // Vite sets NODE_ENV, which would leave out the packages that the bundles were made of.
  const argv = ['sbom', '--package-lock-only', '--include=dev', '--sbom-format=cyclonedx'];
  const text = execFileSync('npm', argv, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const folders = installed(root);
  const inBundles = new Set(bundled.map((folder) => path.resolve(root, folder)));
  const bom = onlyShipped(JSON.parse(text) as Bom, (component) => {
    const folder = folders.get(component['bom-ref']);
    if (folder === undefined) return false;
    return inBundles.has(folder) || !isForDevelopment(component) || besides.test(component.name);
  });
  bom.metadata.component.name = 'groundctl';
  mkdirSync(outDir, { recursive: true });
  writeFileSync(path.join(outDir, 'sbom.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
  const notices = bom.components.map((component) => section(component, folders.get(component['bom-ref'])));
  writeFileSync(path.join(outDir, 'notices.txt'), notices.join('\n'));
}
