import type { FormResourceRecord } from '#shared/form-resources/contract';
import { useFormHost } from '../../api/form-resources.ts';
import { useText } from '../../i18n/text.ts';
import { Pill } from '../../ui/pill.tsx';
import { statesOf, stateTexts } from './states.ts';

/** State of a Resource, with the number of fields that differ. A form host that is off knows no form. */
export function StatePills({ resource }: { resource: FormResourceRecord }) {
  const t = useText();
  const isOff = useFormHost() === false;
  const states = statesOf(resource).filter((state) => !isOff || state !== 'uninstalled');
  return (
    <span className="inline-flex flex-wrap gap-1">
      {states.map((state) => (
        <Pill key={state} tone={stateTexts[state].tone}>
          {t(stateTexts[state].text, { count: resource.driftedFields.length })}
        </Pill>
      ))}
    </span>
  );
}
