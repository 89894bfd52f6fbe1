import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import type { Route } from './layout.ts';

export type RoutedFlowEdge = Edge<{ route: Route; label: string }, 'routed'>;

/** An edge along the route of the layout, with its label where the layout has space for it. */
export function RoutedEdge({ data, markerEnd }: EdgeProps<RoutedFlowEdge>) {
  if (!data || data.route.points.length === 0) return null;
  const { points, label } = data.route;
  const path = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'} ${x} ${y}`).join(' ');
  return (
    <>
      <BaseEdge path={path} {...(markerEnd !== undefined && { markerEnd })} />
      {label.text !== '' && (
        <EdgeLabelRenderer>
          <span
            title={data.label}
            className="absolute px-1 text-[11px] leading-[18px] whitespace-nowrap text-muted"
            style={{ transform: `translate(${label.x}px, ${label.y}px)` }}
          >
            {label.text}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}
