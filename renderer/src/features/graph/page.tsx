import '@xyflow/react/dist/style.css';
import './graph.css';
import { useQuery } from '@tanstack/react-query';
import { Background, Controls, type Edge, MarkerType, MiniMap, ReactFlow } from '@xyflow/react';
import type { CapsuleGraph } from '#shared/dependencies/contract';
import { keys } from '../../api/queries.ts';
import { graphQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { EmptyList } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { type CapsuleFlowNode, CapsuleNode, type ForeignFlowNode, ForeignNode } from './capsule-node.tsx';
import { labelOf } from './label.ts';
import { computePositions, idsOf, type Positions } from './layout.ts';

const nodeTypes = { capsule: CapsuleNode, foreign: ForeignNode };

/** Graph of the Capsules of the Workspace and their dependencies. */
export function GraphPage() {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const query = useQuery(graphQuery(workspaceId));
  return (
    <>
      <PageTitle title={t('nav.graph')} lead={t('graph.lead')} />
      <Card className="overflow-hidden">
        {query.isPending && <Skeleton lines={6} />}
        {query.isLoadingError && (
          <div className="p-4">
            <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
          </div>
        )}
        {query.data &&
          (query.data.nodes.length === 0 ? (
            <EmptyList title={t('graph.empty.title')} text={t('graph.empty.text')} />
          ) : (
            <Drawn graph={query.data} />
          ))}
      </Card>
    </>
  );
}

/** Key of the layout. It is computed again only when Capsules or edges change, not when a status changes. */
const shapeOf = (graph: CapsuleGraph): string =>
  JSON.stringify([idsOf(graph), graph.edges.map(({ id, producerCapsuleId }) => [id, producerCapsuleId])]);

function Drawn({ graph }: { graph: CapsuleGraph }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const positions = useQuery({
    queryKey: [...keys.graph(workspaceId), 'places', shapeOf(graph)],
    queryFn: () => computePositions(graph),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (earlier) => earlier,
  });
  if (positions.isLoadingError)
    return (
      <div className="p-4">
        <ErrorNote error={positions.error} onAgain={() => void positions.refetch()} />
      </div>
    );
  if (!positions.data) return <Skeleton lines={6} />;
  return (
    <section aria-label={t('nav.graph')} className="h-[70vh] min-h-80">
      <ReactFlow
        nodes={nodesOf(graph, positions.data)}
        edges={edgesOf(graph)}
        nodeTypes={nodeTypes}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.1}
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
        {graph.nodes.length > 20 && <MiniMap pannable zoomable />}
      </ReactFlow>
    </section>
  );
}

function nodesOf(graph: CapsuleGraph, positions: Positions): (CapsuleFlowNode | ForeignFlowNode)[] {
  const known = new Map(graph.nodes.map((node) => [node.capsuleId, node]));
  return idsOf(graph).map((id) => {
    const position = positions.get(id) ?? { x: 0, y: 0 };
    const node = known.get(id);
    if (!node) return { id, type: 'foreign', position, data: {} };
    const { name, environment, status, hold, drift } = node;
    return { id, type: 'capsule', position, data: { name, environment, status, hold, drift } };
  });
}

const edgesOf = (graph: CapsuleGraph): Edge[] =>
  graph.edges.map((edge) => ({
    id: edge.id,
    source: edge.producerCapsuleId,
    target: edge.consumerCapsuleId,
    label: labelOf(edge),
    markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--line-strong)' },
  }));
