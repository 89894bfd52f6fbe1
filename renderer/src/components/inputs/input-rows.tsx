import type { Entries, Entry, Input } from './entry.ts';
import { InputRow } from './input-row.tsx';
import type { ManifestForm } from './presented-form.ts';

/** Props shared by all lists of inputs. */
export type ListProps = {
  inputs: readonly Input[];
  entries: Entries;
  /** True when problems of all inputs are shown, not only of those that lost the focus. */
  showErrors: boolean;
  /** Messages of the last plan, by input name. */
  planMessages: Readonly<Record<string, string>>;
  /** True when folds are open because one of their inputs is invalid. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChange: (name: string, change: Entry) => void;
  /** True when an input may take its value from an Output of another Capsule. */
  canUseOutputs?: boolean;
};

type Props = Omit<ListProps, 'isOpen' | 'onOpen'> & { form?: ManifestForm | undefined };

const untouched: Entry = {};

export const InputRows = ({
  inputs,
  form,
  entries,
  planMessages,
  showErrors,
  onChange,
  canUseOutputs = false,
}: Props) => (
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
        canUseOutputs={canUseOutputs}
      />
    ))}
  </div>
);
