import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { findDesktop } from '#shared/desktop';
import { isRelativePath } from '#shared/relative-path';
import { isGitRef } from '#shared/sources/git-address';
import { installLinkSearch } from '#shared/sources/link-address';
import { parseSearch } from '../../api/address-search.ts';
import { clearInspectionRequest, isInspectionRequested } from '../../api/requested-inspection.ts';
import { capabilitiesQuery, useToolStatus } from '../../api/runner.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Help, inputClass, Labelled, Problem } from '../../ui/controls.tsx';
import { Card } from '../../ui/surface.tsx';
import { type Address, isSound, type Reading, type Refusal, readAddress } from './address.ts';
import { AddressPreview } from './address-preview.tsx';
import { type Inspection, inspectAddress, readTyped, saveTyped } from './inspection.ts';

type Props = {
  /** An address that was inspected before, or an unparsed text from outside. */
  initial: Address | string | undefined;
  onInspect: (inspection: Inspection) => void;
  onBack?: () => void;
};

type Parts = { ref?: string; path?: string };

/** Form for a Git address. It shows the parsed address before anything is fetched. */
export function AddressForm({ initial, onInspect, onBack }: Props) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(() => (typeof initial === 'object' ? initial.url : (initial ?? readTyped())));
  const [parts, setParts] = useState<Parts>(() => (typeof initial === 'object' ? partsOf(initial) : {}));
  const [showErrors, setShowErrors] = useState(false);
  const capabilities = useQuery(capabilitiesQuery);
  const toolStatus = useToolStatus();
  const git = capabilities.data?.git;
  const reading = readAddress(text, { allowLoopback: git?.loopbackHttp ?? true, allowLocal: git?.file ?? true });
  const address = reading.kind === 'readable' ? { ...reading.address, ...parts } : undefined;
  const inspect = useMutation({
    mutationFn: (input: Address) => inspectAddress(workspaceId, input),
    onSuccess: (inspection) => {
      saveTyped('');
      onInspect(inspection);
    },
  });
  useEffect(() => {
    field.current?.focus();
    clearInspectionRequest();
  }, []);
  const [isRequested, setRequested] = useState(() => typeof initial === 'string' && isInspectionRequested(initial));
  useEffect(() => {
    if (!isRequested || toolStatus !== 'ready' || !address || !isSound(address)) return;
    setRequested(false);
    inspect.mutate(address);
  });

  const desktop = findDesktop(window);
  const chooseFolder = async () => {
    const folder = await desktop?.openFolder();
    if (folder) change(folder);
  };
  const change = (typed: string) => {
    setText(typed);
    saveTyped(typed);
    setParts({});
    inspect.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const link = installLinkSearch(text);
    if (link !== undefined) return void navigate({ to: '/new', search: parseSearch(link) });
    setShowErrors(true);
    if (address && isSound(address)) return inspect.isPending ? undefined : inspect.mutate(address);
    field.current?.focus();
  };
  const problem = problemOf(reading, showErrors);
  return (
    <Card className="p-4">
      <form noValidate onSubmit={submit}>
        <label htmlFor="address" className="mb-1 block font-semibold">
          {t('install.address')}
        </label>
        <div className="flex flex-wrap gap-2">
          <input
            ref={field}
            id="address"
            type="text"
            inputMode="url"
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            className={`${inputClass} min-w-0 flex-[1_1_20rem] font-mono`}
            placeholder="https://github.com/owner/repository"
            value={text}
            aria-invalid={problem !== undefined || undefined}
            aria-describedby="address-help"
            onChange={(event) => change(event.target.value)}
          />
          <Button type="submit" variant="primary" busy={inspect.isPending} disabled={toolStatus === 'missing'}>
            {t('install.look')}
          </Button>
          {desktop && <Button onClick={() => void chooseFolder()}>{t('install.folder')}</Button>}
          {onBack && <Button onClick={onBack}>{t('install.back')}</Button>}
        </div>
        <div id="address-help">
          {problem && <Problem>{t(problem)}</Problem>}
          <Help>{t('install.addressHelp')}</Help>
        </div>
        {address && (
          <AddressPreview reading={reading} address={address}>
            <More address={address} onChange={(change) => setParts({ ...parts, ...change })} />
          </AddressPreview>
        )}
      </form>
      {inspect.isError && (
        <div className="mt-3">
          <ErrorNote error={inspect.error} />
        </div>
      )}
    </Card>
  );
}

const partsOf = ({ ref, path }: Address): Parts => ({
  ...(ref !== 'HEAD' && { ref }),
  ...(path !== '.' && { path }),
});

const refusals = {
  git_url_not_plain: 'install.refused.git_url_not_plain',
  git_url_credentials: 'install.refused.git_url_credentials',
  git_ssh_not_supported: 'install.refused.git_ssh_not_supported',
  git_scheme_not_supported: 'install.refused.git_scheme_not_supported',
  git_host_not_allowed: 'install.refused.git_host_not_allowed',
  git_http_not_allowed: 'install.refused.git_http_not_allowed',
  git_file_not_allowed: 'install.refused.git_file_not_allowed',
} as const satisfies Partial<Record<Refusal, TextId>>;

/**
 * Returns the problem of a typed address. An incomplete one has a problem only after a submit; an unsupported one has
 * it at once.
 */
function problemOf(reading: Reading, showErrors: boolean): TextId | undefined {
  if (reading.kind === 'refused') {
    const { reason } = reading;
    if (!showErrors && reason === 'git_url_not_plain') return undefined;
    return refusals[reason as keyof typeof refusals] ?? 'install.addressUnreadable';
  }
  if (!showErrors) return undefined;
  if (reading.kind === 'empty') return 'install.addressEmpty';
  return reading.kind === 'unreadable' ? 'install.addressUnreadable' : undefined;
}

function More({ address, onChange }: { address: Address; onChange: (change: Parts) => void }) {
  const t = useText();
  const refProblem = isGitRef(address.ref) ? undefined : t('install.refWrong');
  const pathProblem = isRelativePath(address.path) ? undefined : t('install.pathWrong');
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="mt-2"
      open={isOpen || refProblem !== undefined || pathProblem !== undefined}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="w-fit cursor-pointer text-sm font-medium text-accent">{t('install.moreAddress')}</summary>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        <Labelled id="address-ref" label={t('install.ref')} problem={refProblem} help={t('install.refHelp')}>
          <input
            id="address-ref"
            className={`${inputClass} font-mono`}
            value={address.ref}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={refProblem !== undefined || undefined}
            aria-describedby="address-ref-help"
            onChange={(event) => onChange({ ref: event.target.value })}
          />
        </Labelled>
        <Labelled id="address-path" label={t('install.path')} problem={pathProblem} help={t('install.pathHelp')}>
          <input
            id="address-path"
            className={`${inputClass} font-mono`}
            value={address.path}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={pathProblem !== undefined || undefined}
            aria-describedby="address-path-help"
            onChange={(event) => onChange({ path: event.target.value })}
          />
        </Labelled>
      </div>
    </details>
  );
}
