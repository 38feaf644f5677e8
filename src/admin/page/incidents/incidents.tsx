/** What needs somebody: open incidents, those of one cause as one entry, the worst first. */
import { type Group, groupsOf, type Incident, SIGN_WORDS } from '../../../incident/incident.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { Field, PostButton, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { nameOf, Foreign, pathTo, Time } from '../parts/text.tsx';
import { useReader, type View } from '../reader.ts';

/** Entries of the first view, and subjects of one entry. */
const MOST_GROUPS = 50;
const MOST_NAMED = 8;

interface NeedsProps {
  readonly open: readonly Incident[];
  /** When the last callback came; undefined: none has. */
  readonly lastAt: number | undefined;
}

/** The page's first part. */
export function NeedsSomebody({ open, lastAt }: NeedsProps) {
  const { t, formats } = useReader();
  const groups = groupsOf(open);
  if (groups.length === 0)
    return (
      <Section title={t('incidents.well')}>
        <p>
          {t('incidents.last callback')} <Time at={lastAt} />
        </p>
      </Section>
    );
  return (
    <Section title={t('incidents.needs')} aside={formats.number(groups.length)}>
      <ul class="problems">
        {groups.slice(0, MOST_GROUPS).map((group) => (
          <Entry key={group.latest.id} group={group} />
        ))}
      </ul>
      {groups.length > MOST_GROUPS ? <p>{t('more', { number: groups.length - MOST_GROUPS })}</p> : null}
    </Section>
  );
}

/** One incident: to what a message links. */
export const incidentView: View = async ({ params, reader: { t }, services: { archive } }) => {
  const id = wholeNumberIn(params['id']) ?? 0;
  const incident = await archive.incident(id);
  if (incident === undefined) return undefined;
  const body = (
    <Section>
      <ul class="problems">
        {groupsOf([incident]).map((group) => (
          <Entry key={id} group={group} />
        ))}
      </ul>
    </Section>
  );
  return { title: t('incidents.one', { id }), body };
};

function Entry({ group }: { readonly group: Group }) {
  const { t, language } = useReader();
  const { latest, count, since } = group;
  const { takenUp, overAt, gist, sign, isWaiting } = latest;
  return (
    <li class={takenUp === undefined && overAt === undefined ? 'bad' : 'idle'}>
      <p class="facts">
        <strong class="status">{SIGN_WORDS[sign][language]}</strong>
        {gist === '' ? null : <Foreign text={gist} />}
      </p>
      <Subjects group={group} />
      <p class="facts quiet">
        <span>
          {t('incidents.since')} <Time at={since} />
        </span>
        <span>{t('incidents.count', { signs: count })}</span>
        {isWaiting ? <span>{t('incidents.waiting')}</span> : null}
        {takenUp === undefined ? null : (
          <span>
            {t('incidents.taken up')}{' '}
            <Foreign text={[takenUp.by, takenUp.because].filter(Boolean).join(': ')} />
          </span>
        )}
        {overAt === undefined ? null : (
          <span>
            {t('incidents.over')} <Time at={overAt} />
          </span>
        )}
      </p>
      {overAt === undefined ? <Acts group={group} /> : null}
    </li>
  );
}

function Subjects({ group: { incidents } }: { readonly group: Group }) {
  const { t } = useReader();
  const rest = incidents.length - MOST_NAMED;
  return (
    <ul class="chips">
      {incidents.slice(0, MOST_NAMED).map((incident) => (
        <li key={incident.id}>
          <a href={placeOf(incident)}>
            <Foreign text={nameOf(incident.name, incident.subject)} />
          </a>
        </li>
      ))}
      {rest > 0 ? <li>{t('more', { number: rest })}</li> : null}
    </ul>
  );
}

/** Where more is seen of it. */
function placeOf({ kind, subject, sign }: Incident): string {
  if (kind === 'bot') return pathTo(['bots'], { bot_id: subject });
  if (kind === 'destination') return pathTo(['callbacks'], { destination: subject });
  return sign === 'reload' ? '/config' : '/refused';
}

function Acts({ group: { incidents, latest } }: { readonly group: Group }) {
  const { t, signedAs } = useReader();
  const ids = incidents.map(({ id }) => id).join(' ');
  const { kind, subject, takenUp } = latest;
  const snoozed = kind === 'bot' ? { bot_id: subject } : { destination: subject };
  return (
    <div class="actions">
      {takenUp === undefined ? (
        <details>
          <summary>{t('incidents.take up')}</summary>
          <PostForm action="/act/take-up" fields={{ ids }} className="filters">
            <Field name="by" label={t('incidents.by')} value={signedAs} />
            <Field name="because" label={t('snoozes.because')} value="" />
            {kind === 'bot' ? (
              <label>
                <input type="checkbox" name="quiet" value="1" /> {t('incidents.quiet')}
              </label>
            ) : null}
            <div class="actions">
              <button type="submit" class="primary">
                {t('incidents.take up')}
              </button>
            </div>
          </PostForm>
        </details>
      ) : (
        <PostButton action="/act/give-back" fields={{ ids }} kind="small" word={t('incidents.give back')} />
      )}
      {kind === 'botbell' ? null : <a href={pathTo(['snoozes'], snoozed)}>{t('snoozes.link')}</a>}
      {kind === 'destination' ? (
        <PostButton
          action="/act/test"
          fields={{ destination: subject }}
          kind="small"
          word={t('destinations.send')}
        />
      ) : null}
      {incidents.length === 1 ? (
        <PostButton action="/act/close" fields={{ id: ids }} kind="small" word={t('incidents.close')} />
      ) : null}
    </div>
  );
}
