import { type FormEvent, useState } from 'react';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { Card } from '../../ui/surface.tsx';
import { readFolder } from './module-path.ts';

/** Form for a folder that the list of modules does not contain. */
export function FolderForm({ onChoose }: { onChoose: (path: string) => void }) {
  const t = useText();
  const [text, setText] = useState('');
  const [hasProblem, setProblem] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const folder = readFolder(text);
    setProblem(folder === undefined);
    if (folder !== undefined) onChoose(folder);
  };
  return (
    <Card className="p-4">
      <form noValidate onSubmit={submit}>
        <Labelled
          id="module-folder"
          label={t('install.otherFolder')}
          help={t('install.otherFolderHelp')}
          problem={hasProblem ? t('install.otherFolderInvalid') : undefined}
        >
          <div className="flex flex-wrap gap-2">
            <input
              id="module-folder"
              type="text"
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              className={`${inputClass} min-w-0 flex-[1_1_14rem] font-mono`}
              placeholder="examples/complete"
              value={text}
              aria-invalid={hasProblem || undefined}
              aria-describedby="module-folder-help"
              onChange={(event) => setText(event.target.value)}
            />
            <Button type="submit">{t('install.useFolder')}</Button>
          </div>
        </Labelled>
      </form>
    </Card>
  );
}
