/** What a reload would change: who would be told of the last days' callbacks that was not, and who no longer would. */
import type { ReloadPreview } from '../../services.ts';
import { Section } from '../parts/layout.tsx';
import { Table } from '../parts/table.tsx';
import { Code, Destinations, Foreign } from '../parts/text.tsx';
import { type Reader, useReader } from '../reader.ts';
import { Problems } from './problems.tsx';

interface ReloadChangesProps {
  readonly preview: ReloadPreview;
}

export function ReloadChanges({ preview }: ReloadChangesProps) {
  const reader = useReader();
  const { t } = reader;
  const { problems, unchanged, changes, isComplete } = preview;
  const title = t('config.preview');
  return (
    <Section title={title}>
      <p>{leadOf(preview, reader)}</p>
      {isComplete ? null : <p class="quiet">{t('config.previewPart')}</p>}
      {changes.length === 0 ? null : <Changes changes={changes} caption={title} />}
      <Problems problems={problems} />
      {unchanged.length === 0 ? null : (
        <p>
          {t('config.unchanged')}: <Code text={unchanged.join(', ')} />
        </p>
      )}
    </Section>
  );
}

function leadOf({ configHash, changes, since: from }: ReloadPreview, { t, formats }: Reader): string {
  const since = formats.day(from);
  if (configHash === undefined) return t('config.previewRefused');
  return changes.length > 0 ? t('config.previewLead', { since }) : t('config.previewNobody', { since });
}

interface ChangesProps extends Pick<ReloadPreview, 'changes'> {
  readonly caption: string;
}

function Changes({ changes, caption }: ChangesProps) {
  const { t, formats } = useReader();
  return (
    <Table
      caption={caption}
      columns={[
        { head: t('bot'), kind: 'main', cell: ({ botId }) => <Foreign text={botId} /> },
        { head: t('status'), cell: ({ status }) => t(`status.${status}`) },
        { head: t('nav.callbacks'), kind: 'number', cell: ({ callbacks }) => formats.number(callbacks) },
        { head: t('config.added'), cell: ({ added }) => <Destinations names={added} tone="good" /> },
        { head: t('config.removed'), cell: ({ removed }) => <Destinations names={removed} tone="bad" /> },
      ]}
      rows={changes}
      keyOf={({ botId, status }) => `${status} ${botId}`}
      empty=""
    />
  );
}
