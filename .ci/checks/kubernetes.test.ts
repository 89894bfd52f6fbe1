import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { type Container, PersistentVolumeClaim } from 'kubernetes-models/v1';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from '#server/kernel/entry';
import { readCommandLine } from '../../server/src/cli/options.ts';
import { readyFileName } from '../../server/src/runner-machine/ready-file.ts';

const folder = path.join(repositoryRoot, 'resources/kubernetes');
const files = globSync('*.yaml', { cwd: folder });
type Manifest = { apiVersion: string; kind: string };
const read = (file: string): Manifest[] =>
  parseAllDocuments(readFileSync(path.join(folder, file), 'utf8')).map((document) => document.toJS() as Manifest);

const models = { Deployment, PersistentVolumeClaim };
const modelOf = (manifest: Manifest) => new models[manifest.kind as keyof typeof models](manifest as object);

const deployments = files.flatMap(read).filter(({ kind }) => kind === 'Deployment') as unknown as Deployment[];
const containersOf = ({ spec }: Deployment): Container[] => [
  ...(spec?.template.spec?.initContainers ?? []),
  ...(spec?.template.spec?.containers ?? []),
];

test.each(files)('%s follows the schemas of the Kubernetes API', (file) => {
  for (const manifest of read(file)) expect(() => modelOf(manifest).validate()).not.toThrow();
});

test('a planted mistake is found', () => {
  const [manifest] = deployments;
  const wrong = { ...manifest, spec: { ...manifest?.spec, replicas: 'two' } };
  expect(() => modelOf(wrong as unknown as Manifest).validate()).toThrow('replicas');
});

describe('each container', () => {
  const containers = deployments.flatMap(containersOf);

  test('starts a command that exists, with its options', () => {
    for (const { args = [] } of containers) expect(() => readCommandLine([...args])).not.toThrow();
    expect(containers.map(({ args = [] }) => args[0])).toEqual(['tofu', 'runner']);
  });

  test('has no root, no capability, a read-only root, and only volumes that exist', () => {
    for (const { securityContext, volumeMounts = [] } of containers) {
      expect(securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const names = deployments.flatMap(({ spec }) => spec?.template.spec?.volumes ?? []).map(({ name }) => name);
      for (const { name } of volumeMounts) expect(names).toContain(name);
    }
    expect(deployments.map(({ spec }) => spec?.template.spec?.securityContext?.runAsNonRoot)).toEqual([true]);
  });
});

test('a machine is ready when it has joined and takes Runs', () => {
  const runner = deployments.flatMap(({ spec }) => spec?.template.spec?.containers ?? []);
  const { 'data-dir': dataDir = '' } = readCommandLine([...(runner[0]?.args ?? [])]).options;
  expect(runner.map(({ readinessProbe }) => readinessProbe?.exec?.command)).toEqual([
    ['test', '-f', path.posix.join(dataDir, readyFileName)],
  ]);
});

test('one pod uses the volume at a time', () => {
  expect(deployments.map(({ spec }) => [spec?.replicas, spec?.strategy?.type])).toEqual([[1, 'Recreate']]);
});
