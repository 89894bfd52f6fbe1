import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { useWorkspaceId } from '../../api/session.tsx';
import { Allowed } from '../../components/allowed.tsx';
import { CapsuleMarks } from '../../components/capsule-marks.tsx';
import { capsuleStatusText } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useArrivalFocus } from './arrival-focus.ts';
import { livingCapsulesQuery } from './inputs/use-capsule-name.ts';

/** Decision about an address that is already installed: change one of its Capsules, or install again. */
export type Decision = { changedId?: string };

type Props = {
  sourceId: string;
  decision: Decision | undefined;
  onDecide: (decision: Decision) => void;
  /** Link to a new installation. */
  children: ReactNode;
};

/** Offers the Capsules that are already installed from an address before it is installed again. */
export function InstalledFirst({ sourceId, decision, onDecide, children }: Props) {
  const capsules = useQuery(livingCapsulesQuery(useWorkspaceId()));
  if (decision) return children;
  if (capsules.isPending)
    return (
      <Card>
        <Skeleton lines={3} />
      </Card>
    );
  const installed = (capsules.data ?? []).filter(
    (capsule) => capsule.sourceId === sourceId && capsule.currentStateVersionId !== undefined,
  );
  return installed.length === 0 ? children : <Installed capsules={installed} onDecide={onDecide} />;
}

function Installed({ capsules, onDecide }: { capsules: readonly Capsule[]; onDecide: Props['onDecide'] }) {
  const t = useText();
  const heading = useArrivalFocus<HTMLHeadingElement>();
  return (
    <Card>
      <h2 ref={heading} tabIndex={-1} className="border-b border-line px-4 py-2.5 font-semibold outline-none">
        {t('installed.title')}
      </h2>
      <ul className="divide-y divide-line">
        {capsules.map((capsule) => (
          <li key={capsule.id} className="flex flex-wrap items-center justify-between gap-2 px-4 py-2.5">
            <p className="flex min-w-0 flex-wrap items-baseline gap-2">
              <span className="font-medium break-words">{visibleText(capsule.name)}</span>
              <span className="text-xs text-muted">{capsule.environment}</span>
              <StatusBadge statusText={capsuleStatusText(capsule)} />
              <CapsuleMarks capsule={capsule} />
            </p>
            <div className="flex flex-wrap gap-2">
              <Link to="/capsules/$id" params={{ id: capsule.id }} className={buttonClass('primary')}>
                {t('installed.open')}
              </Link>
              {capsule.status !== 'disabled' && (
                <Allowed to="planConfiguration">
                  <Button onClick={() => onDecide({ changedId: capsule.id })}>{t('installed.change')}</Button>
                </Allowed>
              )}
            </div>
          </li>
        ))}
      </ul>
      <div className="border-t border-line px-4 py-3">
        <Button onClick={() => onDecide({})}>{t('installed.again')}</Button>
      </div>
    </Card>
  );
}
