import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Reason } from '#shared/kernel/scalars';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { useText } from '../../../i18n/text.ts';
import { inputClass, Labelled } from '../../../ui/controls.tsx';

type Props = { capsuleId: string; digest: string; onEnd: () => void };

/** Form that accepts the current drift with a reason until it differs. */
export function AcknowledgeForm({ capsuleId, digest, onEnd }: Props) {
  const t = useText();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
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
      <Labelled
        id={id}
        label={t('drift.reason')}
        help={t('drift.reason.help')}
        problem={isChecked && !isRight ? t('drift.reason.wrong') : undefined}
      >
        <input
          id={id}
          ref={field}
          autoComplete="off"
          className={inputClass}
          value={text}
          disabled={save.isBusy}
          aria-invalid={isChecked && !isRight}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => setText(target.value)}
        />
      </Labelled>
      <FormEnd save={save} label={t('drift.acknowledge')} onCancel={onEnd} />
    </form>
  );
}
