import { type FormEvent, useState } from 'react';
import { Reason } from '#shared/kernel/scalars';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { ReasonField } from '../../../components/reason-field.tsx';
import { useText } from '../../../i18n/text.ts';

type Props = { capsuleId: string; digest: string; onEnd: () => void };

/** Form that accepts the current drift with a reason until it differs. */
export function AcknowledgeForm({ capsuleId, digest, onEnd }: Props) {
  const t = useText();
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const reason = text.trim();
  const isRight = Reason.safeParse(reason).success;
  const save = useIntent(async (keyOf) => {
    await api.acknowledgeDrift({ params: { capsuleId }, body: { digest, reason } }, keyOf(`${digest} ${reason}`));
    invalidateRecord({ kind: 'capsule', id: capsuleId });
    onEnd();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isRight) void save.run();
  };
  return (
    <form noValidate onSubmit={submit} className="flex max-w-prose flex-col gap-2">
      <ReasonField
        autoFocus
        label={t('drift.reason')}
        help={t('drift.reason.help')}
        problem={isChecked && !isRight ? t('drift.reason.wrong') : undefined}
        value={text}
        disabled={save.isBusy}
        onChange={setText}
      />
      <FormEnd save={save} label={t('drift.acknowledge')} onCancel={onEnd} />
    </form>
  );
}
