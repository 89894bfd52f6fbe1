import type { PackageInterface } from '#shared/form-packages/package';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';

/** A launcher that reads its address from the Output `url`. */
export const launcherBlueprint = (more: Partial<InterfaceBlueprint> = {}): InterfaceBlueprint => ({
  key: 'ui',
  name: 'notes',
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: { title: 'Notes' },
    inputs: { endpoint: { source: 'capsule_output', outputName: 'url' } },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
  bindings: [
    {
      key: 'installer',
      permissions: ['ui.open'],
      delivery: { type: 'none' },
      subject: { source: 'installing_principal' },
    },
  ],
  ...more,
});

/** A launcher of a form package that reads its address from the member `url` of its Resource. */
export const packageLauncher = (more: Partial<PackageInterface> = {}): PackageInterface => ({
  ...launcherBlueprint(),
  name: 'app',
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: { title: 'Notes' },
    inputs: { endpoint: { source: 'resource_output', outputName: 'url' } },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
  ...more,
});
