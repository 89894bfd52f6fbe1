import type { CopyRevision } from '#shared/copies/contract';
import { api } from '../../api/client.ts';
import { showRevision } from '../../api/copies.ts';
import { useIntent } from '../../api/intent.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

/** Cancels a revision that is not approved. Nothing of it is kept, and it can be prepared again. */
export function CancelRevision({ revision: { id, copyId } }: { revision: CopyRevision }) {
  const t = useText();
  const cancel = useIntent(async (keyOf) => {
    const params = { copyId, revisionId: id };
    showRevision((await api.cancelCopyRevision({ params }, keyOf('cancel'))).body.revision);
  });
  return (
    <div className="flex flex-col items-end gap-2">
      <Button busy={cancel.isBusy} onClick={() => void cancel.run()}>
        {t('copy.cancel.revision')}
      </Button>
      {cancel.error !== undefined && <ErrorNote error={cancel.error} />}
    </div>
  );
}
