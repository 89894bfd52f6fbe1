import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { SubjectRef } from '#shared/interfaces/contract';
import { capsuleNamesQuery } from '../../api/links.ts';
import { membersQuery } from '../../api/members.ts';
import { useSession, useWorkspaceId } from '../../api/session.tsx';
import { formResourceNamesQuery } from '../../components/interfaces/form-resource-name.ts';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Props = { subject: SubjectRef | undefined; onChange: (subject: SubjectRef | undefined) => void; isWrong: boolean };

const textOf = ({ kind, id }: SubjectRef): string => `${kind} ${id}`;

/** Reads the value of an option. */
function readSubject(text: string): SubjectRef | undefined {
  const [kind, id] = text.split(' ');
  return id !== undefined && (kind === 'Principal' || kind === 'Capsule' || kind === 'Resource')
    ? { kind, id }
    : undefined;
}

/** Chooses one of the people, Capsules and Resources of the Workspace. */
export function SubjectChoice({ subject, onChange, isWrong }: Props) {
  const t = useText();
  const who = useWho();
  const id = useId();
  const workspaceId = useWorkspaceId();
  const own = useSession().data?.session.subject;
  const members = useQuery(membersQuery(workspaceId)).data ?? [];
  const capsules = useQuery(capsuleNamesQuery(workspaceId)).data ?? [];
  const formResources = useQuery(formResourceNamesQuery(workspaceId)).data ?? [];
  const people = members.filter(({ status }) => status === 'active');
  const nameOf = ({ accountId, displayName, email }: (typeof people)[number]): string =>
    accountId === own ? t('interfaces.grant.you') : visibleText(displayName ?? email ?? who(accountId));
  return (
    <Labelled id={id} label={t('interfaces.grant.who')} problem={isWrong ? t('interfaces.grant.who.wrong') : undefined}>
      <select
        id={id}
        name="subjectRef"
        className={inputClass}
        value={subject ? textOf(subject) : ''}
        aria-invalid={isWrong || undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(readSubject(target.value))}
      >
        <option value="">{t('interfaces.grant.choose')}</option>
        <optgroup label={t('interfaces.grant.people')}>
          {people.map((member) => (
            <option key={member.accountId} value={textOf({ kind: 'Principal', id: member.accountId })}>
              {nameOf(member)}
            </option>
          ))}
        </optgroup>
        {capsules.length > 0 && (
          <optgroup label={t('nav.capsules')}>
            {capsules.map(({ capsuleId, name, environment }) => (
              <option key={capsuleId} value={textOf({ kind: 'Capsule', id: capsuleId })}>
                {environment === 'default' ? visibleText(name) : `${visibleText(name)} (${environment})`}
              </option>
            ))}
          </optgroup>
        )}
        {formResources.length > 0 && (
          <optgroup label={t('interfaces.grant.formResources')}>
            {formResources.map((one) => (
              <option key={one.id} value={textOf({ kind: 'Resource', id: one.id })}>
                {one.name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </Labelled>
  );
}
