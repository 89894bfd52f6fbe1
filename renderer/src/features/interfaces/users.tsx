import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Interface, InterfaceBinding } from '#shared/interfaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { interfaceBindingsQuery } from '../../api/interfaces.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { capsuleQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { Allowed } from '../../components/allowed.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useFormResourceName } from '../../components/interfaces/form-resource-name.ts';
import { bindingReasonOf } from '../../components/interfaces/interface-text.ts';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Pill } from '../../ui/pill.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { GrantInterface } from './grant.tsx';
import { usePermissionText } from './permission-text.ts';

/** People, Capsules and Resources that may use an Interface, in sentences, with the ways to allow and to revoke it. */
export function InterfaceUsers({ shown }: { shown: Interface }) {
  const t = useText();
  const query = useQuery(interfaceBindingsQuery(shown.id));
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">{t('interfaces.users')}</h2>
        <Allowed to="createInterfaceBinding">
          <GrantInterface shown={shown} />
        </Allowed>
      </div>
      {query.isPending && <Skeleton lines={2} />}
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data?.length === 0 && <p className="px-4 py-4 text-muted">{t('interfaces.users.none')}</p>}
      {query.data && query.data.length > 0 && (
        <ul className="divide-y divide-line">
          {query.data.map((binding) => (
            <User key={binding.metadata.id} shown={shown} binding={binding} />
          ))}
        </ul>
      )}
    </Card>
  );
}

type Props = { shown: Interface; binding: InterfaceBinding };

/** Name of the account, Capsule or Resource that a binding allows. */
function useSubjectName({ spec: { subjectRef } }: InterfaceBinding): string {
  const t = useText();
  const who = useWho();
  const capsuleId = subjectRef.kind === 'Capsule' ? subjectRef.id : undefined;
  const capsule = useQuery(whenKnown(capsuleId, capsuleQuery)).data;
  const resource = useFormResourceName(subjectRef.kind === 'Resource' ? subjectRef.id : undefined);
  if (subjectRef.kind === 'Principal') return who(subjectRef.id);
  if (subjectRef.kind === 'Capsule')
    return t('interfaces.capsule', { name: visibleText(capsule?.name ?? subjectRef.id) });
  if (resource !== undefined) return t('interfaces.formResource', { name: resource });
  return `${subjectRef.kind} ${visibleText(subjectRef.id)}`;
}

function User({ shown, binding }: Props) {
  const t = useText();
  const permissionText = usePermissionText();
  const name = useSubjectName(binding);
  const { materializedFrom: origin, createdAt } = binding.metadata;
  const reason = bindingReasonOf(binding);
  const sentence = permissionText(shown.spec.type, { who: name, permissions: binding.spec.permissions });
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-2 break-words">
          {sentence} {binding.status.phase !== 'Ready' && <Pill tone="warn">{t('interfaces.phase.NotReady')}</Pill>}
        </p>
        {reason && <p className="mt-0.5 text-sm">{t(reason)}</p>}
        <p className="mt-0.5 text-xs text-muted">
          {origin && <>{t(`binding.origin.${origin.source}`)} · </>}
          {binding.spec.delivery.type !== 'none' && <>{deliveryText(t, binding)} · </>}
          <Since at={createdAt} />
        </p>
      </div>
      <Allowed to="revokeInterfaceBinding">
        <Revoke shown={shown} binding={binding} name={name} sentence={sentence} />
      </Allowed>
    </li>
  );
}

const deliveryText = (t: ReturnType<typeof useText>, { spec: { delivery } }: InterfaceBinding): string =>
  delivery.type === 'oauth2'
    ? t('binding.delivery.oauth2')
    : t('binding.delivery.other', { type: visibleText(delivery.type) });

function revokeTextOf({ metadata: { materializedFrom } }: InterfaceBinding) {
  if (materializedFrom === undefined) return 'interfaces.revoke.text';
  return materializedFrom.source === 'capsule_required_interface'
    ? 'interfaces.revoke.required'
    : 'interfaces.revoke.fromModule';
}

function Revoke({ shown, binding, name, sentence }: Props & { name: string; sentence: string }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const revoke = useIntent(async (keyOf) => {
    const params = { interfaceId: shown.id, bindingId: binding.metadata.id };
    await api.revokeInterfaceBinding({ params }, keyOf('revoke'));
    setOpen(false);
    invalidateRecord({ kind: 'interface', id: shown.id });
  });
  const close = () => {
    revoke.reset();
    setOpen(false);
  };
  return (
    <>
      <Button aria-label={t('interfaces.revoke.of', { name })} onClick={() => setOpen(true)}>
        {t('interfaces.revoke')}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={t('interfaces.revoke.title', { name })}
        action={t('interfaces.revoke')}
        busy={revoke.isBusy}
        error={revoke.error}
        onConfirm={() => void revoke.run()}
      >
        <p>{sentence}</p>
        <p className="mt-2">{t(revokeTextOf(binding))}</p>
      </Confirm>
    </>
  );
}
