import { useQuery } from '@tanstack/react-query';
import { GitBranch } from 'lucide-react';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { capsuleBindingsQuery } from '../../api/bindings.ts';
import { sourceQuery } from '../../api/records.ts';
import { useMay } from '../../api/role.ts';
import type { Again } from '../../api/use-again.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { isApplied } from './living.ts';
import { MoveForm } from './move-form.tsx';

type Props = { capsule: Capsule; again: Again; className?: string };

/** Moves a Capsule to another branch, tag or commit of its Source. Renders nothing for a caller who cannot. */
export function MoveVersion({ capsule, again, className }: Props) {
  const t = useText();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const isPossible = isApplied(capsule) && may('createRevisionPlan');
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  const bindings = useQuery({ ...capsuleBindingsQuery(capsule.id), enabled: isPossible }).data;
  if (!isPossible) return null;
  // With credentials, another ref is a decision of an owner or admin, because its code would run with them.
  const usesCredentials =
    source?.authConnectionId !== undefined || (bindings?.providerBindingSet?.bindings.length ?? 0) > 0;
  if (usesCredentials && !may('updateCapsule'))
    return (
      <div className={className}>
        <p className="text-xs text-muted">{t('move.role')}</p>
      </div>
    );
  const isLoaded = source !== undefined && bindings !== undefined && again.isReady;
  const isTaken = again.isGoing || again.isBusy;
  const move = (ref: string) => {
    setOpen(false);
    again.moveTo(ref);
    window.scrollTo({ top: 0 });
  };
  return (
    <div className={className}>
      <Button disabled={isTaken || !isLoaded} onClick={() => setOpen(true)}>
        <GitBranch size={15} aria-hidden="true" /> {t('move.button')}
      </Button>
      {isTaken && <p className="mt-1 text-xs text-muted">{t('move.busy')}</p>}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={t('move.button')}>
        {source && <MoveForm capsule={capsule} source={source} onMove={move} onCancel={() => setOpen(false)} />}
      </Dialog>
    </div>
  );
}
