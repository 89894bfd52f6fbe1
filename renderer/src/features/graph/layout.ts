import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { CapsuleGraph } from '#shared/dependencies/contract';

export const nodeSize = { width: 232, height: 76 } as const;

/** Space for the names on an edge between two columns. */
const between = '150';

export type Positions = ReadonlyMap<string, { x: number; y: number }>;

/** Capsules of other Workspaces that share Outputs are not in the list of nodes, but are drawn. */
export const idsOf = ({ nodes, edges }: CapsuleGraph): string[] => [
  ...new Set([...nodes.map(({ capsuleId }) => capsuleId), ...edges.map(({ producerCapsuleId }) => producerCapsuleId)]),
];

/** Computes the position of each Capsule in a web worker: producers left of consumers, with few crossings. */
export async function computePositions(graph: CapsuleGraph): Promise<Positions> {
  const elk = new ELK({ workerUrl });
  try {
    const known = new Set(idsOf(graph));
    const whole: ElkNode = {
      id: 'graph',
      layoutOptions: {
        'elk.algorithm': 'layered',
        'elk.direction': 'RIGHT',
        'elk.layered.spacing.nodeNodeBetweenLayers': between,
        'elk.spacing.nodeNode': '36',
        'elk.separateConnectedComponents': 'true',
      },
      children: [...known].map((id) => ({ id, ...nodeSize })),
      edges: graph.edges
        .filter(({ consumerCapsuleId }) => known.has(consumerCapsuleId))
        .map(({ id, producerCapsuleId, consumerCapsuleId }) => ({
          id,
          sources: [producerCapsuleId],
          targets: [consumerCapsuleId],
        })),
    };
    const { children = [] } = await elk.layout(whole);
    return new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
  } finally {
    elk.terminateWorker();
  }
}
