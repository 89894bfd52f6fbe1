import { changeThenFocus } from './change-focus.ts';
import type { Entry, Input } from './entry.ts';
import { OutputChooser } from './output-chooser.tsx';
import { OutputShown } from './output-shown.tsx';

/** True while an Output fills the input, or is chosen for it. */
export const usesOutput = ({ output, isChoosing }: Entry): boolean => output !== undefined || isChoosing === true;

type Props = { input: Input; entry: Entry; showErrors: boolean; onChange: (change: Entry) => void };

/** The Output of an input in place of its control: chosen, or being chosen. */
export function OutputControl({ input, entry, showErrors, onChange }: Props) {
  const { output, isChoosing, isStored = false } = entry;
  const change = (changed: Entry) => changeThenFocus(() => onChange(changed), `input-${input.declared.name}`);
  if (isChoosing || !output)
    return (
      <OutputChooser
        input={input}
        choice={output}
        showErrors={showErrors}
        onUse={(chosen) => change({ output: chosen, isChoosing: false })}
        onCancel={() => change({ isChoosing: false })}
      />
    );
  return (
    <OutputShown
      input={input}
      choice={output}
      isStored={isStored}
      onChange={() => change({ isChoosing: true })}
      onBack={() => change({ output: undefined })}
    />
  );
}
