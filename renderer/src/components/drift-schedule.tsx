import { type FormEvent, useId, useState } from 'react';
import { hoursOf, maxScheduleHours } from '#shared/drift/schedule';
import { type Keys, useIntent } from '../api/intent.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { inputClass, Labelled } from '../ui/controls.tsx';
import { ErrorNote } from './error-note.tsx';

type Props = {
  schedule: string;
  /** Schedule of the Workspace; absent in the settings of the Workspace itself. */
  inherited?: string | undefined;
  mayChange: boolean;
  onSave: (schedule: string, keyOf: Keys) => Promise<void>;
};

const named = ['off', 'daily', 'weekly'] as const;
const custom = 'custom';

/** Formats a schedule, such as "every 6 hours". */
export function scheduleText(t: ReturnType<typeof useText>, schedule: string): string {
  const known = named.find((one) => one === schedule);
  return known ? t(`drift.schedule.${known}`) : t('drift.schedule.hours', { count: hoursOf(schedule) ?? 0 });
}

/** Form of a schedule of drift checks. */
export function DriftScheduleForm({ schedule, inherited, mayChange, onSave }: Props) {
  const t = useText();
  const id = useId();
  const isCustom = schedule !== 'inherit' && !named.some((one) => one === schedule);
  const [choice, setChoice] = useState(isCustom ? custom : schedule);
  const [hours, setHours] = useState(String(isCustom ? hoursOf(schedule) : 6));
  const isRight = choice !== custom || (/^[1-9][0-9]{0,2}$/.test(hours) && Number(hours) <= maxScheduleHours);
  const chosen = choice === custom ? `${hours}h` : choice;
  const save = useIntent((keyOf) => onSave(chosen, keyOf));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isRight) void save.run();
  };
  const isLocked = !mayChange || save.isBusy;
  return (
    <form noValidate onSubmit={submit} className="flex flex-wrap items-start gap-3">
      <Labelled id={id} label={t('drift.schedule.label')}>
        <select
          id={id}
          className={inputClass}
          value={choice}
          disabled={isLocked}
          onChange={({ target }) => setChoice(target.value)}
        >
          {inherited !== undefined && (
            <option value="inherit">{t('drift.schedule.inherit', { schedule: scheduleText(t, inherited) })}</option>
          )}
          {named.map((one) => (
            <option key={one} value={one}>
              {t(`drift.schedule.${one}`)}
            </option>
          ))}
          <option value={custom}>{t('drift.schedule.custom')}</option>
        </select>
      </Labelled>
      {choice === custom && (
        <div className="w-40">
          <Labelled
            id={`${id}-hours`}
            label={t('drift.schedule.every')}
            problem={isRight ? undefined : t('drift.schedule.wrong', { most: maxScheduleHours })}
          >
            <input
              id={`${id}-hours`}
              inputMode="numeric"
              autoComplete="off"
              className={inputClass}
              value={hours}
              disabled={isLocked}
              aria-invalid={!isRight}
              aria-describedby={`${id}-hours-help`}
              onChange={({ target }) => setHours(target.value)}
            />
          </Labelled>
        </div>
      )}
      {mayChange ? (
        <div className="pt-6">
          <Button type="submit" busy={save.isBusy} disabled={chosen === schedule || !isRight}>
            {t('save')}
          </Button>
        </div>
      ) : (
        <p className="w-full text-xs text-muted">{t('drift.schedule.who')}</p>
      )}
      {save.error !== undefined && (
        <div className="w-full">
          <ErrorNote error={save.error} />
        </div>
      )}
    </form>
  );
}
