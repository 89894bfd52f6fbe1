import { type FormEvent, useId, useState } from 'react';
import type { PolicyConfig, Workspace } from '#shared/workspaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { useMay } from '../../api/role.ts';
import { Allowed } from '../../components/allowed.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { SectionTitle } from '../../components/section-title.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Labelled, Problem, TextArea, ViewSwitch } from '../../ui/controls.tsx';
import { Card } from '../../ui/surface.tsx';
import { invalidateWorkspace } from './clear-workspace.ts';
import { draftOf, type PolicyDraft, policyOf, readPolicy } from './policy-draft.ts';

type View = 'form' | 'json';

/** Policy of the Workspace: the common settings as a form, or all of it as JSON. */
export function Policy({ workspace }: { workspace: Workspace }) {
  const [view, setView] = useState<View>('form');
  // The key resets the editor when a new policy was saved; the selected view stays.
  return <PolicyEditor key={textOf(workspace.policy ?? {})} workspace={workspace} view={view} onView={setView} />;
}

type Props = { workspace: Workspace; view: View; onView: (view: View) => void };

function PolicyEditor({ workspace, view, onView }: Props) {
  const t = useText();
  const was = workspace.policy ?? {};
  const [policy, setPolicy] = useState<PolicyConfig>(was);
  const [text, setText] = useState(() => textOf(was));
  const written = view === 'json' ? readPolicy(text) : policy;
  const save = useIntent(async (keyOf) => {
    if (!written) return;
    const params = { workspaceId: workspace.id };
    await api.updateWorkspace({ params, body: { policy: written } }, keyOf(textOf(written)));
    invalidateWorkspace();
  });
  const show = (next: View) => {
    if (next === 'json') setText(textOf(policy));
    else if (written) setPolicy(written);
    // A text that is not a policy has no form.
    if (written) onView(next);
  };
  const may = useMay();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  const choices = [
    { value: 'form', text: t('workspace.policy.form') },
    { value: 'json', text: t('workspace.policy.json') },
  ] as const;
  return (
    <Card className="p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <SectionTitle id="policy" />
        <ViewSwitch label={t('workspace.policy')} value={view} choices={choices} onChoose={show} />
      </div>
      <p className="mt-1 text-muted">{t('workspace.policy.text')}</p>
      <form noValidate onSubmit={submit} className="mt-3 flex flex-col gap-3">
        <fieldset disabled={!may('updateWorkspace')} className="contents">
          {view === 'form' ? (
            <PolicyForm draft={draftOf(policy)} onChange={(draft) => setPolicy(policyOf(draft, policy))} />
          ) : (
            <div>
              <TextArea
                aria-label={t('workspace.policy')}
                lines={8}
                value={text}
                aria-invalid={written === undefined}
                onChange={({ target }) => setText(target.value)}
              />
              {written === undefined && <Problem>{t('workspace.policy.wrong')}</Problem>}
            </div>
          )}
        </fieldset>
        {save.error !== undefined && <ErrorNote error={save.error} />}
        <Allowed to="updateWorkspace">
          <Button
            type="submit"
            className="self-start"
            busy={save.isBusy}
            disabled={written === undefined || textOf(written) === textOf(was)}
          >
            {t('save')}
          </Button>
        </Allowed>
      </form>
    </Card>
  );
}

const textOf = (policy: PolicyConfig): string => JSON.stringify(policy, null, 2);

const lists: readonly [
  part: 'providers' | 'resources' | 'data' | 'provisioners' | 'required',
  label: TextId,
  help: TextId,
][] = [
  ['providers', 'workspace.policy.providers', 'workspace.policy.list'],
  ['resources', 'workspace.policy.resources', 'workspace.policy.list'],
  ['data', 'workspace.policy.data', 'workspace.policy.list'],
  ['provisioners', 'workspace.policy.provisioners', 'workspace.policy.list'],
  ['required', 'workspace.policy.required', 'workspace.policy.requiredHelp'],
];
const switches: readonly [part: 'second' | 'destroy', label: TextId][] = [
  ['second', 'workspace.policy.second'],
  ['destroy', 'workspace.policy.destroy'],
];

/** Lines are kept as typed and become a list when the policy is built. */
function PolicyForm({ draft: start, onChange }: { draft: PolicyDraft; onChange: (draft: PolicyDraft) => void }) {
  const t = useText();
  const id = useId();
  const [draft, setDraft] = useState(start);
  const change = (next: PolicyDraft) => {
    setDraft(next);
    onChange(next);
  };
  return (
    <>
      {switches.map(([part, label]) => (
        <label key={part} className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={draft[part]}
            onChange={({ target }) => change({ ...draft, [part]: target.checked })}
          />
          {t(label)}
        </label>
      ))}
      {lists.map(([part, label, help]) => (
        <Labelled key={part} id={`${id}-${part}`} label={t(label)} help={t(help)}>
          <TextArea
            id={`${id}-${part}`}
            lines={2}
            value={draft[part]}
            aria-describedby={`${id}-${part}-help`}
            onChange={({ target }) => change({ ...draft, [part]: target.value })}
          />
        </Labelled>
      ))}
    </>
  );
}
