/** The config in force, and the problems of the last failed reload. */
import type { Problem } from '../../../config/config.ts';
import { problemInWords } from '../../../config/problems.ts';
import type { ReloadStatus } from '../../services.ts';
import { PostButton } from '../parts/forms.tsx';
import { type Columns, Section, Table } from '../parts/layout.tsx';
import { Status } from '../parts/status.tsx';
import { Chips, Code, Foreign, Time } from '../parts/text.tsx';
import { useReader, type View } from '../reader.ts';

const HASH_SHOWN = 12;

export const configView: View = ({ reader: { t }, services: { reloading } }) => {
  const { status } = reloading;
  const { failure } = status;
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
      <Section title={t('config.inForce')}>
        <Table caption="config.inForce" rows={[status]} columns={IN_FORCE} />
        <Problems problems={status.warnings} />
        <div class="actions">
          <PostButton action="/act/reload" word={t('config.reload')} />
        </div>
      </Section>
    </>
  );
  return Promise.resolve({ title: t('nav.config'), body });
};

const IN_FORCE: Columns<ReloadStatus> = [
  ['config.file', ({ file }) => <Code text={file} />, 'main'],
  ['config.hash', ({ configHash }) => <Code text={configHash.slice(0, HASH_SHOWN)} />],
  ['config.loaded', ({ loadedAt }) => <Time at={loadedAt} as="instant" />],
  ['config.unchanged', ({ unchanged }) => <Chips of={unchanged} />],
];

/** Problems with their places, as `botbell check` prints them. */
function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  const { t, language } = useReader();
  return (
    <ul class="problems">
      {problems.map(({ place: { file, line, column }, ...problem }) => {
        const said = problemInWords(problem, language);
        return (
          <li key={`${file} ${line} ${column} ${said}`}>
            <Status
              tone={problem.severity === 'error' ? 'bad' : 'wait'}
              word={t(`config.${problem.severity}`)}
            />{' '}
            <Code text={`${file}:${line}:${column}`} /> <Foreign text={said} />
          </li>
        );
      })}
    </ul>
  );
}
