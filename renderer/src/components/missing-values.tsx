import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Attempt } from '../api/attempts.ts';
import { useIntent } from '../api/intent.ts';
import { supplyValues } from '../api/missing-values.ts';
import { reportQuery } from '../api/records.ts';
import { useMay } from '../api/role.ts';
import type { Again } from '../api/use-again.ts';
import { whenKnown } from '../api/when-known.ts';
import { useText } from '../i18n/text.ts';
import { Button } from '../ui/button.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { FormEnd } from './form-end.tsx';
import type { Entries, Entry, Input } from './inputs/entry.ts';
import { InputRows } from './inputs/input-rows.tsx';
import { focusFirst } from './inputs/inputs.tsx';
import { listInputs } from './inputs/list-inputs.ts';
import { findProblems, valuesOf } from './inputs/values.ts';

type Props = { attempt: Attempt; missing: readonly string[]; again: Pick<Again, 'clear' | 'retry'> };

/** Asks for the values of variables that the commit requires and the Capsule does not have, before it is planned. */
export function MissingValues({ attempt, missing, again }: Props) {
  const t = useText();
  const may = useMay();
  const report = useQuery(whenKnown(attempt.reportId, reportQuery)).data;
  if (!report) return null;
  const declared = (report.rootModuleVariableDeclarations ?? []).filter(({ name }) => missing.includes(name));
  const secret = declared.filter(({ sensitive }) => sensitive);
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => visibleText(name)).join(', ');
  return (
    <div className="mt-4 flex flex-col gap-3">
      <p>{t('move.missing', { names: names(declared) })}</p>
      {secret.length > 0 && <p>{t('move.missing.secret', { names: names(secret) })}</p>}
      {!may('reAdopt') && <p>{t('move.missing.role')}</p>}
      {secret.length === 0 && may('reAdopt') ? (
        <ValuesForm
          attempt={attempt}
          inputs={listInputs(declared, { sealedNames: [], form: undefined })}
          again={again}
        />
      ) : (
        <div>
          <Button onClick={again.clear}>{t('cancel')}</Button>
        </div>
      )}
    </div>
  );
}

type FormProps = { attempt: Attempt; inputs: readonly Input[]; again: Props['again'] };

function ValuesForm({ attempt, inputs, again }: FormProps) {
  const t = useText();
  const [entries, setEntries] = useState<Entries>({});
  const [showErrors, setShowErrors] = useState(false);
  const supply = useIntent(async (keyOf) => {
    await supplyValues(attempt, valuesOf(inputs, entries).variables, keyOf('re-adopt'));
    again.clear();
    again.retry();
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    const wrong = findProblems(inputs, entries);
    if (wrong.length > 0) focusFirst(wrong[0]);
    else void supply.run();
  };
  const change = (name: string, changed: Entry) =>
    setEntries((now) => ({ ...now, [name]: { ...now[name], ...changed } }));
  return (
    <form noValidate onSubmit={send} aria-label={t('install.inputs')} className="flex flex-col gap-3">
      <div className="rounded-md border border-line">
        <InputRows inputs={inputs} entries={entries} showErrors={showErrors} planMessages={{}} onChange={change} />
      </div>
      <FormEnd save={supply} label={t('move.missing.submit')} onCancel={again.clear} />
    </form>
  );
}
