import { type FormEvent, useId, useRef, useState } from 'react';
import { type Role, roles } from '#shared/permissions';
import type { Member } from '#shared/workspaces/contract';
import type { Invitation } from '#shared/workspaces/members-api';
import { ApiError } from '../../api/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { readLanguage, useText } from '../../i18n/text.ts';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { memberName } from './role-texts.ts';

export type Added = { member: Member; invitation?: Invitation | undefined };
type Adding = { run: (email: string, role: Role) => Promise<Added | undefined>; isBusy: boolean; error?: unknown };

/** Adds a member by e-mail. Roles that the current user may not assign are not offered. */
export function AddMember({ adding, isOwner }: { adding: Adding; isOwner: boolean }) {
  const t = useText();
  const id = useId();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isMissing = !/^\s*[^@\s]+@[^@\s]+\s*$/.test(email);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (isMissing) return focusInvalid(form.current);
    if (!(await adding.run(email, role))) return;
    setEmail('');
    setShowErrors(false);
  };
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('members.add')}</h2>
      <form ref={form} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4 p-4">
        <p className="text-muted">{t('members.add.text')}</p>
        <div className="grid items-start gap-4 sm:grid-cols-[1fr_auto]">
          <Labelled
            id={`${id}-email`}
            label={t('members.add.email')}
            problem={showErrors && isMissing ? t('members.add.missing') : undefined}
          >
            <input
              id={`${id}-email`}
              type="email"
              autoComplete="off"
              value={email}
              onChange={(event) => setEmail(event.target.value)}
              aria-invalid={(showErrors && isMissing) || undefined}
              aria-describedby={`${id}-email-help`}
              className={inputClass}
            />
          </Labelled>
          <Labelled id={`${id}-role`} label={t('members.add.role')} help={t(`members.role.${role}.text`)}>
            <select
              id={`${id}-role`}
              value={role}
              onChange={(event) => setRole(roles.find((one) => one === event.target.value) ?? 'member')}
              aria-describedby={`${id}-role-help`}
              className={inputClass}
            >
              {roles
                .filter((one) => isOwner || one !== 'owner')
                .map((one) => (
                  <option key={one} value={one}>
                    {t(`members.role.${one}`)}
                  </option>
                ))}
            </select>
          </Labelled>
        </div>
        <FormEnd save={adding} refusal={<Refusal error={adding.error} />} label={t('members.add.do')} />
      </form>
    </Card>
  );
}

function Refusal({ error }: { error: unknown }) {
  const t = useText();
  if (error === undefined) return null;
  if (error instanceof ApiError && error.code === 'not_found')
    return <Note tone="bad">{t('members.add.unknown')}</Note>;
  return <ErrorNote error={error} />;
}

/** Result of adding: a member, or an invitation link that is shown once. */
export function AddedNote({ added: { member, invitation } }: { added: Added }) {
  const t = useText();
  const name = memberName(member);
  if (!invitation) return <Note>{t('members.added', { name })}</Note>;
  const until = new Date(invitation.expiresAt).toLocaleString(readLanguage(), {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return (
    <Note title={t('members.invited', { name })}>
      <p>{t('members.invited.text', { until })}</p>
      <div className="mt-2 flex items-start gap-1">
        <code data-testid="invitation" className="min-w-0 rounded bg-card px-2 py-1 font-mono text-sm break-all">
          {invitation.url}
        </code>
        <CopyButton text={invitation.url} what={t('members.link')} />
      </div>
    </Note>
  );
}
