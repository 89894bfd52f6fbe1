import { useQuery } from '@tanstack/react-query';
import { Background, Controls, MarkerType, MiniMap, ReactFlow } from '@xyflow/react';
import { keys } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Skeleton } from '../../ui/surface.tsx';
import { type CapsuleFlowNode, CapsuleNode, type ForeignFlowNode, ForeignNode } from './capsule-node.tsx';
import { computeLayout, type Layout, nodeSize } from './layout.ts';
import { type ProjectFlowNode, ProjectNode } from './project-node.tsx';
import { RoutedEdge, type RoutedFlowEdge } from './routed-edge.tsx';
import type { GraphShape } from './shape.ts';

const nodeTypes = { capsule: CapsuleNode, foreign: ForeignNode, project: ProjectNode };
const edgeTypes = { routed: RoutedEdge };
type FlowNode = CapsuleFlowNode | ForeignFlowNode | ProjectFlowNode;

type Props = { shape: GraphShape; projectNames: ReadonlyMap<string, string>; onExpand: (projectId: string) => void };

/** Key of the layout. It is computed again only when nodes or edges change, not when a status changes. */
const keyOf = ({ nodes, edges }: GraphShape): string => JSON.stringify([nodes.map(({ id }) => id), edges]);

/** The graph as a picture. */
export function Drawing(props: Props) {
  const t = useText();
  const { shape } = props;
  const workspaceId = useWorkspaceId();
  const layout = useQuery({
    queryKey: [...keys.graph(workspaceId), 'layout', keyOf(shape)],
    queryFn: () => computeLayout(shape),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (earlier) => earlier,
  });
  if (layout.isLoadingError)
    return (
      <div className="p-4">
        <ErrorNote error={layout.error} onAgain={() => void layout.refetch()} />
      </div>
    );
  if (!layout.data) return <Skeleton lines={6} />;
  return (
    <section aria-label={t('nav.graph')} className="h-[70vh] min-h-80">
      <ReactFlow
        nodes={nodesOf(props, layout.data)}
        edges={edgesOf(shape, layout.data)}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        {...startOf(layout.data)}
        fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
        minZoom={0.05}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        // The link inside takes the focus and shows where it is.
        nodesFocusable={false}
        edgesFocusable={false}
        deleteKeyCode={null}
        selectNodesOnDrag={false}
        ariaLabelConfig={{
          'controls.zoomIn.ariaLabel': t('graph.zoomIn'),
          'controls.zoomOut.ariaLabel': t('graph.zoomOut'),
          'controls.fitView.ariaLabel': t('graph.fit'),
        }}
      >
        <Background />
        <Controls showInteractive={false} />
        {shape.nodes.length > 20 && <MiniMap pannable zoomable />}
      </ReactFlow>
    </section>
  );
}

/** Largest graph that can be read as a whole. A larger one starts at its first producers, at a size that can be read. */
const readable = { width: 1_600, height: 950 };

function startOf({ nodes }: Layout): { fitView: true } | { defaultViewport: { x: number; y: number; zoom: number } } {
  const positions = [...nodes.values()];
  const width = Math.max(...positions.map(({ x }) => x)) + nodeSize.width;
  const height = Math.max(...positions.map(({ y }) => y)) + nodeSize.height;
  if (width <= readable.width && height <= readable.height) return { fitView: true };
  const zoom = 0.75;
  const first = positions.reduce((best, one) => (one.x + one.y < best.x + best.y ? one : best), {
    x: width,
    y: height,
  });
  return { defaultViewport: { x: 24 - first.x * zoom, y: 24 - first.y * zoom, zoom } };
}

/** Nodes that the layout has. The layout of an earlier shape is shown until that of the next one is ready. */
const nodesOf = ({ shape, projectNames, onExpand }: Props, layout: Layout): FlowNode[] =>
  shape.nodes.flatMap((node): FlowNode[] => {
    const position = layout.nodes.get(node.id);
    if (!position) return [];
    const { id } = node;
    if (node.kind === 'foreign') return [{ id, type: 'foreign', position, data: {}, ...nodeSize }];
    if (node.kind === 'capsule') {
      const { name, environment, status, hold, drift } = node;
      return [{ id, type: 'capsule', position, data: { name, environment, status, hold, drift }, ...nodeSize }];
    }
    const { capsules, projectId } = node;
    const name = projectNames.get(projectId) ?? projectId;
    const data = { name, capsules, onExpand: () => onExpand(projectId) };
    return [{ id, type: 'project', position, data, ...nodeSize }];
  });

const edgesOf = ({ edges }: GraphShape, layout: Layout): RoutedFlowEdge[] =>
  edges.flatMap(({ id, from, to, label }): RoutedFlowEdge[] => {
    const route = layout.edges.get(id);
    if (!route) return [];
    const markerEnd = { type: MarkerType.ArrowClosed, color: 'var(--line-strong)' };
    return [{ id, source: from, target: to, type: 'routed', data: { route, label }, markerEnd }];
  });
