import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Interface } from '#shared/interfaces/contract';
import { invalidateRecord } from '../../api/queries.ts';
import { capsuleQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useFormResourceName } from './form-resource-name.ts';
import { addressOf } from './interface-text.ts';
import { OpenApp } from './open-app.tsx';

/** Apps that the signed-in person may open, each with its address. */
export function AppList({ apps, namesCapsule = true }: { apps: readonly Interface[]; namesCapsule?: boolean }) {
  const t = useText();
  const [refused, setRefused] = useState<Interface>();
  // The row stays beside the note until the person has read it.
  const reload = ({ id }: Interface) => {
    setRefused(undefined);
    invalidateRecord({ kind: 'interface', id });
  };
  return (
    <>
      <ul className="divide-y divide-line">
        {apps.map((app) => (
          <li key={app.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-2.5">
            <div className="min-w-0 flex-1 basis-56">
              <p className="break-words">
                <Link to="/interfaces/$id" params={{ id: app.id }} className="font-medium hover:text-accent">
                  {visibleText(app.name)}
                </Link>{' '}
                {namesCapsule && <OwnerName app={app} />}
              </p>
              <Address app={app} />
            </div>
            <OpenApp app={app} onRefused={setRefused} />
          </li>
        ))}
      </ul>
      {refused !== undefined && (
        <div className="p-3">
          <Note tone="warn">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <p className="min-w-0 flex-1 basis-72">{t('apps.refused', { name: visibleText(refused.name) })}</p>
              <Button onClick={() => reload(refused)}>{t('apps.reload')}</Button>
            </div>
          </Note>
        </div>
      )}
    </>
  );
}

function Address({ app }: { app: Interface }) {
  const address = addressOf(app);
  return address === undefined ? null : (
    <p className="line-clamp-2 text-xs break-all text-muted">{addressText(address)}</p>
  );
}

/** Name of the Capsule or Resource that offers an Interface. Renders nothing for one of the Workspace. */
function OwnerName({ app: { ownerRef } }: { app: Interface }) {
  const capsuleId = ownerRef.kind === 'Capsule' ? ownerRef.id : undefined;
  const capsule = useQuery(whenKnown(capsuleId, capsuleQuery)).data;
  const resource = useFormResourceName(ownerRef.kind === 'Resource' ? ownerRef.id : undefined);
  const name = capsule ? visibleText(capsule.name) : resource;
  return name === undefined ? null : <span className="text-xs break-words text-muted">{name}</span>;
}
