/** The config in force, the problems of the last failed reload, and what a reload would change. */
import type { Problem } from '../../../config/config.ts';
import type { ReloadPreview, ReloadStatus, RoutingChange } from '../../services.ts';
import { PostButton } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Chips, Code, Foreign, Time } from '../parts/text.tsx';
import { useReader, type View } from '../reader.ts';

const HASH_SHOWN = 12;

export const configView: View = async ({ query, reader: { t }, services: { reloading } }) => {
  const { status } = reloading;
  const { failure } = status;
  // The preview reads many callbacks, so it is made only on request.
  const preview = query.get('preview') === '1' ? await reloading.preview() : undefined;
  const body = (
    <>
      {failure === undefined ? null : (
        <Section
          className="failed"
          title={<Status tone="bad" word={t('config.failed')} />}
          aside={<Time at={failure.at} />}
        >
          <Problems problems={failure.problems} />
        </Section>
      )}
      <InForce status={status} />
      {preview === undefined ? null : <Changes preview={preview} />}
    </>
  );
  return { title: t('nav.config'), body, isStill: preview !== undefined };
};

function InForce({ status }: { readonly status: ReloadStatus }) {
  const { t } = useReader();
  return (
    <Section title={t('config.inForce')}>
      <Table caption="config.inForce" rows={[status]} columns={IN_FORCE} />
      <Problems problems={status.warnings} />
      <div class="actions">
        <PostButton action="/act/reload" word={t('config.reload')} />
        <a href="/config?preview=1">{t('config.preview')}</a>
      </div>
    </Section>
  );
}

const IN_FORCE: Columns<ReloadStatus> = [
  ['config.file', ({ file }) => <Code text={file} />, 'main'],
  ['config.hash', ({ configHash }) => <Code text={configHash.slice(0, HASH_SHOWN)} />],
  ['config.loaded', ({ loadedAt }) => <Time at={loadedAt} as="instant" />],
  ['config.unchanged', ({ unchanged }) => <Chips names={unchanged} />],
];

/** Problems with their places, as `botbell check` prints them. */
function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  const { t } = useReader();
  return (
    <ul class="problems">
      {problems.map(({ place: { file, line, column }, message, severity }) => (
        <li key={`${file} ${line} ${column} ${message}`}>
          <Status tone={severity === 'error' ? 'bad' : 'wait'} word={t(`config.${severity}`)} />{' '}
          <Code text={`${file}:${line}:${column}`} /> <Foreign text={message} lang="en" />
        </li>
      ))}
    </ul>
  );
}

/** Destinations that the new config would add for, or drop from, the last days' callbacks. */
function Changes({ preview }: { readonly preview: ReloadPreview }) {
  const { t, formats } = useReader();
  const { problems, unchanged, changes, isComplete, configHash } = preview;
  const since = formats.short(Date.parse(preview.since));
  const lead = changes.length > 0 ? t('config.previewLead', { since }) : t('config.previewNobody', { since });
  return (
    <Section title={t('config.preview')}>
      <p>{configHash === undefined ? t('config.previewRefused') : lead}</p>
      {isComplete ? null : <p class="quiet">{t('config.previewPart')}</p>}
      <Table caption="config.preview" rows={changes} columns={CHANGES} />
      <Problems problems={problems} />
      {unchanged.length === 0 ? null : (
        <p>
          {t('config.unchanged')}: <Foreign text={unchanged.join(', ')} />
        </p>
      )}
    </Section>
  );
}

const CHANGES: Columns<RoutingChange> = [
  ['bot', ({ botId }) => <Foreign text={botId} />, 'main'],
  ['status', ({ status }, { t }) => t(`status.${status}`)],
  ['nav.callbacks', ({ callbacks }) => callbacks, 'number'],
  ['config.added', ({ added }) => <Chips names={added} />],
  ['config.removed', ({ removed }) => <Chips names={removed} />],
];
