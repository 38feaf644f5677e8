/** The running config: which one it is, what is wrong with the last one that was tried, and what the next one would change. */
import type { LoadedConfig } from '../../../ledger/archive/archive.ts';
import type { ReloadPreview, ReloadStatus, RunningProcess } from '../../services.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { PostForm } from '../parts/forms.tsx';
import { Status } from '../parts/status.tsx';
import { type Column, DefinitionList, Table } from '../parts/table.tsx';
import { Code, Foreign, ForeignBlock, Link } from '../parts/text.tsx';
import { Instant, Time } from '../parts/time.tsx';
import type { Reader } from '../reader.ts';
import type { View } from '../view.ts';
import { CONFIG_WORDS } from '../words/config.ts';
import { Problems } from './problems.tsx';
import { ReloadChanges } from './reload-changes.tsx';
import { useReader, useWords } from '../use-reader.ts';

export const configView: View = async ({ query, reader, services }) => {
  const { reloading, archive, surroundings } = services;
  const [processes, configs] = await Promise.all([reloading.processes(), archive.configs()]);
  const data: ConfigData = {
    status: reloading.status,
    processName: surroundings.processName,
    processes,
    configs,
    text: reloading.configText(),
    // It looks at many callbacks: only where somebody asks for it.
    preview: query.get('preview') === '1' ? await reloading.preview() : undefined,
  };
  return {
    title: CONFIG_WORDS[reader.language].title,
    section: 'config',
    body: <RunningConfigPage data={data} />,
  };
};

export interface ConfigData {
  readonly status: ReloadStatus;
  readonly processName: string;
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

const HASH_SHOWN = 12;

export function RunningConfigPage({ data }: ConfigProps) {
  const words = useWords(CONFIG_WORDS);
  return (
    <>
      <div class="head">
        <h1>{words.title}</h1>
        <p class="lead">{words.lead}</p>
      </div>
      <Failure status={data.status} />
      <InForce data={data} />
      {data.preview === undefined ? null : <ReloadChanges preview={data.preview} />}
      <Processes data={data} />
      <section class="panel" aria-labelledby="config-text">
        <header>
          <h2 id="config-text">{words.text}</h2>
          <span class="actions">
            <span class="quiet">{words.textLead}</span>
            <CopyButton text={data.text} />
          </span>
        </header>
        <ForeignBlock text={data.text} label={data.status.file} />
      </section>
      <History data={data} />
    </>
  );
}

function Failure({ status: { failure } }: { readonly status: ReloadStatus }) {
  const words = useWords(CONFIG_WORDS);
  if (failure === undefined) return null;
  return (
    <section class="panel failed" aria-labelledby="config-failed">
      <header>
        <h2 id="config-failed">
          <Status tone="bad" word={words.failed} />
        </h2>
        <Time at={failure.at} />
      </header>
      <p>{words.failedLead}</p>
      <Problems problems={failure.problems} />
    </section>
  );
}

function InForce({ data }: ConfigProps) {
  const words = useWords(CONFIG_WORDS);
  const { file, configHash, loadedAt, warnings, unchanged } = data.status;
  return (
    <section class="panel" aria-labelledby="config-in-force">
      <header>
        <h2 id="config-in-force">{words.inForce}</h2>
      </header>
      <DefinitionList
        terms={[
          { term: words.file, details: <Code text={file} /> },
          { term: words.hash, details: <Code text={configHash.slice(0, HASH_SHOWN)} /> },
          { term: words.loaded, details: <Instant at={loadedAt} /> },
          { term: words.process, details: <Foreign text={data.processName} /> },
          ...(unchanged.length === 0
            ? []
            : [{ term: words.unchanged, details: <Code text={unchanged.join(', ')} /> }]),
        ]}
      />
      {warnings.length === 0 ? null : (
        <>
          <h3>{words.warnings}</h3>
          <Problems problems={warnings} />
        </>
      )}
      <div class="actions">
        <PostForm action="/act/reload" back="/config">
          <button type="submit">{words.reload}</button>
        </PostForm>
        <Link to="/config?preview=1">{words.preview}</Link>
      </div>
    </section>
  );
}

function Processes({ data }: ConfigProps) {
  const reader = useReader();
  const words = useWords(CONFIG_WORDS);
  if (data.processes.length < 2) return null;
  return (
    <section class="panel" aria-labelledby="config-processes">
      <header>
        <h2 id="config-processes">{words.processes}</h2>
      </header>
      <p class="quiet">{words.processesLead}</p>
      <Table
        caption={words.processes}
        columns={processColumns(data.status.configHash, reader)}
        rows={data.processes}
        keyOf={({ name }) => name}
        empty=""
      />
    </section>
  );
}

function processColumns(inForce: string, reader: Reader): readonly Column<RunningProcess>[] {
  const words = CONFIG_WORDS[reader.language];
  return [
    {
      head: words.name,
      kind: 'main',
      cell: ({ name, isThis }) => (
        <>
          <Foreign text={name} />
          {isThis ? <small>{words.thisOne}</small> : null}
        </>
      ),
    },
    {
      head: words.hash,
      cell: ({ configHash }) => (
        <>
          <Status
            tone={configHash === inForce ? 'good' : 'wait'}
            word={configHash === inForce ? words.same : words.differs}
          />
          <small>
            <Code text={configHash.slice(0, HASH_SHOWN)} />
          </small>
        </>
      ),
    },
    { head: words.loaded, cell: ({ loadedAt }) => <Time at={loadedAt} /> },
    { head: words.seen, cell: ({ seenAt }) => <Time at={seenAt} /> },
  ];
}

function History({ data: { configs } }: ConfigProps) {
  const reader = useReader();
  const words = useWords(CONFIG_WORDS);
  return (
    <details class="panel">
      <summary>{words.history}</summary>
      <Table
        caption={words.history}
        columns={historyColumns(reader)}
        rows={configs}
        keyOf={({ loadedAt, hash }) => `${loadedAt} ${hash}`}
        empty={words.noHistory}
      />
    </details>
  );
}

function historyColumns(reader: Reader): readonly Column<LoadedConfig>[] {
  const words = CONFIG_WORDS[reader.language];
  return [
    { head: words.loaded, kind: 'main', cell: ({ loadedAt }) => <Instant at={loadedAt} /> },
    { head: words.hash, cell: ({ hash }) => <Code text={hash.slice(0, HASH_SHOWN)} /> },
  ];
}
