import { Check } from 'lucide-react';
import type { CopyReview, CopyRevision } from '#shared/copies/contract';
import { api } from '../../api/client.ts';
import { showRevision } from '../../api/copies.ts';
import { useIntent } from '../../api/intent.ts';
import { useMay } from '../../api/role.ts';
import { DecisionPanel } from '../../components/decision-panel.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CancelRevision } from './cancel-revision.tsx';

/** Decision on the review that is shown: its digest is what a person approves. */
export function DecisionBar({ revision, review }: { revision: CopyRevision; review: CopyReview }) {
  const t = useText();
  const may = useMay();
  const approve = useIntent(async (keyOf) => {
    const params = { copyId: revision.copyId, revisionId: revision.id };
    const body = { reviewDigest: review.digest };
    showRevision((await api.approveCopyRevision({ params, body }, keyOf(review.digest))).body.revision);
  });
  const isUpdate = review.difference !== undefined;
  return (
    <DecisionPanel label={t('copy.decide')}>
      {approve.error !== undefined && (
        <div className="mb-3">
          <ErrorNote error={approve.error} />
        </div>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="min-w-0 text-sm">
          <p className="font-medium">{t('copy.decide.waits')}</p>
          <p className="break-all text-muted">
            {t('copy.decide.digest')} <code className="font-mono text-xs">{visibleText(review.digest)}</code>
          </p>
        </div>
        {may('approveCopyRevision') ? (
          <div className="flex flex-wrap gap-2">
            <CancelRevision revision={revision} />
            <Button variant="primary" busy={approve.isBusy} onClick={() => void approve.run()}>
              {!approve.isBusy && <Check size={16} aria-hidden="true" />}
              {t(isUpdate ? 'copy.approve.update' : 'copy.approve')}
            </Button>
          </div>
        ) : (
          <p className="max-w-sm text-sm text-warn">{t('copy.decide.role')}</p>
        )}
      </div>
    </DecisionPanel>
  );
}
