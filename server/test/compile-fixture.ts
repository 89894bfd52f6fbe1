import type { InstallParts } from '#shared/install-configs/parts';
import type { ManifestRefusal } from '#shared/manifest/contract';
import type { OutputDeclaration, VariableDeclaration } from '#shared/sources/module-scan';
import {
  type Compiled,
  type CompileInput,
  compileManifest,
  type ManifestPolicy,
} from '../src/drivers/manifest/compile.ts';
import { type Loose, providing, wholeManifest } from './manifest-fixture.ts';

const text = (name: string, more: Partial<VariableDeclaration> = {}): VariableDeclaration => ({
  name,
  type: 'string',
  hasDefault: false,
  ...more,
});
export const variables = [
  ...['title', 'password', 'slug', 'session_key', 'url', 'sub', 'issuer', 'accounts', 'client', 'redirect'].map(
    (name) => text(name),
  ),
  text('region', { hasDefault: true, default: 'eu' }),
];
const outputs: OutputDeclaration[] = [{ name: 'app_url', sensitive: false, ephemeral: false }];
export const open: ManifestPolicy = {
  allowedInterfacePermissions: ['ui.open', 'mcp.invoke', 'file.open'],
  allowedOidcScopes: ['openid', 'email', 'profile'],
};

export type Change = (module: Loose, input: Loose, document: Loose) => void;
/** Compiles the widest manifest after a change to its first module or to its other input. */
export function compiled(change: Change = () => {}, version = 'v2.3'): Compiled {
  const document = wholeManifest(version);
  const input: CompileInput = {
    document,
    snapshot: { id: 'snap_1', sourceId: 'src_1', path: '.' },
    modulePath: '.',
    report: {
      sourceId: 'src_1',
      sourceSnapshotId: 'snap_1',
      modulePath: '.',
      level: 'ready',
      rootModuleVariableDeclarations: structuredClone(variables),
      rootModuleOutputs: structuredClone(outputs),
    },
    base: { parts: {}, variableNames: [], allOutputs: true },
    policies: [structuredClone(open)],
  };
  change(document.install.modules['.'], input, document);
  return compileManifest(input);
}
export const codeOf = (change: Change): ManifestRefusal | 'compiled' => {
  const result = compiled(change);
  return result.status === 'refused' ? result.code : 'compiled';
};
export function partsOf(change: Change = () => {}): InstallParts {
  const result = compiled(change);
  if (result.status === 'refused') throw new Error(`${result.code}: ${result.message}`);
  return result.parts;
}

export const set =
  (field: string, value: unknown): Change =>
  (module) =>
    void Object.assign(module, { [field]: value });
export const inputs = (...list: unknown[]): Change => set('inputs', list);
/** Only these inputs and requirements, so that nothing else affects the result. */
export const only =
  (moduleInputs: unknown[], needed: unknown[] = []): Change =>
  (module) =>
    void Object.assign(module, { inputs: moduleInputs, requires: needed, features: [] });
export const declare =
  (name: string, more: Partial<VariableDeclaration>): Change =>
  (_module, input) => {
    const declaration = input.report.rootModuleVariableDeclarations.find(
      (one: VariableDeclaration) => one.name === name,
    );
    if (declaration) Object.assign(declaration, more);
    else input.report.rootModuleVariableDeclarations.push({ ...text(name), ...more });
  };
export const output =
  (more: Partial<OutputDeclaration>): Change =>
  (_module, input) =>
    void Object.assign(input.report.rootModuleOutputs[0], more);
export const policies =
  (...list: Partial<ManifestPolicy>[]): Change =>
  (_module, input) =>
    void Object.assign(input, { policies: list });
export const base =
  (more: object): Change =>
  (_module, input) =>
    void Object.assign(input.base, more);
export const all =
  (...changes: Change[]): Change =>
  (...at) => {
    for (const change of changes) change(...at);
  };
export const without =
  (...kinds: string[]): Change =>
  (module) =>
    void Object.assign(module, { requires: module.requires.filter(({ kind }: Loose) => !kinds.includes(kind)) });
export const request = (permissions: string[], type: string) => ({
  ...providing,
  bindingRequests: [{ ...providing.bindingRequests[0], permissions, delivery: { type } }],
});
export const source = (kind: string) => ({ source: { kind } });

/** Returns the next number of a reproducible pseudorandom sequence, below a limit. */
const createRow = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const types = ['string', 'number', 'boolean', 'json', 'unknown'] as const;

/**
 * A manifest and a module that fit each other more or less; `declared` lists the variables and Outputs of the module.
 */
export function strangeModule(seed: number): { change: Change; declared: () => VariableDeclaration[] } {
  const next = createRow(seed);
  const often = (share: number) => next() < share;
  const altered = (one: VariableDeclaration): VariableDeclaration => ({
    ...one,
    ...(often(0.06) && { type: types[Math.floor(next() * types.length)] ?? 'json' }),
    ...(often(0.3) && { hasDefault: !one.hasDefault }),
    ...(often(0.2) && { sensitive: true }),
  });
  let declared: VariableDeclaration[] = [];
  const change: Change = (module, input) => {
    input.policies = input.policies.filter(() => often(0.9));
    module.requires = module.requires.filter(() => often(0.7));
    module.inputs = module.inputs.filter(() => often(0.8));
    module.features = [];
    declared = variables.map(altered).filter(() => often(0.97));
    input.report.rootModuleVariableDeclarations = declared;
  };
  return { change, declared: () => declared };
}
