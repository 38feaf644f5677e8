/** What needs somebody: open incidents, those of one cause as one entry, the worst first. */
import {
  alikeTo,
  calledOf,
  type Group,
  groupsOf,
  type Incident,
  type Sign,
  SIGN_WORDS,
} from '../../../incident/incident.ts';
import { botNamesOf } from '../../../channels/value-text.ts';
import type { ArchivedIncident } from '../../../ledger/archive/archive.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { gistIn } from '../../../people/incidents.ts';
import { CallbackTable } from '../callbacks/callbacks.tsx';
import { Field, PostButton, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { At, Chips, Foreign, LinkLine, pathTo, Time } from '../parts/text.tsx';
import { useReader, type View } from '../reader.ts';

/** The most entries, the most subjects of one entry, and how many of these are shown unfolded. */
const MOST_GROUPS = 50;
const MOST_SUBJECTS = 200;
/** The page that shows more: as many incidents as one page can hold. */
const ALL = '/?incidents=all';
const MOST_INCIDENTS = 2000;
const MOST_NAMED = 8;
const LONGEST_NAME = 80;
const CALLBACKS_SHOWN = 10;

/** Incidents by groups, with what can be done about each. */
export function Entries({ incidents }: { readonly incidents: readonly ArchivedIncident[] }) {
  const { t, here, redact } = useReader();
  const groups = groupsOf(incidents);
  const botOf = ({ name, subject }: Incident) => ({ bot_id: redact(subject), bot_name: redact(name) });
  const named = botNamesOf(incidents.map(botOf), LONGEST_NAME);
  const most = here === ALL ? MOST_INCIDENTS : MOST_GROUPS;
  return (
    <>
      <ul class="incidents">
        {groups.slice(0, most).map((group) => (
          <Entry key={group.latest.id} {...group} nameOf={(each) => named(botOf(each))} />
        ))}
      </ul>
      {groups.length > most ? (
        <LinkLine href={ALL} word={t('more', { number: groups.length - most })} />
      ) : null}
    </>
  );
}

/** One incident: the page that messages link to. */
export const incidentView: View = async ({ params, open, reader: { t }, services: { archive } }) => {
  const id = wholeNumberIn(params['id']) ?? 0;
  const incident = await archive.incident(id);
  if (incident === undefined) return undefined;
  const { kind, subject, subjectKey, since } = incident;
  const filter = kind === 'bot' ? { botId: subjectKey, from: since } : { destination: subject };
  const page = { limit: CALLBACKS_SHOWN };
  const others = alikeTo(incident, await open).length;
  const body = (
    <>
      <Section>
        <Entries incidents={[incident]} />
        {others === 0 ? null : <LinkLine href="/" word={t('incidents.alike', { bots: others })} />}
      </Section>
      {kind === 'botbell' ? null : (
        <Section title={t('nav.callbacks')}>
          <CallbackTable rows={(await archive.callbacks(filter, page)).items} wanted={filter} />
          <LinkLine href={callbacksOf(incident)} word={t('bot.callbacks')} />
        </Section>
      )}
    </>
  );
  return { title: t('incidents.one', { id }), body };
};

type Naming = { readonly nameOf: (incident: Incident) => string };

function Entry({ latest, incidents, count, since, nameOf }: Group<ArchivedIncident> & Naming) {
  const { t, language, formats } = useReader();
  const { takenUp, overAt, sign, isWaiting, lastAt } = latest;
  const isBad = takenUp === undefined && overAt === undefined && !isWaiting;
  return (
    <li class={isBad ? 'bad' : 'idle'}>
      <p class="facts">
        <strong class={isBad ? 'status bad' : 'status'}>
          {incidents.length === 1 ? '' : `${t('incidents.bots', { bots: incidents.length })} `}
          {SIGN_WORDS[sign][language]}
        </strong>
        <Foreign text={gistIn(latest, language)} />
      </p>
      <div class="facts">
        <Subjects incidents={incidents} nameOf={nameOf} />
        <At word="incidents.since" at={since} />
        {count < 2 ? null : (
          <span class="quiet">{t('incidents.count', { signs: count, last: formats.relative(lastAt) })}</span>
        )}
        {isWaiting ? <span>{t('incidents.waiting')}</span> : null}
        {takenUp === undefined ? null : (
          <span>
            {t('incidents.taken up')}{' '}
            <Foreign text={[takenUp.by, takenUp.because].filter(Boolean).join(': ')} />{' '}
            <Time as="ago" at={takenUp.at} />
          </span>
        )}
        <At word="incidents.over" at={overAt} />
      </div>
      {overAt === undefined ? <Acts latest={latest} incidents={incidents} /> : null}
    </li>
  );
}

function Subjects({ incidents, nameOf }: Pick<Group, 'incidents'> & Naming) {
  const { t, here } = useReader();
  const some = incidents.slice(0, here === ALL ? MOST_INCIDENTS : MOST_SUBJECTS);
  const subjects = some.map((incident) => (
    <Subject key={incident.id} {...incident} name={nameOf(incident)} />
  ));
  const rest = subjects.slice(MOST_NAMED);
  const more = incidents.length - some.length;
  return (
    <>
      <Chips of={subjects.slice(0, MOST_NAMED)} />
      {rest.length === 0 ? null : (
        <details>
          <summary>{t('more', { number: rest.length + more })}</summary>
          <Chips of={rest} />
          {more === 0 ? null : <a href={ALL}>{t('more', { number: more })}</a>}
        </details>
      )}
    </>
  );
}

/** The pages that show what is wrong with Botbell itself. */
const SEEN_AT: Partial<Readonly<Record<Sign, 'config' | 'refused'>>> = {
  reload: 'config',
  refused: 'refused',
};

function Subject(incident: Incident) {
  const { t } = useReader();
  const { kind, name, subjectKey, sign } = incident;
  const view = SEEN_AT[sign];
  if (view !== undefined) return <a href={`/${view}`}>{t(`nav.${view}`)}</a>;
  if (kind === 'botbell') return <>{calledOf(incident)}</>;
  return (
    <a href={kind === 'bot' ? pathTo(['bots'], { bot_id: subjectKey }) : callbacksOf(incident)}>
      <Foreign text={name} />
    </a>
  );
}

function callbacksOf({ kind, subject, subjectKey }: Incident): string {
  return pathTo(['callbacks'], kind === 'bot' ? { bot_id: subjectKey } : { destination: subject });
}

function Acts({ incidents, latest }: Pick<Group, 'incidents' | 'latest'>) {
  const { t, here } = useReader();
  const ids = incidents.map(({ id }) => id).join(' ');
  const { id, kind, subject, subjectKey, takenUp, sign } = latest;
  const path = pathTo(['incidents', id]);
  const destination = kind === 'destination' ? { destination: subject } : undefined;
  return (
    <div class="actions">
      <TakeUp ids={ids} isOfBots={kind === 'bot'} />
      {here === path ? null : <a href={path}>{t('incidents.open')}</a>}
      {takenUp === undefined ? null : (
        <PostButton action="/act/give-back" fields={{ ids }} kind="small" word={t('incidents.give back')} />
      )}
      {kind === 'botbell' || incidents.length > 1 ? null : (
        <a href={pathTo(['snoozes'], destination ?? { bot_id: subjectKey })}>{t('snoozes.link')}</a>
      )}
      {destination === undefined ? null : (
        <PostButton action="/act/test" fields={destination} kind="small" word={t('destinations.send')} />
      )}
      {destination === undefined || sign !== 'dead' ? null : (
        <a href={pathTo(['redeliveries', 'new'], { ...destination, state: 'dead' })}>{t('dead.again')}</a>
      )}
      <PostButton action="/act/close" fields={{ ids }} kind="small" word={t('incidents.close')} />
    </div>
  );
}

function TakeUp({ ids, isOfBots }: { readonly ids: string; readonly isOfBots: boolean }) {
  const { t, signedAs } = useReader();
  return (
    <details>
      <summary>{t('incidents.take up')}</summary>
      <PostForm action="/act/take-up" fields={{ ids }} className="filters" submit={t('incidents.take up')}>
        <Field name="by" label={t('incidents.by')} value={signedAs} />
        <Field name="because" label={t('snoozes.because')} value="" />
        {isOfBots ? (
          <label>
            <input type="checkbox" name="quiet" value="1" /> {t('incidents.quiet')}
          </label>
        ) : null}
      </PostForm>
    </details>
  );
}
