import type { InstallParts } from '#shared/configs/parts';
import type { ManifestRefusal } from '#shared/manifest/contract';
import type { OutputDeclaration, VariableDeclaration } from '#shared/sources/module-scan';
import {
  type CompileAsk,
  type Compiled,
  compileManifest,
  type ManifestPolicy,
} from '../src/drivers/manifest/compile.ts';
import { type Loose, providing, wholeManifest } from './manifest-fixture.ts';

export const text = (name: string, more: Partial<VariableDeclaration> = {}): VariableDeclaration => ({
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

export type Change = (module: Loose, ask: Loose, document: Loose) => void;
/** Compiles the widest manifest after a change to its first module or to what stands beside it. */
export function compiled(change: Change = () => {}, version = 'v2.3'): Compiled {
  const document = wholeManifest(version);
  const ask: CompileAsk = {
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
  change(document.install.modules['.'], ask, document);
  return compileManifest(ask);
}
export const codeOf = (change: Change): ManifestRefusal | 'compiled' => {
  const found = compiled(change);
  return found.status === 'refused' ? found.code : 'compiled';
};
export function partsOf(change: Change = () => {}): InstallParts {
  const found = compiled(change);
  if (found.status === 'refused') throw new Error(`${found.code}: ${found.message}`);
  return found.parts;
}

export const set =
  (field: string, value: unknown): Change =>
  (module) =>
    void Object.assign(module, { [field]: value });
export const inputs = (...list: unknown[]): Change => set('inputs', list);
/** Only these inputs and requirements, so that nothing else decides. */
export const only =
  (given: unknown[], needed: unknown[] = []): Change =>
  (module) =>
    void Object.assign(module, { inputs: given, requires: needed, features: [] });
export const declare =
  (name: string, more: Partial<VariableDeclaration>): Change =>
  (_module, ask) => {
    const found = ask.report.rootModuleVariableDeclarations.find((one: VariableDeclaration) => one.name === name);
    if (found) Object.assign(found, more);
    else ask.report.rootModuleVariableDeclarations.push({ ...text(name), ...more });
  };
export const output =
  (more: Partial<OutputDeclaration>): Change =>
  (_module, ask) =>
    void Object.assign(ask.report.rootModuleOutputs[0], more);
export const policies =
  (...list: Partial<ManifestPolicy>[]): Change =>
  (_module, ask) =>
    void Object.assign(ask, { policies: list });
export const base =
  (more: object): Change =>
  (_module, ask) =>
    void Object.assign(ask.base, more);
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

/** The next of a row of numbers below one that looks random and is always the same. */
const createRow = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const types = ['string', 'number', 'boolean', 'json', 'unknown'] as const;

/** A manifest and a module that fit each other more or less; `declared` is what the module then has. */
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
  const change: Change = (module, ask) => {
    ask.policies = ask.policies.filter(() => often(0.9));
    module.requires = module.requires.filter(() => often(0.7));
    module.inputs = module.inputs.filter(() => often(0.8));
    module.features = [];
    declared = variables.map(altered).filter(() => often(0.97));
    ask.report.rootModuleVariableDeclarations = declared;
  };
  return { change, declared: () => declared };
}
