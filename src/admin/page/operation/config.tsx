/** The running config: which one it is, what is wrong with the last one that was tried, and what the next one would change. */
import type { ReloadPreview, ReloadStatus, RunningProcess } from '../../services.ts';
import { PostButton } from '../parts/forms.tsx';
import { Head, Section } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { DefinitionList } from '../parts/table.tsx';
import { Code, ForeignBlock, Link } from '../parts/text.tsx';
import { Time } from '../parts/time.tsx';
import { useReader } from '../reader.ts';
import type { View } from '../view.ts';
import { Problems } from './problems.tsx';
import { ReloadChanges } from './reload-changes.tsx';

export const configView: View = async ({ query, reader, services }) => {
  const { reloading } = services;
  const data: ConfigData = {
    status: reloading.status,
    processes: await reloading.processes(),
    text: reloading.configText(),
    // It looks at many callbacks: only where somebody asks for it.
    preview: query.get('preview') === '1' ? await reloading.preview() : undefined,
  };
  return { title: reader.t('nav.config'), section: 'config', body: <RunningConfig data={data} /> };
};

interface ConfigData {
  readonly status: ReloadStatus;
  readonly processes: readonly RunningProcess[];
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
      <Head title={t('nav.config')} lead={t('config.lead')} />
      <Failure status={status} />
      <InForce status={status} />
      {preview === undefined ? null : <ReloadChanges preview={preview} />}
      {processes.length < 2 ? null : <Processes data={data} />}
      <Section title={t('config.text')} aside={t('config.textLead')}>
        <ForeignBlock text={text} label={status.file} />
      </Section>
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
  const terms = processes.map(({ name, isThis, configHash }) => {
    const isSame = configHash === status.configHash;
    const word = isSame ? t('config.same') : t('config.differs');
    return {
      term: isThis ? `${name} (${t('config.this')})` : name,
      details: (
        <>
          <Status tone={isSame ? 'good' : 'wait'} word={word} /> <Hash hash={configHash} />
        </>
      ),
    };
  });
  return (
    <Section title={t('config.processes')}>
      <p class="quiet">{t('config.processesLead')}</p>
      <DefinitionList terms={terms} />
    </Section>
  );
}
