import { expect, test } from 'vitest';
import { resolveLocally } from './local-references.ts';

const document = {
  paths: {
    '/a': {
      get: {
        replies: [{ $ref: '#/components/schemas/Run' }],
        parameters: [{ $ref: '#/components/schemas/a~1b~0c%20d' }],
      },
    },
    '/b': { get: { replies: [{ $ref: '#/components/schemas/Missing' }, { $ref: 'https://elsewhere.example/#/a' }] } },
  },
  components: {
    schemas: {
      Run: { type: 'object', properties: { id: { $ref: '#/components/schemas/Id', description: 'of a Run' } } },
      Id: { type: 'string', description: 'any' },
      'a/b~c d': { type: 'null' },
      Folder: {
        properties: { inner: { $ref: '#/components/schemas/Folder' }, other: { $ref: '#/components/schemas/Id' } },
      },
    },
  },
};
const resolved = async (...path: string[]) => (await resolveLocally(document, path)).spec;

test('a reference is replaced by what it names, also inside of that, and keeps what stands beside it', async () => {
  expect(await resolved('paths', '/a', 'get')).toEqual({
    replies: [{ type: 'object', properties: { id: { type: 'string', description: 'of a Run' } } }],
    parameters: [{ type: 'null' }],
  });
});

test('one that names nothing in the document stays', async () => {
  expect(await resolved('paths', '/b')).toEqual(document.paths['/b']);
  expect(await resolved('paths', '/c', 'get')).toBeUndefined();
});

test('one inside of what it names stays, and ends there', async () => {
  const { Folder, Id } = document.components.schemas;
  expect(await resolved('components', 'schemas', 'Folder')).toEqual({
    properties: { inner: { properties: { inner: Folder.properties.inner, other: Id } }, other: Id },
  });
});
