import { useNavigate } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

/** Starts a drift check of a Capsule. The page of the Run shows its result. */
export function CheckDrift({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const navigate = useNavigate();
  const check = useIntent(async (keyOf) => {
    const { run } = (await api.checkDrift({ params: { capsuleId: capsule.id } }, keyOf('drift'))).body;
    await navigate({ to: '/runs/$id', params: { id: run.id } });
  });
  return (
    <>
      <Button busy={check.isBusy} onClick={() => void check.run()}>
        {t('drift.check')}
      </Button>
      {check.error !== undefined && (
        <div className="order-last w-full">
          <ErrorNote error={check.error} />
        </div>
      )}
    </>
  );
}
