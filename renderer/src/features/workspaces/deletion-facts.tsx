import { Link } from '@tanstack/react-router';
import type { WorkspaceDeletionPreview } from '#shared/workspace-deletions/contract';
import { capsuleStatusTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Props = { preview: WorkspaceDeletionPreview };

/** The facts of a deletion: what it leaves in place, deletes and retains, and what refuses it now. */
export function DeletionFacts({ preview }: Props) {
  const t = useText();
  return (
    <>
      {preview.blockers.map(({ reason }) => (
        <Note key={reason} tone="warn">
          {t(`refusal.${reason}`)}
        </Note>
      ))}
      <LeftOutside preview={preview} />
      <Shares preview={preview} />
      <div>
        <h3 className="font-semibold">{t('workspace.delete.deletes')}</h3>
        <p className="mt-1 text-muted">{t('workspace.delete.counts', preview.deletes)}</p>
      </div>
      <div>
        <h3 className="font-semibold">{t('workspace.delete.remains')}</h3>
        <ul className="mt-1 list-disc pl-5 text-muted">
          <li>{t('workspace.delete.remains.audit', { count: preview.remains.auditEvents })}</li>
          <li>{t('workspace.delete.remains.name')}</li>
          <li>{t('workspace.delete.remains.copies')}</li>
        </ul>
      </div>
    </>
  );
}

function LeftOutside({ preview: { capsulesWithResources } }: Props) {
  const t = useText();
  return (
    <div>
      <h3 className="font-semibold">{t('workspace.delete.left')}</h3>
      <p className="mt-1 text-muted">{t('workspace.delete.left.text', { count: capsulesWithResources.length })}</p>
      {capsulesWithResources.length > 0 && (
        <ul className="mt-2 max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
          {capsulesWithResources.map(({ id, name, environment, status, resourceCount }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-3 px-3 py-2">
              <Link to="/capsules/$id" params={{ id }} className="font-medium text-accent">
                {visibleText(name)}
              </Link>
              <span className="text-sm text-muted">{environment}</span>
              <span className="text-sm text-muted">{t(capsuleStatusTexts[status].text)}</span>
              <span className="ml-auto text-sm">
                {resourceCount === undefined
                  ? t('workspace.delete.unknown')
                  : t('states.resources', { count: resourceCount })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Shares({ preview: { sharesInUse } }: Props) {
  const t = useText();
  if (sharesInUse.length === 0) return null;
  return (
    <div>
      <h3 className="font-semibold">{t('workspace.delete.shares')}</h3>
      <ul className="mt-1 list-disc pl-5 text-muted">
        {sharesInUse.map(({ id, capsuleName, outputs, toWorkspaceId }) => (
          <li key={id}>
            {t('workspace.delete.share', {
              capsule: visibleText(capsuleName),
              outputs: outputs.map(visibleText).join(', '),
              workspace: toWorkspaceId,
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}
