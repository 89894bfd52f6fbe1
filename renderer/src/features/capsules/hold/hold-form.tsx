import { type FormEvent, useId, useRef, useState } from 'react';
import { type Capsule, maxHoldReasonLength } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { FormEnd } from '../../../components/form-end.tsx';
import { ReasonField } from '../../../components/reason-field.tsx';
import { focusInvalid } from '../../../components/refused-control.ts';
import { useText } from '../../../i18n/text.ts';
import { inputClass, Labelled } from '../../../ui/controls.tsx';
import { serverNow } from '../../../ui/time.tsx';

/** Formats a moment as the value of a `datetime-local` field, in the user's time zone. */
function localValueOf(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Sets the reason and the end of a hold. */
export function HoldForm({ capsule: { id, hold }, onEnd }: { capsule: Capsule; onEnd: () => void }) {
  const t = useText();
  const field = useId();
  const form = useRef<HTMLFormElement>(null);
  const [reason, setReason] = useState(hold?.reason ?? '');
  const [end, setEnd] = useState(hold?.until === undefined ? '' : localValueOf(hold.until));
  const [showsProblems, setShowsProblems] = useState(false);
  const isReasonMissing = reason.trim() === '';
  const isPast = end !== '' && !(Date.parse(end) > serverNow());
  const save = useIntent(async (keyOf) => {
    const body = { reason: reason.trim(), ...(end !== '' && { until: new Date(end).toISOString() }) };
    await api.holdCapsule({ params: { capsuleId: id }, body }, keyOf(JSON.stringify(body)));
    invalidateRecord({ kind: 'capsule', id });
    onEnd();
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    setShowsProblems(true);
    if (!isReasonMissing && !isPast) void save.run();
    else focusInvalid(form.current);
  };
  const isWrong = (wrong: boolean) => (showsProblems && wrong) || undefined;
  return (
    <form ref={form} noValidate onSubmit={send} className="flex flex-col gap-4">
      <p className="text-muted">
        {t('hold.text')} {t('hold.running')}
      </p>
      <ReasonField
        label={t('hold.reason')}
        help={t('hold.reason.help')}
        problem={isWrong(isReasonMissing) && t('hold.reason.missing')}
        value={reason}
        maxLength={maxHoldReasonLength}
        onChange={setReason}
      />
      <Labelled
        id={`${field}-end`}
        label={t('hold.end')}
        help={t('hold.end.help')}
        problem={isWrong(isPast) && t('hold.end.past')}
      >
        <input
          id={`${field}-end`}
          type="datetime-local"
          value={end}
          aria-invalid={isWrong(isPast)}
          aria-describedby={`${field}-end-help`}
          onChange={(event) => setEnd(event.target.value)}
          className={`${inputClass} sm:w-64`}
        />
      </Labelled>
      <FormEnd save={save} label={t('hold.submit')} onCancel={onEnd} />
    </form>
  );
}
