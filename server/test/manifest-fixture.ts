import type { ManifestProblemCode } from '#shared/manifest/contract';
import { parseManifest } from '../src/drivers/manifest/parse.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break documents in every way
export type Loose = any;

const label = { ja: '名前', en: 'Name' };
export const variableInput = (name: string, more: object = {}) => ({ name, source: { kind: 'user' }, label, ...more });
export const generated = (name: string) => ({ kind: 'secret.generated', deliver: { variables: { value: name } } });
export const endpoint = { kind: 'http.endpoint', deliver: { variables: { url: 'url', subdomain: 'sub' } } };
export const oidc = {
  kind: 'identity.oidc',
  callbackPath: '/auth/callback',
  scopes: ['openid', 'email'],
  deliver: { variables: { issuerUrl: 'issuer', accountsUrl: 'accounts', clientId: 'client', redirectUri: 'redirect' } },
};
export const consuming = {
  kind: 'interface.consume',
  key: 'search',
  interface: { type: 'mcp.server', version: '2025-11-25' },
  permissions: ['mcp.invoke'],
  delivery: { type: 'oauth2' },
};
export const providing = {
  key: 'ui',
  name: 'Surface',
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: { title: 'Notes', sizes: [1, 2, null, true] },
    inputs: {
      uri: { source: 'output', outputName: 'app_url', outputType: 'url' },
      color: { source: 'literal', value: '#fff' },
    },
    access: { visibility: 'workspace', resourceUriInput: 'uri' },
  },
  bindingRequests: [
    { key: 'me', subject: { source: 'installing_principal' }, permissions: ['ui.open'], delivery: { type: 'none' } },
  ],
};
export const building = {
  commands: [{ argv: ['npm', 'run', 'build'], workingDirectory: 'web' }],
  outputs: ['web/dist/app.js'],
};

/** A manifest that uses every feature of its version; a copy that a test may break. */
export function wholeManifest(version = 'v2.3'): Loose {
  const has = (since: string) => version >= since;
  return structuredClone({
    apiVersion: `svc/${version}`,
    kind: 'Repository',
    install: {
      modules: {
        '.': {
          inputs: [
            variableInput('title', { role: 'service_name', placeholder: 'My notes', helper: label, required: true }),
            variableInput('password', { role: 'initial_secret', secret: true, type: 'string', format: 'password' }),
            { name: 'slug', source: { kind: 'capsule_name' }, label },
            { name: 'region', source: { kind: 'module_default' }, label, advanced: true },
          ],
          requires: [generated('session_key'), endpoint, oidc, ...(has('v2.2') ? [consuming] : [])],
          features: [{ id: 'login', optional: true, label, inputs: ['password'] }],
          ...(has('v2') && { interfaces: [providing] }),
          ...(has('v2.3') && { sourceBuild: building }),
        },
        'modules/small': { inputs: [] },
      },
      ...(['v2.1', 'v2.2', 'v2.3'].includes(version) && { defaultModule: 'modules/small' }),
    },
  });
}

export type Change = (module: Loose, document: Loose) => void;
/** Changes after which a manifest is valid, in a version, or invalid, with code and location of the problem. */
export type Valid = [name: string, change: Change, version?: string];
export type Invalid = [name: string, change: Change, code: ManifestProblemCode, pointer: string, version?: string];

/** The problems of the widest manifest after a change to its first module, as pairs of code and pointer. */
export function problemsAfter(change: Change, version = 'v2.3'): [ManifestProblemCode, string][] {
  const document = wholeManifest(version);
  change(document.install.modules['.'], document);
  const { problems = [] } = parseManifest(JSON.stringify(document));
  return problems.map(({ code, pointer }) => [code, pointer]);
}
export const root = '/install/modules/.';
export const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
/** Sets one part of the module. */
export const put =
  (key: string, value: unknown): Change =>
  (module) =>
    void Object.assign(module, { [key]: value });
export const requires = (...entries: unknown[]): Change => put('requires', entries);
export const interfaces = (...entries: unknown[]): Change => put('interfaces', entries);
