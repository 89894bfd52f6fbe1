import { type FormEvent, useId, useState } from 'react';
import { DisplayName, Handle, slugOf } from '#shared/kernel/scalars';
import { chooseWorkspace } from '../../api/chosen-workspace.ts';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';

/** Makes a Workspace and goes there. */
export function NewWorkspace({ onCancel }: { onCancel: () => void }) {
  const t = useText();
  const id = useId();
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string>();
  // Until one is typed, the handle follows the name; 39 characters is the longest there is.
  const handle = typed ?? (/[a-z0-9]/i.test(name) ? slugOf(name).slice(0, 39).replace(/-+$/, '') : '');
  const [isChecked, setChecked] = useState(false);
  const isHandleRight = Handle.safeParse(handle).success;
  const isNameRight = name.trim() === '' || DisplayName.safeParse(name.trim()).success;
  const make = useIntent(async (keyOf) => {
    const body = { handle, ...(name.trim() !== '' && { displayName: name.trim() }) };
    const made = await api.createWorkspace({ body }, keyOf(JSON.stringify(body)));
    chooseWorkspace(made.body.workspace.id);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (isHandleRight && isNameRight) void make.run();
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Labelled
        id={`${id}-name`}
        label={t('workspaces.name')}
        problem={isChecked && !isNameRight ? t('workspaces.name.wrong') : undefined}
      >
        <input
          id={`${id}-name`}
          value={name}
          autoComplete="off"
          aria-invalid={isChecked && !isNameRight}
          aria-describedby={`${id}-name-help`}
          onChange={({ target }) => setName(target.value)}
          className={inputClass}
        />
      </Labelled>
      <Labelled
        id={`${id}-handle`}
        label={t('workspaces.handle')}
        help={t('workspaces.handle.help')}
        problem={isChecked && !isHandleRight ? t('workspaces.handle.wrong') : undefined}
      >
        <input
          id={`${id}-handle`}
          value={handle}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isChecked && !isHandleRight}
          aria-describedby={`${id}-handle-help`}
          onChange={({ target }) => setTyped(target.value)}
          className={inputClass}
        />
      </Labelled>
      {make.error !== undefined && <ErrorNote error={make.error} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={make.isBusy}>
          {t('workspaces.make')}
        </Button>
        <Button onClick={onCancel} disabled={make.isBusy}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}
