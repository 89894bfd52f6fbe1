import ELK, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import type { GraphShape } from './shape.ts';

export const nodeSize = { width: 232, height: 76 } as const;

const characterWidth = 6.4;
const labelHeight = 18;
const mostCharacters = 40;

type Point = { x: number; y: number };
export type Route = { points: readonly Point[]; label: Point & { text: string } };
/** Position of each node, and the route of each edge with its label. No label is on a node or on another label. */
export type Layout = { nodes: ReadonlyMap<string, Point>; edges: ReadonlyMap<string, Route> };

export const shownLabel = (label: string): string =>
  label.length > mostCharacters ? `${label.slice(0, mostCharacters - 1)}…` : label;

const options = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.spacing.nodeNodeBetweenLayers': '48',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.edgeLabels.sideSelection': 'ALWAYS_UP',
  'elk.separateConnectedComponents': 'true',
  'elk.aspectRatio': '1.6',
};

/** Computes the layout in a web worker: producers left of consumers, with few crossings and space for every label. */
export async function computeLayout({ nodes, edges }: GraphShape): Promise<Layout> {
  const elk = new ELK({ workerUrl });
  try {
    const known = new Set(nodes.map(({ id }) => id));
    const whole: ElkNode = {
      id: 'graph',
      layoutOptions: options,
      children: nodes.map(({ id }) => ({ id, ...nodeSize })),
      edges: edges
        .filter(({ from, to }) => known.has(from) && known.has(to))
        .map(({ id, from, to, label }) => ({ id, sources: [from], targets: [to], labels: [labelSize(label)] })),
    };
    const { children = [], edges: routed = [] } = await elk.layout(whole);
    return {
      nodes: new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }])),
      edges: new Map(routed.map((edge) => [edge.id, routeOf(edge)])),
    };
  } finally {
    elk.terminateWorker();
  }
}

const labelSize = (label: string) => {
  const text = shownLabel(label);
  return { text, width: Math.ceil(text.length * characterWidth) + 8, height: labelHeight };
};

function routeOf({ sections = [], labels = [] }: ElkExtendedEdge): Route {
  const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]);
  const { text = '', x = 0, y = 0 } = labels[0] ?? {};
  return { points, label: { text, x, y } };
}
