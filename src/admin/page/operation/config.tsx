/** The running config: which one it is, what is wrong with the last one that was tried, and what the next one would change. */
import type { LoadedConfig } from '../../../ledger/archive/archive.ts';
import type { ReloadPreview, ReloadStatus, RunningProcess } from '../../services.ts';
import { PostButton } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { DefinitionList, Table } from '../parts/table.tsx';
import { Code, Foreign, ForeignBlock, Link } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { useReader } from '../use-reader.ts';
import type { View } from '../view.ts';
import { Problems } from './problems.tsx';
import { ReloadChanges } from './reload-changes.tsx';

export const configView: View = async ({ query, reader, services }) => {
  const { reloading, archive } = services;
  const [processes, configs] = await Promise.all([reloading.processes(), archive.configs()]);
  const data: ConfigData = {
    status: reloading.status,
    processes,
    configs,
    text: reloading.configText(),
    // It looks at many callbacks: only where somebody asks for it.
    preview: query.get('preview') === '1' ? await reloading.preview() : undefined,
  };
  return { title: reader.t('config.title'), section: 'config', body: <RunningConfig data={data} /> };
};

interface ConfigData {
  readonly status: ReloadStatus;
  readonly processes: readonly RunningProcess[];
  /** The newest first. */
  readonly configs: readonly LoadedConfig[];
  /** YAML without any secret. */
  readonly text: string;
  readonly preview: ReloadPreview | undefined;
}

interface ConfigProps {
  readonly data: ConfigData;
}

function RunningConfig({ data }: ConfigProps) {
  const { t } = useReader();
  const { status, preview, processes, text } = data;
  return (
    <>
      <Head title={t('config.title')} lead={t('config.lead')} />
      <Failure status={status} />
      <InForce status={status} />
      {preview === undefined ? null : <ReloadChanges preview={preview} />}
      {processes.length < 2 ? null : <Processes data={data} />}
      <Section title={t('config.text')} aside={t('config.textLead')}>
        <ForeignBlock text={text} label={status.file} />
      </Section>
      <History data={data} />
    </>
  );
}

interface StatusProps {
  readonly status: ReloadStatus;
}

function Failure({ status: { failure } }: StatusProps) {
  const { t } = useReader();
  if (failure === undefined) return null;
  const title = <Status tone="bad" word={t('config.failed')} />;
  return (
    <Section className="failed" title={title} aside={<Time at={failure.at} />}>
      <p>{t('config.failedLead')}</p>
      <Problems problems={failure.problems} />
    </Section>
  );
}

function InForce({ status: { file, configHash, loadedAt, warnings, unchanged } }: StatusProps) {
  const { t } = useReader();
  const terms = [
    { term: t('config.file'), details: <Code text={file} /> },
    { term: t('config.hash'), details: <Hash hash={configHash} /> },
    { term: t('config.loaded'), details: <Time at={loadedAt} as="instant" /> },
    unchanged.length > 0
      ? { term: t('config.unchanged'), details: <Code text={unchanged.join(', ')} /> }
      : undefined,
  ];
  return (
    <Section title={t('config.inForce')}>
      <DefinitionList terms={terms} />
      <Problems problems={warnings} />
      <div class="actions">
        <PostButton action="/act/reload" back="/config" word={t('config.reload')} />
        <Link to="/config?preview=1">{t('config.preview')}</Link>
      </div>
    </Section>
  );
}

const HASH_SHOWN = 12;

function Hash({ hash }: { readonly hash: string }) {
  return <Code text={hash.slice(0, HASH_SHOWN)} />;
}

function Processes({ data: { processes, status } }: ConfigProps) {
  const { t } = useReader();
  return (
    <Section title={t('config.processes')}>
      <p class="quiet">{t('config.processesLead')}</p>
      <Table
        caption={t('config.processes')}
        columns={[
          { head: t('config.name'), kind: 'main', cell: ({ name }) => <Foreign text={name} /> },
          { head: '', cell: ({ isThis }) => (isThis ? t('config.this') : '') },
          {
            head: t('config.hash'),
            cell: ({ configHash }) => (
              <>
                <Same isSame={configHash === status.configHash} /> <Hash hash={configHash} />
              </>
            ),
          },
          { head: t('config.loaded'), cell: ({ loadedAt }) => <Time at={loadedAt} /> },
          { head: t('config.seen'), cell: ({ seenAt }) => <Time at={seenAt} /> },
        ]}
        rows={processes}
        keyOf={({ name }) => name}
        empty=""
      />
    </Section>
  );
}

function Same({ isSame }: { readonly isSame: boolean }) {
  const { t } = useReader();
  return isSame ? (
    <Status tone="good" word={t('config.same')} />
  ) : (
    <Status tone="wait" word={t('config.differs')} />
  );
}

function History({ data: { configs } }: ConfigProps) {
  const { t } = useReader();
  return (
    <details class="panel">
      <summary>{t('config.history')}</summary>
      <Table
        caption={t('config.history')}
        columns={[
          {
            head: t('config.loaded'),
            kind: 'main',
            cell: ({ loadedAt }) => <Time at={loadedAt} as="instant" />,
          },
          { head: t('config.hash'), cell: ({ hash }) => <Hash hash={hash} /> },
        ]}
        rows={configs}
        keyOf={({ loadedAt, hash }) => `${loadedAt} ${hash}`}
        empty={t('never')}
      />
    </details>
  );
}
