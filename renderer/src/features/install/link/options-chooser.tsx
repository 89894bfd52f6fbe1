import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { OptionsLink } from '#shared/sources/install-link';
import { readSourceOptions, type SourceOption, type SourceOptionsProblem } from '#shared/sources/source-options';
import { ApiError, api } from '../../../api/client.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { addressText } from '../../../ui/address.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { bytesText } from '../../../ui/number-text.ts';
import { Card, Note, Skeleton } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { AddressParts } from '../address-preview.tsx';
import { useArrivalFocus } from '../arrival-focus.ts';
import { Code } from './host.tsx';
import { linkOfOption, type Reading, splitFile } from './options-document.ts';

type ResolvedSnapshot = { sourceSnapshotId: string; resolvedCommit: string };
type Props = { link: OptionsLink; reading: Reading; snapshot: ResolvedSnapshot };

/** The document of one immutable commit, by its exact bytes, and the sources it offers. */
export function OptionsChooser({ link, reading, snapshot }: Props) {
  const { sourceId } = reading.look;
  const { sourceSnapshotId } = snapshot;
  const file = useQuery({
    queryKey: ['snapshot_file', sourceSnapshotId, link.path],
    queryFn: async () => {
      const query = { path: splitFile(link.path).file };
      return (await api.getSnapshotFile({ params: { sourceId, sourceSnapshotId }, query })).body;
    },
    // A snapshot never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const t = useText();
  if (file.isPending)
    return (
      <Card>
        <Skeleton lines={5} />
      </Card>
    );
  const identity = <Identity link={link} tag={reading.tag} commit={snapshot.resolvedCommit} file={file.data} />;
  if (file.isError) {
    const isMissing = file.error instanceof ApiError && file.error.status === 404;
    return (
      <>
        {identity}
        {isMissing ? (
          <Note tone="bad" title={t('options.missing')}>
            {t('options.missingText')}
          </Note>
        ) : (
          <ErrorNote error={file.error} onAgain={() => void file.refetch()} />
        )}
      </>
    );
  }
  const read = readSourceOptions(file.data.text);
  if (!read.ok) {
    return (
      <>
        {identity}
        <Problems problems={read.problems} />
      </>
    );
  }
  const { metadata, options } = read.document;
  return (
    <>
      <Options title={metadata.title} description={metadata.description} options={options} />
      {identity}
    </>
  );
}

type IdentityProps = {
  link: OptionsLink;
  tag: string | undefined;
  commit: string;
  file: { digest: string; sizeBytes: number } | undefined;
};

/** Digest and origin of the document, so that two users can compare what they see. */
function Identity({ link, tag, commit, file }: IdentityProps) {
  const t = useText();
  const requested = { term: t('options.requested'), value: <Code>{visibleText(link.ref ?? '')}</Code> };
  const resolved = { term: t('options.tag'), value: <Code>{visibleText(tag ?? '')}</Code> };
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('options.document')}</h2>
      <Facts
        items={[
          { term: t('install.repository'), value: <Code>{addressText(link.git)}</Code> },
          tag === undefined ? requested : resolved,
          { term: t('install.commit'), value: <Copied text={commit} what={t('install.commit')} /> },
          { term: t('options.file'), value: <Code>{visibleText(link.path)}</Code> },
          ...(file
            ? [
                { term: t('options.digest'), value: <Copied text={file.digest} what={t('options.digest')} /> },
                { term: t('options.size'), value: bytesText(file.sizeBytes) },
              ]
            : []),
        ]}
      />
    </Card>
  );
}

const Copied = ({ text, what }: { text: string; what: string }) => (
  <span className="inline-flex max-w-full items-start gap-0.5">
    <Code>{text}</Code>
    <CopyButton text={text} what={what} />
  </span>
);

type OptionsProps = { title: string; description: string | undefined; options: readonly SourceOption[] };

function Options({ title, description, options }: OptionsProps) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const navigate = useNavigate();
  const heading = useArrivalFocus<HTMLHeadingElement>();
  const choose = useMutation({
    mutationFn: (option: SourceOption) => linkOfOption(workspaceId, option),
    onSuccess: (search) => navigate({ to: '/new', search }),
  });
  return (
    <Card>
      <div className="border-b border-line px-4 py-3">
        <h2 ref={heading} tabIndex={-1} className="font-semibold break-words outline-none">
          {visibleText(title)}
        </h2>
        {description !== undefined && (
          <p className="mt-1 max-w-prose break-words whitespace-pre-line text-muted">{visibleText(description)}</p>
        )}
      </div>
      <ul aria-label={t('options.offered', { count: options.length })} className="divide-y divide-line">
        {options.map((option) => (
          <li key={option.id} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 px-4 py-3">
            <OptionText option={option} />
            <Button
              busy={choose.isPending && choose.variables.id === option.id}
              disabled={choose.isPending}
              aria-label={t('options.chooseThis', { title: visibleText(option.title) })}
              onClick={() => choose.mutate(option)}
            >
              {t('options.choose')}
            </Button>
          </li>
        ))}
      </ul>
      {choose.isError && (
        <div className="border-t border-line p-4">
          <ErrorNote error={choose.error} />
        </div>
      )}
    </Card>
  );
}

function OptionText({ option: { title, description, source } }: { option: SourceOption }) {
  const t = useText();
  const { url, ref, path } = source;
  return (
    <div className="min-w-0 flex-1 basis-72">
      <p className="font-medium break-words">{visibleText(title)}</p>
      {description !== undefined && (
        <p className="max-w-prose break-words whitespace-pre-line text-muted">{visibleText(description)}</p>
      )}
      <dl className="mt-1 flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <AddressParts
          address={{ url, ref: ref ?? 'HEAD', path }}
          {...(ref === undefined && { refText: t('options.stable') })}
        />
      </dl>
    </div>
  );
}

function Problems({ problems }: { problems: readonly SourceOptionsProblem[] }) {
  const t = useText();
  return (
    <Note tone="bad" title={t('options.refused')}>
      <p>{t('options.refusedText')}</p>
      <ul className="mt-2 flex max-h-72 list-disc flex-col gap-1 overflow-auto pl-5">
        {problems.map(({ pointer, code }) => (
          <li key={`${pointer} ${code}`} className="break-words">
            <Code>{pointer || t('manifest.root')}</Code> {t(`manifest.problem.${code}`)}
          </li>
        ))}
      </ul>
    </Note>
  );
}
