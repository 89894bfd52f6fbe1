import type { Entries, Entry, Input } from './entry.ts';
import { InputRow } from './input-row.tsx';
import type { ManifestForm } from './presented-form.ts';

/** What every list of inputs is given. */
export type ListProps = {
  inputs: readonly Input[];
  entries: Entries;
  /** Problems are shown for every input, not only for those that were left. */
  showErrors: boolean;
  /** What the last plan said, by the name of the input. */
  planMessages: Readonly<Record<string, string>>;
  /** What is folded away is shown too, for one of its inputs is wrong. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChange: (name: string, change: Entry) => void;
};

type Props = Omit<ListProps, 'isOpen' | 'onOpen'> & { form?: ManifestForm | undefined };

const untouched: Entry = {};

export const InputRows = ({ inputs, form, entries, planMessages, showErrors, onChange }: Props) => (
  <div>
    {inputs.map((input) => (
      <InputRow
        key={input.declared.name}
        input={input}
        form={form}
        entry={entries[input.declared.name] ?? untouched}
        showErrors={showErrors}
        planMessage={planMessages[input.declared.name]}
        onChange={onChange}
      />
    ))}
  </div>
);
