/** What needs somebody: open incidents, those of one cause as one entry, the worst first. */
import { faultInJapanese } from '../../../callback/fault-words.ts';
import { failureInWords, type FailureToExplain } from '../../../channels/failure.ts';
import {
  calledOf,
  type Group,
  groupsOf,
  type Incident,
  type Sign,
  SIGN_WORDS,
} from '../../../incident/incident.ts';
import type { Archive } from '../../../ledger/registry.ts';
import { wholeNumberIn } from '../../../people/filters.ts';
import { gistOf } from '../../../text/gist.ts';
import { CallbackTable } from '../callbacks/callbacks.tsx';
import { Field, PostButton, PostForm } from '../parts/forms.tsx';
import { Section } from '../parts/layout.tsx';
import { nameOf, Foreign, pathTo, Time } from '../parts/text.tsx';
import { useReader, type View } from '../reader.ts';

/** Entries that are shown, and subjects of one entry that are seen at once. */
const MOST_GROUPS = 50;
const MOST_NAMED = 8;
const CALLBACKS_SHOWN = 10;

interface Troubles {
  readonly incidents: readonly Incident[];
  /** The last error of each destination that has one. */
  readonly errors: ReadonlyMap<string, FailureToExplain | undefined>;
}

/** With what is needed to say them in the reader's language. */
export async function withErrors(archive: Archive, incidents: readonly Incident[]): Promise<Troubles> {
  const names = incidents.flatMap(({ kind, subject }) => (kind === 'destination' ? [subject] : []));
  const destinations = names.length === 0 ? [] : await archive.destinations(names);
  return {
    incidents,
    errors: new Map(destinations.map(({ destination, lastError }) => [destination, lastError])),
  };
}

/** Incidents with what can be done about them, as groups. */
export function Entries({ incidents, errors }: Troubles) {
  const { t } = useReader();
  const groups = groupsOf(incidents);
  return (
    <>
      <ul class="incidents">
        {groups.slice(0, MOST_GROUPS).map((group) => (
          <Entry key={group.latest.id} group={group} errors={errors} />
        ))}
      </ul>
      {groups.length > MOST_GROUPS ? <p>{t('more', { number: groups.length - MOST_GROUPS })}</p> : null}
    </>
  );
}

/** One incident: to what a message links. */
export const incidentView: View = async ({ params, reader: { t }, services: { archive } }) => {
  const id = wholeNumberIn(params['id']) ?? 0;
  const incident = await archive.incident(id);
  if (incident === undefined) return undefined;
  const { kind, subject, since } = incident;
  const filter = kind === 'bot' ? { botId: subject, from: since } : { destination: subject };
  const page = { limit: CALLBACKS_SHOWN };
  const body = (
    <>
      <Section>
        <Entries {...await withErrors(archive, [incident])} />
      </Section>
      {kind === 'botbell' ? null : (
        <Section title={t('nav.callbacks')}>
          <CallbackTable rows={(await archive.callbacks(filter, page)).items} wanted={filter} />
          <p>
            <a href={callbacksOf(incident)}>{t('bot.callbacks')}</a>
          </p>
        </Section>
      )}
    </>
  );
  return { title: t('incidents.one', { id }), body };
};

interface EntryProps extends Pick<Troubles, 'errors'> {
  readonly group: Group;
}

function Entry({ group, errors }: EntryProps) {
  const { t, language, formats } = useReader();
  const { latest, incidents, count, since } = group;
  const { takenUp, overAt, sign, isWaiting, lastAt } = latest;
  const isBad = takenUp === undefined && overAt === undefined && !isWaiting;
  return (
    <li class={isBad ? 'bad' : 'idle'}>
      <p class="facts">
        <strong class={isBad ? 'status bad' : 'status'}>
          {incidents.length === 1 ? '' : `${t('incidents.bots', { bots: incidents.length })} `}
          {SIGN_WORDS[sign][language]}
        </strong>
        <Foreign text={saidOf(latest, errors, language)} />
      </p>
      <div class="facts">
        <Subjects incidents={incidents} />
        <span class="quiet">
          {t('incidents.since')} <Time at={since} />
        </span>
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
        {overAt === undefined ? null : (
          <span>
            {t('incidents.over')} <Time at={overAt} />
          </span>
        )}
      </div>
      {overAt === undefined ? <Acts group={group} /> : null}
    </li>
  );
}

/** In the reader's language where it is Botbell that says it. */
function saidOf(
  { kind, sign, gist, subject }: Incident,
  errors: Troubles['errors'],
  language: 'en' | 'ja',
): string {
  const error = kind === 'destination' ? errors.get(subject) : undefined;
  if (error !== undefined && gistOf(error.message) === gist) return failureInWords(error, language);
  if (sign !== 'refused' || language === 'en') return gist;
  const [, pointer = '', fault = gist] = /^(\/\S*) (.*)$/u.exec(gist) ?? [];
  return `${pointer} ${faultInJapanese(fault)}`;
}

function Subjects({ incidents }: Pick<Group, 'incidents'>) {
  const { t } = useReader();
  const rest = incidents.slice(MOST_NAMED);
  return (
    <>
      <SubjectChips incidents={incidents.slice(0, MOST_NAMED)} />
      {rest.length === 0 ? null : (
        <details>
          <summary>{t('more', { number: rest.length })}</summary>
          <SubjectChips incidents={rest} />
        </details>
      )}
    </>
  );
}

function SubjectChips({ incidents }: { readonly incidents: readonly Incident[] }) {
  return (
    <ul class="chips">
      {incidents.map((incident) => (
        <li key={incident.id}>
          <Subject {...incident} />
        </li>
      ))}
    </ul>
  );
}

/** Where it is seen what is wrong with Botbell itself. */
const SEEN_AT: Partial<Readonly<Record<Sign, 'config' | 'refused'>>> = {
  reload: 'config',
  refused: 'refused',
};

function Subject(incident: Incident) {
  const { t } = useReader();
  const { kind, name, subject, sign } = incident;
  const view = SEEN_AT[sign];
  if (view !== undefined) return <a href={`/${view}`}>{t(`nav.${view}`)}</a>;
  if (kind === 'botbell') return <>{calledOf(incident)}</>;
  return (
    <a href={kind === 'bot' ? pathTo(['bots'], { bot_id: subject }) : callbacksOf(incident)}>
      <Foreign text={nameOf(name, subject)} />
    </a>
  );
}

function callbacksOf({ kind, subject }: Pick<Incident, 'kind' | 'subject'>): string {
  return pathTo(['callbacks'], kind === 'bot' ? { bot_id: subject } : { destination: subject });
}

function Acts({ group: { incidents, latest } }: Pick<EntryProps, 'group'>) {
  const { t, here } = useReader();
  const ids = incidents.map(({ id }) => id).join(' ');
  const { id, kind, subject, takenUp, sign } = latest;
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
        <a href={pathTo(['snoozes'], destination ?? { bot_id: subject })}>{t('snoozes.link')}</a>
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
      <PostForm action="/act/take-up" fields={{ ids }} className="filters">
        <Field name="by" label={t('incidents.by')} value={signedAs} />
        <Field name="because" label={t('snoozes.because')} value="" />
        {isOfBots ? (
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
  );
}
