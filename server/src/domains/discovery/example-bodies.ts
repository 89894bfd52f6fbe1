import { builtInRecipes } from '#shared/connections/built-in/index';
import { formPackageKind } from '#shared/form-packages/package';
import { capabilitiesOf, type DocumentFacts, discoveryOf } from './documents.ts';

const facts: DocumentFacts = {
  origin: 'http://127.0.0.1:4747',
  version: '1.0.0',
  runner: { available: true, toolName: 'tofu', toolVersion: '1.12.6', sandbox: 'bwrap', network: 'isolated' },
  git: { loopbackHttp: false, file: true },
  releaseActivator: false,
  formHost: false,
  oauthHelpers: ['github'],
  issuer: { isOn: true },
  signIn: {
    password: true,
    setupRequired: false,
    providers: [{ id: 'example', label: 'Example ID', protocol: 'oidc' }],
  },
};

const digest = `sha256:${'7'.repeat(64)}`;
const formPackage = {
  file: 'bucket-1.0.0.json',
  formRef: {
    apiVersion: 'storage.example/v1',
    kind: 'Bucket',
    definitionVersion: '1.0.0',
    schemaDigest: digest,
  },
  packageDigest: digest,
  installed: true,
  displayName: 'Bucket',
  operations: ['preview', 'apply', 'read', 'observe', 'refresh', 'delete'],
  executable: true,
  deprecated: false,
  activation: { spaces: ['*'] },
};

/** Examples by operation, where a schema alone does not show which values belong together. */
export const writtenExamples: Readonly<Record<string, { body?: unknown; reply?: unknown }>> = {
  addMember: { body: { email: 'grace@example.com', role: 'member' } },
  changeKey: { body: { source: 'passphrase', passphrase: 'correct horse battery staple' } },
  changeMember: { body: { role: 'admin' } },
  checkCompatibility: {
    body: { sourceSnapshotId: 'snap_01K8Z3QF7M2XW5N9B4C6D8ES20', modulePath: 'network' },
  },
  createInstallationBackup: { body: { encryptFor: { passphrase: 'correct horse battery staple' } } },
  createRecoveryKit: { body: { passphrase: 'correct horse battery staple' } },
  createRecoveryKitAsOperator: { body: { passphrase: 'correct horse battery staple' } },
  createConnection: {
    body: {
      workspaceId: 'ws_01K8Z3QF7M2XW5N9B4C6D8EW10',
      provider: 'hashicorp/aws',
      credentialRecipe: { id: 'aws', authMode: 'static' },
      displayName: 'Shop, production',
      values: { AWS_ACCESS_KEY_ID: 'your key id', AWS_SECRET_ACCESS_KEY: 'your secret key' },
    },
  },
  createConnectionAsOperator: {
    body: {
      provider: 'hashicorp/aws',
      credentialRecipe: { id: 'aws', authMode: 'static' },
      values: { AWS_ACCESS_KEY_ID: 'your key id', AWS_SECRET_ACCESS_KEY: 'your secret key' },
    },
  },
  createInstallConfig: {
    body: {
      name: 'Company network',
      sourceSelector: { url: 'https://example.com/team/modules.git', path: '.' },
      variableMapping: { region: 'eu-central-1' },
      outputAllowlist: { url: { from: 'url', type: 'url' } },
    },
  },
  createInstallPlan: {
    body: {
      source: { name: 'modules', url: 'https://example.com/team/modules.git', ref: 'main', path: '.' },
      capsule: { name: 'web', environment: 'default' },
      options: { modulePath: 'network' },
      variables: { region: 'eu-central-1' },
    },
  },
  createSource: {
    body: {
      workspaceId: 'ws_01K8Z3QF7M2XW5N9B4C6D8EW10',
      name: 'Team modules',
      url: 'https://example.com/team/modules.git',
      defaultRef: 'main',
      autoSync: true,
    },
  },
  createInterface: {
    body: {
      workspaceId: 'ws_7Q2K5H8M',
      name: 'Notes',
      ownerRef: { kind: 'Capsule', id: 'cap_01JZ8Q4T9X3V7N2M5K6H1R0D4B' },
      labels: { team: 'notes' },
      spec: {
        type: 'interface.ui.surface',
        version: '1',
        document: { title: 'Notes' },
        inputs: {
          endpoint: { source: 'capsule_output', capsuleId: 'cap_01JZ8Q4T9X3V7N2M5K6H1R0D4B', outputName: 'url' },
        },
        access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
      },
    },
  },
  createInterfaceBinding: {
    body: {
      subjectRef: { kind: 'Principal', id: 'sub_01JZ8Q4T9X3V7N2M5K6H1R0D4B' },
      permissions: ['ui.open'],
      delivery: { type: 'none' },
    },
  },
  readState: { body: { use: 'output', output: 'url' } },
  reportInterfaceStatus: {
    body: { conditions: [{ type: 'Reachable', status: 'true', reason: 'Probed', message: 'It answered in time.' }] },
  },
  createHostnameProof: {
    body: {
      hostname: 'notes.example.com',
      ownerRef: { kind: 'Capsule', id: 'cap_01JZ8Q4T9X3V7N2M5K6H1R0D4B' },
    },
  },
  reportInterfaceStatusAsOperator: {
    body: { conditions: [{ type: 'Reachable', status: 'false', reason: 'TimedOut' }] },
  },
  createWebhook: {
    body: {
      name: 'Operations',
      url: 'https://hooks.example.com/deployments',
      events: ['run.waiting', 'run.failed', 'capsule.drift_detected'],
      format: 'json',
    },
  },
  getCapabilities: { reply: capabilitiesOf(facts) },
  getDiscovery: { reply: discoveryOf(facts) },
  installFormPackage: {
    body: {
      file: 'bucket-1.0.0.json',
      package: {
        kind: formPackageKind,
        formRef: formPackage.formRef,
        packageDigest: digest,
        desiredSchema: { type: 'object', properties: { size: { type: 'integer' } } },
        operations: formPackage.operations,
        executable: true,
        deprecated: false,
        activation: { spaces: ['*'] },
      },
    },
    reply: { formPackage },
  },
  issueSignInLink: { body: { email: 'grace@example.com' } },
  listFormPackages: { reply: { packages: [formPackage] } },
  listRecipes: { reply: { recipes: builtInRecipes.slice(0, 1) } },
  patchInstallConfig: {
    body: { kind: 'svc.install-config-patch@v1', outputAllowlist: { url: { from: 'url', type: 'url' } } },
  },
  planConfiguration: {
    body: {
      variablePatch: { set: { replicas: 3 }, remove: ['region'] },
      providerBindings: [],
      interfaceBlueprints: [],
      expected: { authorityGuard: digest },
    },
  },
  requestRun: { body: { capsuleId: 'cap_01K8Z3QF7M2XW5N9B4C6D8EC10', type: 'plan' } },
  updateSource: { body: { name: 'Team modules', autoSync: true } },
};
