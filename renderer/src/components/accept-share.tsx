import type { OutputShare } from '#shared/output-shares/contract';
import { api } from '../api/client.ts';
import { useIntent } from '../api/intent.ts';
import { invalidateRecord } from '../api/queries.ts';
import { useMay } from '../api/role.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from './error-note.tsx';

/** Accepts an offer of another Workspace. It starts no Run; the Outputs can be selected as inputs afterwards. */
export function AcceptShare({ share }: { share: OutputShare }) {
  const t = useText();
  const accept = useIntent(async (keyOf) => {
    await api.approveShare({ params: { shareId: share.id } }, keyOf('accept'));
    invalidateRecord({ kind: 'output_share', id: share.id });
  });
  const may = useMay();
  if (!may('approveShare')) return null;
  return (
    <div className="flex flex-col items-end gap-2">
      <Button variant="primary" busy={accept.isBusy} onClick={() => void accept.run()}>
        {t('shares.accept')}
      </Button>
      {accept.error !== undefined && <ErrorNote error={accept.error} />}
    </div>
  );
}
