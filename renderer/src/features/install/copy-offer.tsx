import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { isRelativePath } from '#shared/relative-path';
import { copyUrl } from '#shared/sources/copy-address';
import { api } from '../../api/client.ts';
import { copiesOfAddressQuery, showRevision } from '../../api/copies.ts';
import { useIntent } from '../../api/intent.ts';
import { requestInspection } from '../../api/requested-inspection.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Help, inputClass, Problem } from '../../ui/controls.tsx';
import { FolderName } from '../../ui/lane.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import type { Inspection } from './inspection.ts';

type Props = {
  inspection: Inspection;
  snapshotId: string;
  /** The chosen module, relative to the path of the snapshot; undefined to offer all modules or one of them. */
  modulePath: string | undefined;
  /** True when other findings refuse a copy of all modules. */
  isOneOnly?: boolean;
};

/** Way on for modules that call modules elsewhere: a copy that exists, or a new one by owners and admins. */
export function CopyOffer(props: Props) {
  const t = useText();
  const may = useMay();
  return (
    <section aria-label={t('copies.offer')} className="flex flex-col gap-3">
      <div>
        <h3 className="font-semibold">{t('copies.offer')}</h3>
        <p className="max-w-2xl text-sm">{t('copies.offer.text')}</p>
      </div>
      <ExistingCopies address={props.inspection.address} />
      {may('createCopy') ? <NewCopy {...props} /> : <p className="text-sm text-muted">{t('copies.offer.role')}</p>}
    </section>
  );
}

function ExistingCopies({ address }: { address: Inspection['address'] }) {
  const t = useText();
  const { data: copies = [] } = useQuery(copiesOfAddressQuery(useWorkspaceId(), address));
  return copies.map(({ id, name, modulePath }) => (
    <p key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span className="min-w-0">
        {t('copies.offer.existing')}{' '}
        <Link to="/copies/$id" params={{ id }} className="font-medium break-all text-accent underline">
          {visibleText(name)}
        </Link>{' '}
        {modulePath === undefined ? t('copies.allModules') : <FolderName path={modulePath} />}
      </span>
      <Link
        to="/new"
        search={{ url: copyUrl(id) }}
        onClick={() => requestInspection(copyUrl(id))}
        className={buttonClass()}
      >
        {t('copies.install')}
        <span className="sr-only">: {visibleText(name)}</span>
      </Link>
    </p>
  ));
}

function NewCopy({ inspection, snapshotId, modulePath, isOneOnly = false }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const workspaceId = useWorkspaceId();
  const [isOne, setOne] = useState(isOneOnly);
  const [folder, setFolder] = useState('');
  const [showErrors, setShowErrors] = useState(false);
  const chosen = modulePath ?? (isOne ? folder.trim().replace(/\/+$/, '') : undefined);
  const isWrong = chosen !== undefined && !isRelativePath(chosen);
  const create = useIntent(async (keyOf, path: string | undefined) => {
    const body = {
      sourceId: inspection.sourceId,
      sourceSnapshotId: snapshotId,
      ...(path !== undefined && { modulePath: path }),
    };
    const answer = await api.createCopy({ params: { workspaceId }, body }, keyOf(`copy ${path ?? ''}`));
    const { revision } = answer.body;
    showRevision(revision);
    const params = { id: revision.copyId, revisionId: revision.id };
    await navigate({ to: '/copies/$id/revisions/$revisionId', params });
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (!isWrong) void create.run(chosen);
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3">
      {modulePath === undefined && (
        <fieldset className="flex flex-col gap-1.5">
          <legend className="sr-only">{t('copies.offer.which')}</legend>
          {isOneOnly ? (
            <Help>{t('copies.offer.oneOnly')}</Help>
          ) : (
            <>
              <Choice isChosen={!isOne} onChoose={() => setOne(false)} text={t('copies.offer.all')} />
              <Choice isChosen={isOne} onChoose={() => setOne(true)} text={t('copies.offer.one')} />
            </>
          )}
          {isOne && (
            <div className="max-w-md">
              <label htmlFor="copy-folder" className="mb-1 block text-sm font-medium">
                {t('copies.offer.folder')}
              </label>
              <input
                id="copy-folder"
                className={`${inputClass} font-mono`}
                value={folder}
                placeholder="modules/network"
                spellCheck={false}
                autoComplete="off"
                aria-invalid={(showErrors && isWrong) || undefined}
                aria-describedby="copy-folder-help"
                onChange={(event) => setFolder(event.target.value)}
              />
              <div id="copy-folder-help">
                {showErrors && isWrong && <Problem>{t('copies.offer.folderWrong')}</Problem>}
                <Help>{t('copies.offer.folderHelp')}</Help>
              </div>
            </div>
          )}
        </fieldset>
      )}
      {create.error !== undefined && <ErrorNote error={create.error} />}
      <Button type="submit" variant="primary" className="self-start" busy={create.isBusy}>
        {t('copies.offer.do')}
      </Button>
    </form>
  );
}

type ChoiceProps = { isChosen: boolean; onChoose: () => void; text: string };

const Choice = ({ isChosen, onChoose, text }: ChoiceProps) => (
  <label className="flex cursor-pointer items-start gap-2 py-1 text-sm">
    <input
      type="radio"
      name="copied-modules"
      checked={isChosen}
      onChange={onChoose}
      className="mt-0.5 size-4 shrink-0 accent-accent"
    />
    {text}
  </label>
);
