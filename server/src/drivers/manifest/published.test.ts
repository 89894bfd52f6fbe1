import { describe, expect, test } from 'vitest';
import { publishedManifestVersions } from '#shared/manifest/versions';
import { publishedSchema } from './published.ts';

// biome-ignore lint/suspicious/noExplicitAny: paths into a printed schema
const moduleOf = (version: (typeof publishedManifestVersions)[number]): any =>
  // biome-ignore lint/suspicious/noExplicitAny: paths into a printed schema
  (publishedSchema(version) as any).properties.install.properties.modules.additionalProperties;

describe('a published schema', () => {
  test.each(publishedManifestVersions)('of %s names its version and closes every object', (version) => {
    const schema = publishedSchema(version);
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { apiVersion: { const: `svc/${version}` }, kind: { const: 'Repository' } },
      required: ['apiVersion', 'kind', 'install'],
    });
    const open: unknown[] = [];
    JSON.stringify(schema, (_key, value) => {
      const isMap = value?.propertyNames !== undefined;
      if (value?.type === 'object' && !isMap && value.additionalProperties !== false) open.push(value);
      return value;
    });
    expect(open).toEqual([]);
  });

  test('grows with each version, and keeps every limit', () => {
    const fields = publishedManifestVersions.map((version) => Object.keys(moduleOf(version).properties));
    const v21 = ['inputs', 'requires', 'features', 'interfaces'];
    expect(fields).toEqual([v21, v21, [...v21, 'sourceBuild'], [...v21, 'sourceBuild']]);
    const kinds = publishedManifestVersions.map((version) => moduleOf(version).properties.requires.items.oneOf.length);
    expect(kinds).toEqual([3, 4, 4, 4]);
    expect(moduleOf('v2.3').properties).toMatchObject({
      inputs: { maxItems: 128, items: { properties: { label: { required: ['ja', 'en'] } } } },
      requires: { maxItems: 16 },
      features: { maxItems: 32 },
      sourceBuild: { properties: { commands: { minItems: 1, maxItems: 8 }, outputs: { minItems: 1, maxItems: 16 } } },
    });
  });

  test('has portable JSON Schema patterns', () => {
    const patterns: string[] = [];
    JSON.stringify(publishedSchema('v2.4'), (key, value) => {
      if (key === 'pattern') patterns.push(value);
      return value;
    });
    expect(new Set(patterns).size).toBeGreaterThan(5);
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'u')).not.toThrow();
  });
});
