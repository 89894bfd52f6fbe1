import type { Capsule, CapsuleHold } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { Allowed } from '../../../components/allowed.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { HoldFacts } from '../../../components/hold-facts.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Note } from '../../../ui/surface.tsx';
import { HoldCapsule } from './hold-capsule.tsx';

/** The hold of a Capsule; owners and admins change and release it here. */
export function HeldNote({ capsule, hold }: { capsule: Capsule; hold: CapsuleHold }) {
  const t = useText();
  const release = useIntent(async (keyOf) => {
    await api.releaseCapsule({ params: { capsuleId: capsule.id } }, keyOf('release'));
    invalidateRecord({ kind: 'capsule', id: capsule.id });
  });
  return (
    <div className="mb-4">
      <Note tone="warn" title={t('hold.title')}>
        <HoldFacts hold={hold} />
        {release.error !== undefined && (
          <div className="mt-2">
            <ErrorNote error={release.error} />
          </div>
        )}
        <Allowed to="holdCapsule">
          <div className="mt-2 flex flex-wrap gap-2">
            <Button busy={release.isBusy} onClick={() => void release.run()}>
              {t('hold.release')}
            </Button>
            <HoldCapsule capsule={capsule} />
          </div>
        </Allowed>
      </Note>
    </div>
  );
}
