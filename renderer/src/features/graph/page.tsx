import '@xyflow/react/dist/style.css';
import './graph.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CapsuleGraph } from '#shared/dependencies/contract';
import { projectNamesQuery } from '../../api/projects.ts';
import { graphQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { EmptyList } from '../../components/list-page.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CapsuleList } from './capsule-list.tsx';
import { Drawing } from './drawing.tsx';
import { shapeOf } from './shape.ts';
import { useIsNarrow } from './use-is-narrow.ts';

/** Graph of the Capsules of the Workspace and their dependencies. */
export function GraphPage() {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const query = useQuery(graphQuery(workspaceId));
  const isEmpty = query.data?.nodes.length === 0;
  return (
    <>
      <PageTitle title={t('nav.graph')} lead={t('graph.lead')} />
      {query.data && !isEmpty ? (
        <GraphView graph={query.data} />
      ) : (
        <Card className="overflow-hidden">
          {query.isPending && <Skeleton lines={6} />}
          {query.isLoadingError && (
            <div className="p-4">
              <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
            </div>
          )}
          {isEmpty && <EmptyList title={t('graph.empty.title')} text={t('graph.empty.text')} />}
        </Card>
      )}
    </>
  );
}

/** The picture, or the list on a narrow screen and on request. */
function GraphView({ graph }: { graph: CapsuleGraph }) {
  const t = useText();
  const isNarrow = useIsNarrow();
  const [form, setForm] = useState<'picture' | 'list'>();
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const { data: projectNames = new Map<string, string>() } = useQuery(projectNamesQuery(useWorkspaceId()));
  const projects = [...new Set(graph.nodes.map(({ projectId }) => projectId))];
  const isList = form === undefined ? isNarrow : form === 'list';
  const collapse = (projectId: string, isCollapsed: boolean) => {
    const rest = projects.filter((id) => id !== projectId && collapsed.has(id));
    setCollapsed(new Set(isCollapsed ? [...rest, projectId] : rest));
  };
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-muted">
        <label className="flex min-h-9 items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={isList}
            onChange={({ target }) => setForm(target.checked ? 'list' : 'picture')}
          />
          {t('graph.list')}
        </label>
        {!isList && projects.length > 1 && (
          <fieldset className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <legend className="float-left mr-3">{t('graph.collapse')}</legend>
            {projects.map((id) => (
              <label key={id} className="flex min-h-9 items-center gap-2">
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  checked={collapsed.has(id)}
                  onChange={({ target }) => collapse(id, target.checked)}
                />
                {visibleText(projectNames.get(id) ?? id)}
              </label>
            ))}
          </fieldset>
        )}
      </div>
      <Card className="overflow-hidden">
        {isList ? (
          <CapsuleList graph={graph} />
        ) : (
          <Drawing
            shape={shapeOf(graph, collapsed)}
            projectNames={projectNames}
            onExpand={(projectId) => collapse(projectId, false)}
          />
        )}
      </Card>
    </>
  );
}
