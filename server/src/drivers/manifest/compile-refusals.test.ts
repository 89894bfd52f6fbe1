import { describe, expect, test } from 'vitest';
import { type ManifestRefusal, manifestRefusals } from '#shared/manifest/contract';
import {
  all,
  base,
  type Change,
  codeOf,
  compiled,
  declare,
  only,
  open,
  output,
  partsOf,
  policies,
  request,
  set,
  source,
  without,
} from '../../../test/compile-fixture.ts';
import { building, consuming, endpoint, generated, oidc, variableInput } from '../../../test/manifest-fixture.ts';

const binding = { kind: 'secret.generated', deliver: { bindings: { value: 'SESSION_KEY' } } };
const blueprint = (partsOf().interfaceBlueprints ?? [])[0];

type Row = [code: ManifestRefusal, name: string, refused: Change, accepted: Change];
const rows: Row[] = [
  [
    'manifest_api_version_required',
    'the version that a policy names',
    policies({ ...open, requiredManifestApiVersion: 'svc/v2' }),
    policies({ ...open, requiredManifestApiVersion: 'svc/v2.3' }),
  ],
  [
    'manifest_api_version_required',
    'the version that each of two policies names',
    policies({ ...open, requiredManifestApiVersion: 'svc/v2.3' }, { ...open, requiredManifestApiVersion: 'svc/v2.2' }),
    policies({ ...open, requiredManifestApiVersion: 'svc/v2.3' }, open),
  ],
  [
    'module_missing',
    'a key for the module, seen from the repository',
    (_module, input) => void Object.assign(input.snapshot, { path: 'apps' }),
    (module, input, document) => {
      document.install.modules = { 'apps/wiki': module };
      Object.assign(input, { modulePath: 'wiki', snapshot: { ...input.snapshot, path: 'apps' } });
      Object.assign(input.report, { modulePath: 'wiki' });
    },
  ],
  [
    'module_missing',
    'a key of its own, not one that every object has',
    (_module, input) => {
      Object.assign(input, { modulePath: 'constructor' });
      Object.assign(input.report, { modulePath: 'constructor' });
    },
    () => {},
  ],
  [
    'module_path_invalid',
    'a plain path',
    (_module, input) => void Object.assign(input, { modulePath: '../x' }),
    () => {},
  ],
  [
    'compatibility_report_mismatch',
    'a report of this snapshot',
    (_module, input) => void Object.assign(input.report, { sourceSnapshotId: 'snap_2' }),
    () => {},
  ],
  [
    'compatibility_report_mismatch',
    'a report of this Source',
    (_module, input) => void Object.assign(input.report, { sourceId: 'src_2' }),
    () => {},
  ],
  [
    'compatibility_report_mismatch',
    'a report of this module',
    (_module, input) => void Object.assign(input.report, { modulePath: 'other' }),
    () => {},
  ],
  [
    'compatibility_report_mismatch',
    'a report that says which Outputs there are',
    (_module, input) => void delete input.report.rootModuleOutputs,
    () => {},
  ],
  [
    'compatibility_report_mismatch',
    'a report of a module that can be read',
    (_module, input) => void Object.assign(input.report, { level: 'unsupported' }),
    (_module, input) => void Object.assign(input.report, { level: 'needs_patch' }),
  ],
  ['variable_missing', 'a variable of the module', only([variableInput('titel')]), only([variableInput('title')])],
  [
    'variable_type_mismatch',
    'the type of the variable',
    only([variableInput('title', { type: 'number' })]),
    only([variableInput('title', { type: 'string' })]),
  ],
  [
    'variable_type_mismatch',
    'a type that the report proves',
    all(declare('title', { type: 'unknown' }), only([variableInput('title', { type: 'string' })])),
    all(declare('title', { type: 'unknown' }), only([variableInput('title')])),
  ],
  [
    'variable_type_mismatch',
    'a text for the name of the Capsule',
    all(declare('slug', { type: 'number' }), only([variableInput('slug', source('capsule_name'))])),
    only([variableInput('slug', source('capsule_name'))]),
  ],
  [
    'variable_type_mismatch',
    'a text for a role',
    all(declare('title', { type: 'json' }), only([variableInput('title', { role: 'service_name' })])),
    only([variableInput('title', { role: 'service_name' })]),
  ],
  [
    'variable_default_mismatch',
    'a default that can be kept',
    only([variableInput('title', source('module_default'))]),
    only([variableInput('region', source('module_default'))]),
  ],
  [
    'variable_default_mismatch',
    'a default where it may be left out',
    only([variableInput('title', { required: false })]),
    only([variableInput('region', { required: false })]),
  ],
  [
    'variable_default_mismatch',
    'a default, or a generated value, where it may be left out',
    only([variableInput('session_key', { required: false })]),
    only([variableInput('session_key', { required: false })], [generated('session_key')]),
  ],
  ['interface_output_missing', 'an Output of the module', output({ name: 'other' }), () => {}],
  ['interface_output_sensitive', 'an Output that holds no secret', output({ sensitive: true }), () => {}],
  ['interface_output_sensitive', 'an Output that is known to hold none', output({ sensitive: null }), () => {}],
  ['interface_output_ephemeral', 'an Output that is kept', output({ ephemeral: true }), () => {}],
  ['interface_output_ephemeral', 'an Output that is known to be kept', output({ ephemeral: null }), () => {}],
  [
    'interface_permission_disallowed',
    'a permission of the generic policy',
    all(only([]), policies(), set('interfaces', [request(['file.open'], 'none')])),
    all(only([]), policies(), set('interfaces', [request(['ui.open'], 'none')])),
  ],
  [
    'interface_permission_disallowed',
    'a permission that every policy allows',
    all(
      only([]),
      policies({ ...open, allowedInterfaceDeliveryTypes: ['none'] }, { allowedInterfacePermissions: ['ui.open'] }),
      set('interfaces', [request(['file.open'], 'none')]),
    ),
    all(
      only([]),
      policies({ ...open, allowedInterfaceDeliveryTypes: ['none'] }),
      set('interfaces', [request(['file.open'], 'none')]),
    ),
  ],
  [
    'interface_delivery_disallowed',
    'the delivery that goes with the permission',
    all(only([]), policies(), set('interfaces', [request(['ui.open'], 'oauth2')])),
    all(only([]), policies(), set('interfaces', [request(['mcp.invoke'], 'oauth2')])),
  ],
  [
    'interface_delivery_disallowed',
    'a profile that holds both',
    all(
      only([]),
      policies({ ...open, allowedInterfaceBindingProfiles: [{ permissions: ['file.open'], deliveryType: 'none' }] }),
      set('interfaces', [request(['file.open'], 'oauth2')]),
    ),
    all(
      only([]),
      policies({ ...open, allowedInterfaceBindingProfiles: [{ permissions: ['file.open'], deliveryType: 'oauth2' }] }),
      set('interfaces', [request(['file.open'], 'oauth2')]),
    ),
  ],
  [
    'output_allowlist_conflict',
    'no wider list than that of the operator',
    base({ allOutputs: false }),
    base({ allOutputs: false, parts: { outputAllowlist: { app_url: { from: 'app_url', type: 'url' } } } }),
  ],
  [
    'output_allowlist_conflict',
    'the type that the operator gives it',
    base({ parts: { outputAllowlist: { app_url: { from: 'app_url', type: 'string' } } } }),
    base({ parts: { outputAllowlist: { other: { from: 'other', type: 'string' } } } }),
  ],
  [
    'interface_blueprint_conflict',
    'a key that the operator does not use otherwise',
    base({ parts: { interfaceBlueprints: [{ ...blueprint, name: 'Other' }] } }),
    base({ parts: { interfaceBlueprints: [blueprint] } }),
  ],
  [
    'interface_blueprint_conflict',
    'a name that the operator does not use otherwise',
    base({ parts: { interfaceBlueprints: [{ ...blueprint, key: 'other' }] } }),
    base({ parts: { interfaceBlueprints: [{ ...blueprint, key: 'other', name: 'Other' }] } }),
  ],
  [
    'requirement_disallowed',
    'an Interface to use that the policy allows',
    only([], [{ ...consuming, permissions: ['everything'] }]),
    only([], [consuming]),
  ],
  [
    'requirement_target_invalid',
    'a variable that exists',
    only([], [generated('nothing')]),
    only([], [generated('session_key')]),
  ],
  [
    'requirement_target_invalid',
    'a variable of type string',
    all(declare('session_key', { type: 'unknown' }), only([], [generated('session_key')])),
    only([], [generated('session_key')]),
  ],
  [
    'requirement_target_invalid',
    'a variable that no other source gives a value',
    only([variableInput('slug', source('capsule_name'))], [generated('slug')]),
    only([variableInput('slug')], [generated('slug')]),
  ],
  [
    'requirement_target_invalid',
    'variables of a sign-in that have no other source',
    only([variableInput('client')], [endpoint, oidc]),
    only([variableInput('title')], [endpoint, oidc]),
  ],
  ...['PATH', 'HOME', 'SVC_HOME', 'TF_LOG'].map(
    (name): Row => [
      'requirement_target_reserved',
      `a name that means nothing to the host (${name})`,
      all(declare(name, {}), only([], [generated(name)])),
      all(declare(name.toLowerCase(), {}), only([], [generated(name.toLowerCase())])),
    ],
  ),
  [
    'requirement_target_reserved',
    'a variable that the operator gives no value',
    all(base({ variableNames: ['session_key'] }), only([], [generated('session_key')])),
    all(base({ variableNames: ['title'] }), only([], [generated('session_key')])),
  ],
  ['runtime_binding_unavailable', 'delivery to variables', only([], [binding]), only([], [generated('session_key')])],
  [
    'oidc_scope_disallowed',
    'scopes that the list names',
    policies({ ...open, allowedOidcScopes: ['openid'] }),
    policies({ ...open, allowedOidcScopes: ['openid', 'email'] }),
  ],
  [
    'oidc_scope_disallowed',
    'a list at all',
    policies({ allowedInterfacePermissions: open.allowedInterfacePermissions }),
    policies({ allowedInterfacePermissions: open.allowedInterfacePermissions }, open),
  ],
  ['oidc_scope_disallowed', 'a policy at all', policies(), all(policies(), without('identity.oidc'))],
  [
    'source_build_conflict',
    'each output once',
    set('sourceBuild', { ...building, outputs: ['dist/a', 'dist/a'] }),
    set('sourceBuild', { ...building, outputs: ['dist/a', 'dist/b'] }),
  ],
  [
    'source_build_conflict',
    'no output below another',
    set('sourceBuild', { ...building, outputs: ['dist/a', 'dist'] }),
    set('sourceBuild', { ...building, outputs: ['dist/a', 'dis'] }),
  ],
];

describe('compiling a manifest', () => {
  test.each(rows)('%s: it needs %s', (code, _name, refused, accepted) => {
    expect(codeOf(refused)).toBe(code);
    expect(codeOf(accepted)).toBe('compiled');
  });

  test('has an example of every reason to refuse', () => {
    expect(new Set(rows.map(([code]) => code))).toEqual(new Set(manifestRefusals));
  });

  test('never repeats a possible secret', () => {
    const name = 'sk_live_abcdefgh12345';
    const result = compiled(only([variableInput(name)]));
    expect(result).toMatchObject({ status: 'refused', code: 'variable_missing' });
    expect(JSON.stringify(result)).not.toContain(name);
    expect(compiled(only([variableInput('titel')]))).toMatchObject({ message: expect.stringContaining('"titel"') });
  });

  test('is deterministic and does not change its input', () => {
    expect(partsOf()).toEqual(partsOf());
    const frozen: Change = (module, input) => {
      Object.freeze(module);
      Object.freeze(input.report.rootModuleVariableDeclarations);
    };
    expect(partsOf(frozen)).toEqual(partsOf());
  });
});
