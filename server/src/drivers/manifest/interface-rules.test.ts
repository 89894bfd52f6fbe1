import { describe, expect, test } from 'vitest';
import {
  type Invalid,
  interfaces,
  many,
  problemsAfter,
  providing,
  root,
  type Valid,
} from '../../../test/manifest-fixture.ts';

const providingWith = (spec: object) => interfaces({ ...providing, spec: { ...providing.spec, ...spec } });
const bindingWith = (more: object) =>
  interfaces({ ...providing, bindingRequests: [{ ...providing.bindingRequests[0], ...more }] });
const nested = (depth: number): unknown => many(depth, () => 0).reduce<unknown>((inner) => [inner], 1);

describe('these are valid', () => {
  const valid: Valid[] = [
    ['32 interfaces', interfaces(...many(32, (at) => ({ ...providing, key: `k${at}`, name: `n${at}` })))],
    [
      '64 inputs of an interface',
      providingWith({
        access: { visibility: 'workspace' },
        inputs: Object.fromEntries(many(64, (at) => [`i${at}`, { source: 'literal', value: at }])),
      }),
    ],
    ['no binding request', interfaces({ ...providing, bindingRequests: [] })],
    ['a document of 32 levels', providingWith({ document: nested(32) })],
    ['a literal of 32 levels', providingWith({ inputs: { uri: { source: 'literal', value: nested(32) } } })],
    ['an interface without resource and inputs', providingWith({ access: { visibility: 'workspace' }, inputs: {} })],
    ['one Output asked for twice with one type', interfaces(providing, { ...providing, key: 'b', name: 'b' })],
  ];
  test.each(valid)('%s', (_name, change, version) => expect(problemsAfter(change, version)).toEqual([]));
});

describe('these are invalid, each with its code and location', () => {
  const invalid: Invalid[] = [
    [
      '33 interfaces',
      interfaces(...many(33, (at) => ({ ...providing, key: `k${at}`, name: `n${at}` }))),
      'count_out_of_range',
      `${root}/interfaces`,
    ],
    [
      'one interface key twice',
      interfaces(providing, { ...providing, name: 'b' }),
      'not_unique',
      `${root}/interfaces/1/key`,
    ],
    [
      'one interface name twice',
      interfaces(providing, { ...providing, key: 'b' }),
      'not_unique',
      `${root}/interfaces/1/name`,
    ],
    [
      '65 inputs of an interface',
      providingWith({ inputs: Object.fromEntries(many(65, (at) => [`i${at}`, { source: 'literal', value: at }])) }),
      'count_out_of_range',
      `${root}/interfaces/0/spec/inputs`,
    ],
    [
      'an unknown visibility',
      providingWith({ access: { visibility: 'public' } }),
      'value_invalid',
      `${root}/interfaces/0/spec/access/visibility`,
    ],
    [
      'a policy of the host',
      providingWith({ access: { visibility: 'workspace', policyRef: 'x' } }),
      'field_unknown',
      `${root}/interfaces/0/spec/access/policyRef`,
    ],
    [
      'a resource that is not an input',
      providingWith({ access: { visibility: 'workspace', resourceUriInput: 'other' } }),
      'resource_uri_input_unknown',
      `${root}/interfaces/0/spec/access/resourceUriInput`,
    ],
    [
      'a resource called like a prototype',
      providingWith({ access: { visibility: 'workspace', resourceUriInput: 'constructor' } }),
      'resource_uri_input_unknown',
      `${root}/interfaces/0/spec/access/resourceUriInput`,
    ],
    [
      'an input from another source',
      providingWith({ inputs: { uri: { source: 'resource', value: 1 } } }),
      'value_invalid',
      `${root}/interfaces/0/spec/inputs/uri/source`,
    ],
    [
      'an output type that is not known',
      providingWith({ inputs: { uri: { source: 'output', outputName: 'u', outputType: 'list' } } }),
      'value_invalid',
      `${root}/interfaces/0/spec/inputs/uri/outputType`,
    ],
    [
      'one Output with two types',
      providingWith({
        inputs: {
          uri: { source: 'output', outputName: 'u', outputType: 'url' },
          b: { source: 'output', outputName: 'u', outputType: 'string' },
        },
      }),
      'output_type_conflict',
      `${root}/interfaces/0/spec/inputs/b/outputType`,
    ],
    [
      'a document of 33 levels',
      providingWith({ document: nested(33) }),
      'depth_exceeded',
      expect.stringContaining(`${root}/interfaces/0/spec/document/0/0`),
    ],
    [
      'a literal of 33 levels',
      providingWith({ inputs: { uri: { source: 'literal', value: nested(33) } } }),
      'depth_exceeded',
      expect.stringContaining('/uri/value/0'),
    ],
    [
      'a credential in a document',
      providingWith({ document: { a: [{ b: 'Bearer abcdefg1' }] } }),
      'secret_like_value',
      `${root}/interfaces/0/spec/document/a/0/b`,
    ],
    [
      'a credential as a key',
      providingWith({ document: { ghp_12345678: 1 } }),
      'secret_like_value',
      `${root}/interfaces/0/spec/document/*`,
    ],
    [
      'a key called like a credential',
      providingWith({ document: { 'Api-Key': '' } }),
      'secret_like_value',
      `${root}/interfaces/0/spec/document/Api-Key`,
    ],
    [
      'a key of the host',
      providingWith({ document: { workspace_id: 'x' } }),
      'host_authority_key',
      `${root}/interfaces/0/spec/document/workspace_id`,
    ],
    [
      'a credential in a literal',
      providingWith({ inputs: { uri: { source: 'literal', value: { dsn: 1 } } } }),
      'secret_like_value',
      `${root}/interfaces/0/spec/inputs/uri/value/dsn`,
    ],
    [
      'two binding requests',
      interfaces({ ...providing, bindingRequests: [...providing.bindingRequests, ...providing.bindingRequests] }),
      'count_out_of_range',
      `${root}/interfaces/0/bindingRequests`,
    ],
    [
      'another subject',
      bindingWith({ subject: { source: 'everyone' } }),
      'value_invalid',
      `${root}/interfaces/0/bindingRequests/0/subject/source`,
    ],
  ];
  test.each(invalid)('%s', (_name, change, code, pointer, version) => {
    expect(problemsAfter(change, version)).toContainEqual([code, pointer]);
  });
});
