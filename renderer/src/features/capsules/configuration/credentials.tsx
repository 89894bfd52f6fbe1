import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { capsuleBindingsQuery } from '../../../api/bindings.ts';
import { useMay } from '../../../api/role.ts';
import { Allowed } from '../../../components/allowed.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { ResolutionList } from '../../../components/provider-bindings/resolution-list.tsx';
import { useStopped } from '../../../components/provider-bindings/stopped.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { quietClass } from '../../../ui/controls.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Card, Note } from '../../../ui/surface.tsx';
import { ChangeCredentials } from './change-credentials.tsx';

/** Anchor for links to the credentials of a Capsule. */
const anchor = 'credentials';

/**
 * Connections of the providers of a Capsule, with a button to change them. Renders nothing for a module without
 * providers.
 */
export function CapsuleCredentials({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const query = useQuery(capsuleBindingsQuery(capsule.id));
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const anchorRef = useArrival(query.isSuccess);
  if (query.isPending) return null;
  if (query.isError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  const { providerBindingSet, providerRequirements, providerResolutions = [] } = query.data;
  const isBound = (providerBindingSet?.bindings.length ?? 0) > 0;
  const canChange = may('planConfiguration') && capsule.status !== 'destroyed' && capsule.status !== 'disabled';
  if (!isBound && (providerRequirements?.length ?? 0) === 0) return null;
  return (
    <Card>
      <div
        ref={anchorRef}
        id={anchor}
        className="flex items-center justify-between gap-2 border-b border-line px-4 py-2"
      >
        <h2 className="font-semibold">{t('binding.title')}</h2>
        {canChange && (
          <button type="button" className={quietClass} onClick={() => setOpen(true)}>
            {t('binding.change')}
          </button>
        )}
      </div>
      {providerResolutions.length > 0 ? (
        <ResolutionList resolutions={providerResolutions} />
      ) : (
        <p className="px-4 py-3 text-sm text-muted">
          {t(providerRequirements === undefined ? 'binding.unchecked' : 'binding.noneBound')}
        </p>
      )}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={t('binding.title')}>
        <ChangeCredentials capsule={capsule} onClose={() => setOpen(false)} />
      </Dialog>
    </Card>
  );
}

/** Note above everything else that a provider has no usable Connection, so nothing can be planned or applied. */
export function CredentialsNeeded({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const isStopped = useStopped(capsule.id);
  if (!isStopped || capsule.status === 'destroyed' || capsule.status === 'disabled') return null;
  return (
    <div className="mb-4">
      <Note tone="warn" title={t('binding.stopped.title')}>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p>{t('binding.stopped.text')}</p>
          <Allowed to="planConfiguration">
            <Button onClick={() => setOpen(true)}>{t('binding.choose')}</Button>
          </Allowed>
        </div>
      </Note>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={t('binding.title')}>
        <ChangeCredentials capsule={capsule} onClose={() => setOpen(false)} />
      </Dialog>
    </div>
  );
}

/** Scrolls to the section when a link points to it, because it renders after the page. */
function useArrival(isThere: boolean) {
  const anchorRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isThere && location.hash === `#${anchor}`) anchorRef.current?.scrollIntoView({ block: 'center' });
  }, [isThere]);
  return anchorRef;
}
