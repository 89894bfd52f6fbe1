import { expect, it } from 'vitest';
import type { CapsuleGraph } from '#shared/dependencies/contract';
import { shapeOf } from './shape.ts';

const node = (capsuleId: string, projectId: string): CapsuleGraph['nodes'][number] => ({
  capsuleId,
  name: capsuleId,
  environment: 'default',
  projectId,
  status: 'active',
  hold: null,
  drift: null,
});
const edge = (id: string, producerCapsuleId: string, consumerCapsuleId: string): CapsuleGraph['edges'][number] => ({
  id,
  producerCapsuleId,
  consumerCapsuleId,
  outputs: { url: { from: 'url', to: 'url', required: true } },
});
const graph: CapsuleGraph = {
  nodes: [node('a', 'one'), node('b', 'one'), node('c', 'two')],
  edges: [edge('1', 'a', 'b'), edge('2', 'a', 'c'), edge('3', 'b', 'c'), edge('4', 'elsewhere', 'c')],
};
const endsOf = (shape: ReturnType<typeof shapeOf>) => shape.edges.map(({ from, to, label }) => [from, to, label]);

it('draws every Capsule, and those of other Workspaces that it depends on', () => {
  const shape = shapeOf(graph, new Set());
  expect(shape.nodes.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'capsule a',
    'capsule b',
    'capsule c',
    'foreign elsewhere',
  ]);
  expect(endsOf(shape)).toEqual([
    ['a', 'b', 'url'],
    ['a', 'c', 'url'],
    ['b', 'c', 'url'],
    ['elsewhere', 'c', 'url'],
  ]);
});

it('draws a collapsed Project as one node with one edge to each neighbor and none to itself', () => {
  const shape = shapeOf(graph, new Set(['one', 'unknown']));
  expect(shape.nodes.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['project one', 'capsule c', 'foreign elsewhere']);
  expect(endsOf(shape)).toEqual([
    ['one', 'c', 'url, url'],
    ['elsewhere', 'c', 'url'],
  ]);
});
