/** An incident: a trouble from its first sign to its end. Times are milliseconds since 1970. */

export const INCIDENT_KINDS = ['bot', 'destination', 'botbell'] as const;
export type IncidentKind = (typeof INCIDENT_KINDS)[number];

export const INCIDENT_STATES = ['open', 'taken_up', 'over'] as const;
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** A failure within this time after an incident's end belongs to the same incident. */
export const SAME_WITHIN_MS = 3_600_000;

/** What a sign of trouble was: of a BOT, of a destination, or of Botbell itself. */
export type Sign =
  'error' | 'overdue' | 'missed' | 'config' | 'dead' | 'down' | 'limited' | 'refused' | 'reload' | 'store';

/** What is said of a subject, such as a BOT's name. */
export const SIGN_WORDS: Readonly<Record<Sign, { readonly en: string; readonly ja: string }>> = {
  error: { en: 'failed', ja: 'エラー' },
  overdue: { en: 'runs for too long', ja: '実行が長すぎます' },
  missed: { en: 'no result', ja: '結果が未着' },
  config: { en: 'a setting is wrong', ja: '設定に問題があります' },
  dead: { en: 'not told', ja: '配信不能' },
  down: { en: 'does not answer', ja: '応答がありません' },
  limited: { en: 'limits its rate', ja: '送信数が制限されています' },
  refused: { en: 'callbacks were rejected', ja: '受け付けられないコールバック' },
  store: { en: 'the store cannot be written', ja: '記録に書き込めません' },
  reload: { en: 'the config was refused', ja: '設定を読み込めません' },
};

/** Who has taken an incident up, why, and since when. */
export interface TakenUp {
  readonly by: string;
  readonly because: string;
  readonly at: number;
}

export interface Incident {
  readonly id: number;
  readonly kind: IncidentKind;
  /** A BOT's id, a destination, or a fault of Botbell's own. */
  readonly subject: string;
  /** The same as it is stored: short, and whole where `subject` is cut. */
  readonly subjectKey: string;
  /** The BOT's name; '' for other kinds. */
  readonly name: string;
  /** The latest sign, and the line that says what happened; '' if it says nothing, as of a missed result. */
  readonly sign: Sign;
  readonly gist: string;
  /** The same for gists that are alike. */
  readonly likeness: string;
  readonly since: number;
  readonly lastAt: number;
  /** How many signs there were. */
  readonly count: number;
  /** `after_failures` still waits for further errors: it needs nobody yet. */
  readonly isWaiting: boolean;
  readonly takenUp?: TakenUp | undefined;
  readonly overAt?: number | undefined;
}

export function stateOf({ overAt, takenUp }: Pick<Incident, 'overAt' | 'takenUp'>): IncidentState {
  if (overAt !== undefined) return 'over';
  return takenUp === undefined ? 'open' : 'taken_up';
}

/** What a person calls its subject. */
export function calledOf({ kind, name, subject }: Pick<Incident, 'kind' | 'name' | 'subject'>): string {
  return kind === 'botbell' ? 'Botbell' : name.trim() || subject;
}

/** Incidents that have one cause, as far as their gists tell. */
export interface Group<Each extends Incident = Incident> {
  /** The one with the latest sign. */
  readonly latest: Each;
  /** In the order in which they began. */
  readonly incidents: readonly [Each, ...Each[]];
  readonly since: number;
  readonly count: number;
}

/** BOTs whose gists are alike are one group, the others stand alone. @returns the worst first */
export function groupsOf<Each extends Incident>(open: readonly Each[]): readonly Group<Each>[] {
  const groups = new Map<string, [Each, ...Each[]]>();
  for (const incident of open.toSorted((a, b) => a.since - b.since || a.id - b.id)) {
    const group = groups.get(causeOf(incident));
    if (group === undefined) groups.set(causeOf(incident), [incident]);
    else group.push(incident);
  }
  return [...groups.values()].map((each) => groupOf(each)).toSorted(worseFirst);
}

/** Alike incidents are grouped apart if different people have taken them up, or only some of them are told yet. */
function causeOf(incident: Incident): string {
  const { isWaiting, takenUp } = incident;
  return [likeOf(incident), stateOf(incident), isWaiting, takenUp?.by].join(' ');
}

function likeOf({ id, kind, gist, likeness, sign }: Incident): string {
  const isAlone = kind !== 'bot' || (gist === '' && sign === 'error');
  return isAlone ? String(id) : `${sign} ${likeness}`;
}

/** The other incidents of the same cause that are told, whoever has taken them up. */
export function alikeTo<Each extends Incident>(incident: Incident, open: readonly Each[]): readonly Each[] {
  return open.filter(
    (each) => each.id !== incident.id && !each.isWaiting && likeOf(each) === likeOf(incident),
  );
}

function groupOf<Each extends Incident>(incidents: readonly [Each, ...Each[]]): Group<Each> {
  const latest = incidents.reduce((last, each) => (each.lastAt > last.lastAt ? each : last));
  const count = incidents.reduce((sum, each) => sum + each.count, 0);
  return { latest, incidents, since: incidents[0].since, count };
}

/** What nobody has taken up comes first; then Botbell's own, since nothing may be told while it lasts; then what most BOTs have. */
function worseFirst(a: Group, b: Group): number {
  return rankOf(a) - rankOf(b) || b.incidents.length - a.incidents.length;
}

const KINDS_WORST_FIRST: readonly IncidentKind[] = ['botbell', 'destination', 'bot'];

function rankOf({ latest }: Group): number {
  const isLater = Number(latest.isWaiting) * 2 + Number(latest.takenUp !== undefined);
  return isLater * KINDS_WORST_FIRST.length + KINDS_WORST_FIRST.indexOf(latest.kind);
}

/** An incident as it was when the message was raised. */
export interface ToldTrouble extends Pick<
  Incident,
  'id' | 'kind' | 'subject' | 'name' | 'sign' | 'gist' | 'since' | 'count'
> {
  /** Of a destination: how many messages were told late, and how many were given up. */
  readonly late?: number | undefined;
  readonly lost?: number | undefined;
}

/** The first troubles that a message names, and how many it leaves out. */
export interface ToldTroubles {
  readonly troubles: readonly ToldTrouble[];
  readonly moreTroubles: number;
}

const MOST_TROUBLES = 10;

export function toldTroubles(
  incidents: readonly (Incident & Pick<ToldTrouble, 'late' | 'lost'>)[],
): ToldTroubles {
  const troubles = incidents.slice(0, MOST_TROUBLES).map(told);
  return { troubles, moreTroubles: incidents.length - troubles.length };
}

function told(incident: Incident & Pick<ToldTrouble, 'late' | 'lost'>): ToldTrouble {
  const { id, kind, subject, name, sign, gist, since, count, late, lost } = incident;
  return { id, kind, subject, name, sign, gist, since, count, late, lost };
}
