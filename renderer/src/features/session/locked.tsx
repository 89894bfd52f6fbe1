import { Lock } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { findDesktop } from '#shared/desktop';
import type { SealReason, VaultStatus } from '#shared/keys/contract';
import { ApiError, api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { sealReasonOf } from '../../api/sealed.ts';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { ShellCommand } from '../../components/shell-command.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Labelled, SecretInput } from '../../ui/controls.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Props = {
  /** The refusal that reported the sealed vault. */
  error: unknown;
  /** Asks the server again, after it was unsealed here or from a shell. */
  onOpen: () => void;
};

const isPassphraseNeeded = (reason: SealReason | undefined): boolean =>
  reason === 'passphrase_required' || reason === 'passphrase_wrong';

/**
 * Page shown while the vault is sealed: the reason, the remedy and the form to open it. No other page is available
 * then.
 */
export function Locked({ error, onOpen }: Props) {
  const t = useText();
  const [status, setStatus] = useState<VaultStatus>();
  const reason = status?.reason ?? sealReasonOf(error);
  return (
    <main className="mx-auto max-w-xl px-4 py-[8vh]">
      <title>{`${t('seal.title')} · Ground Control`}</title>
      <Card className="p-5">
        <h1 className="flex items-center gap-2 text-xl font-semibold">
          <Lock size={20} aria-hidden="true" /> {t('seal.title')}
        </h1>
        <p className="mt-2">{t(reason === undefined ? 'seal.why.unknown' : `seal.why.${reason}`)}</p>
        {status?.place !== undefined && !isPassphraseNeeded(reason) && (
          <p className="mt-1 text-sm text-muted">
            {t('seal.place')} <code className="font-mono text-[0.93em] break-all">{visibleText(status.place)}</code>
          </p>
        )}
        {reason === undefined && status?.message !== undefined && (
          <p lang="en" className="mt-1 text-sm break-words text-muted">
            {visibleText(status.message)}
          </p>
        )}
        <p className="mt-2 mb-4 text-muted">{t('seal.text')}</p>
        <Unseal needsPassphrase={isPassphraseNeeded(reason)} onStatus={setStatus} onOpen={onOpen} />
        {!findDesktop(window) && (
          <div className="mt-5 border-t border-line pt-4">
            <p className="text-muted">{t('seal.shell')}</p>
            <ShellCommand command="vault unseal" />
            <Button className="mt-3" onClick={onOpen}>
              {t('seal.look')}
            </Button>
          </div>
        )}
      </Card>
    </main>
  );
}

type UnsealProps = { needsPassphrase: boolean; onStatus: (status: VaultStatus) => void; onOpen: () => void };
type Problems = { token?: TextId; passphrase?: TextId };

/**
 * The operator token proves the right to open the vault: while it is sealed, no session can be checked. The window of the
 * desktop needs none.
 */
function Unseal({ needsPassphrase, onStatus, onOpen }: UnsealProps) {
  const t = useText();
  const desktop = findDesktop(window);
  const [token, setToken] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const [isStill, setStill] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const unseal = useIntent(async () => {
    const typed = needsPassphrase ? passphrase : undefined;
    const status = desktop ? await desktop.unseal(typed ?? '') : await unsealAsOperator(token.trim(), typed);
    if (!status?.sealed) return onOpen();
    if (typed !== undefined && status.reason === 'passphrase_wrong')
      return setProblems({ passphrase: 'seal.why.passphrase_wrong' });
    onStatus(status);
    setStill(true);
  });
  const refused = refusalOf(unseal.error);
  const shown: Problems = { ...problems, ...refused };
  const clear = () => {
    setProblems({});
    setStill(false);
    unseal.reset();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    clear();
    const missing: Problems = {
      ...(!desktop && !/^[\x21-\x7e]+$/.test(token.trim()) && { token: 'seal.token.missing' as const }),
      ...(needsPassphrase && passphrase === '' && { passphrase: 'seal.passphrase.missing' as const }),
    };
    setProblems(missing);
    if (Object.keys(missing).length === 0) await unseal.run();
    focusInvalid(form.current);
  };
  return (
    <form ref={form} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {!desktop && (
        <Field
          label={t('seal.token')}
          help={t('seal.token.help')}
          problem={shown.token}
          value={token}
          onText={(text) => {
            clear();
            setToken(text);
          }}
        />
      )}
      {needsPassphrase && (
        <Field
          label={t('seal.passphrase')}
          help={t('seal.passphrase.help')}
          problem={shown.passphrase}
          value={passphrase}
          onText={(text) => {
            clear();
            setPassphrase(text);
          }}
        />
      )}
      {isStill && <Note tone="warn" title={t('seal.still')} />}
      <FormEnd
        save={refused ? { isBusy: unseal.isBusy } : unseal}
        label={t(needsPassphrase ? 'seal.open' : 'seal.again')}
      />
    </form>
  );
}

/** Returns the state of a vault that stays sealed; undefined when it is open. */
async function unsealAsOperator(token: string, passphrase: string | undefined): Promise<VaultStatus | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await api.unsealVault({ body: passphrase === undefined ? {} : { passphrase } }, headers);
  return answer.body.sealed ? (await api.getVaultAsOperator({}, headers)).body.vault : undefined;
}

/** A refusal that belongs to one of the two fields. */
function refusalOf(error: unknown): Problems | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'unauthenticated') return { token: 'seal.token.wrong' };
  return error.code === 'invalid_credentials' ? { passphrase: 'seal.why.passphrase_wrong' } : undefined;
}

type FieldProps = {
  label: string;
  help: string;
  problem: TextId | undefined;
  value: string;
  onText: (text: string) => void;
};

function Field({ label, help, problem, value, onText }: FieldProps) {
  const t = useText();
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} problem={problem && t(problem)}>
      <SecretInput
        id={id}
        isLong={false}
        what={label}
        value={value}
        onText={onText}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={`${id}-help`}
      />
    </Labelled>
  );
}
