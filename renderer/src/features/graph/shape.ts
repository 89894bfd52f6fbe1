import type { Capsule, CapsuleStatus } from '#shared/capsules/contract';
import type { CapsuleGraph } from '#shared/dependencies/contract';
import { labelOf } from './label.ts';

export type GraphNode =
  | ({ kind: 'capsule'; id: string } & Pick<Capsule, 'name' | 'environment' | 'status' | 'hold' | 'drift'>)
  | { kind: 'project'; id: string; projectId: string; capsules: readonly { status: CapsuleStatus }[] }
  /** A Capsule of another Workspace that shares Outputs. */
  | { kind: 'foreign'; id: string };
export type GraphEdge = { id: string; from: string; to: string; label: string };
/** Drawn part of a graph: Capsules, and one node for each collapsed Project. */
export type GraphShape = { nodes: readonly GraphNode[]; edges: readonly GraphEdge[] };

/** Replaces the Capsules of collapsed Projects by one node each. Edges between the same nodes become one. */
export function shapeOf({ nodes, edges }: CapsuleGraph, collapsed: ReadonlySet<string>): GraphShape {
  const nodeOf = new Map(
    nodes.map(({ capsuleId, projectId }) => [capsuleId, collapsed.has(projectId) ? projectId : capsuleId]),
  );
  const members = Map.groupBy(nodes, ({ projectId }) => projectId);
  const projects = [...collapsed].flatMap((projectId): GraphNode[] => {
    const capsules = members.get(projectId);
    return capsules ? [{ kind: 'project', id: projectId, projectId, capsules }] : [];
  });
  const shown = nodes
    .filter(({ projectId }) => !collapsed.has(projectId))
    .map(
      ({ capsuleId: id, name, environment, status, hold, drift }): GraphNode => ({
        kind: 'capsule',
        id,
        name,
        environment,
        status,
        hold,
        drift,
      }),
    );
  const foreign = new Set(edges.map(({ producerCapsuleId }) => producerCapsuleId).filter((id) => !nodeOf.has(id)));
  return {
    nodes: [...projects, ...shown, ...[...foreign].map((id): GraphNode => ({ kind: 'foreign', id }))],
    edges: edgesBetween(edges, (id) => nodeOf.get(id) ?? id),
  };
}

function edgesBetween(edges: CapsuleGraph['edges'], nodeOf: (capsuleId: string) => string): GraphEdge[] {
  const between = Map.groupBy(edges, ({ producerCapsuleId, consumerCapsuleId }) =>
    JSON.stringify([nodeOf(producerCapsuleId), nodeOf(consumerCapsuleId)]),
  );
  return [...between.values()].flatMap((same): GraphEdge[] => {
    const [first] = same;
    if (!first) return [];
    const [from, to] = [nodeOf(first.producerCapsuleId), nodeOf(first.consumerCapsuleId)];
    const outputs = Object.assign(
      {},
      ...same.map((one, at) => prefixed(one.outputs, same.length > 1 ? at : undefined)),
    );
    return from === to ? [] : [{ id: first.id, from, to, label: labelOf({ outputs }) }];
  });
}

type Outputs = CapsuleGraph['edges'][number]['outputs'];
/** Outputs of several edges under different keys, because two consumers may name their variables alike. */
const prefixed = (outputs: Outputs, at: number | undefined): Outputs =>
  at === undefined
    ? outputs
    : Object.fromEntries(Object.entries(outputs).map(([name, value]) => [`${at} ${name}`, value]));
